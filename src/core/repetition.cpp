#include "roofline/repetition.hpp"

#include <algorithm>
#include <iterator>

#include "roofline/sample_summary.hpp"

namespace roofline {
namespace {

constexpr double kConfidence = 0.95;  // as SamplingPlan's

const Verification& worse(const Verification& one, const Verification& other) {
  return one.state == VerificationState::verified ? other : one;
}

/// Of one repetition that says nothing where there is a whole one.
bool is_partial(const Outcome& outcome) {
  const auto* const measured = std::get_if<Measured>(&outcome);
  return std::holds_alternative<Skipped>(outcome) ||
         (measured != nullptr && measured->end == MeasurementEnd::interrupted);
}

}  // namespace

void add_repetition(Record& into, Record next) {
  auto* const all = std::get_if<Measured>(&into.outcome);
  auto* const more = std::get_if<Measured>(&next.outcome);
  const bool whole = all != nullptr && !is_partial(into.outcome);
  if (is_partial(next.outcome) && (whole || all != nullptr)) return;
  if (all == nullptr && !std::holds_alternative<Skipped>(into.outcome)) return;
  if (!whole || more == nullptr) {
    into.outcome = std::move(next.outcome);
    if (into.implementation.empty()) into.implementation = std::move(next.implementation);
    return;
  }
  std::vector<Sample> samples = std::move(all->samples);
  std::move(more->samples.begin(), more->samples.end(), std::back_inserter(samples));
  const bool converged =
      all->end == MeasurementEnd::converged && more->end == MeasurementEnd::converged;
  Verification checked = worse(all->verification, more->verification);
  Measured out =
      summarise(std::move(samples),
                converged ? MeasurementEnd::converged : MeasurementEnd::budget_spent, kConfidence);
  out.verification = std::move(checked);
  into.outcome = std::move(out);
}

std::vector<std::uint64_t> repetitions_of(const Record& record) {
  std::vector<std::uint64_t> out;
  const auto* const measured = std::get_if<Measured>(&record.outcome);
  if (measured == nullptr) return out;
  for (const Sample& sample : measured->samples) {
    if (sample.repetition != 0) out.push_back(sample.repetition);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace roofline
