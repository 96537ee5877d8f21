#include "report/comparison_point.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "report/comparability.hpp"
#include "report/series.hpp"
#include "report/unknown.hpp"
#include "roofline/fact_lookup.hpp"
#include "roofline/placement.hpp"

namespace roofline::report {
namespace {

double least_time_of(const Record& record) {
  double out = 0;
  const auto& compute = record.roofs.compute;
  if (compute && is_rated(compute->origin) && record.account.work)
    out = least_time(record.account.work->as_double(), compute->peak.si());
  // A measured floor may be beaten by a quieter moment, as other measured roofs may.
  const auto& overhead = record.roofs.overhead;
  const bool a_call_each = std::holds_alternative<Gemm>(record.workload) ||
                           std::holds_alternative<Projection>(record.workload) ||
                           std::holds_alternative<Elementwise>(record.workload);
  if (overhead && a_call_each)
    out = std::max(out, in_second(overhead->time) / kImpossibleOverMeasured);
  return out;
}

/// Of one FLOP where a probe chose how many an iteration has: two runs may choose otherwise.
double amount(const Record& record) {
  const bool probe = std::holds_alternative<PeakProbe>(record.workload);
  return probe && record.account.work ? std::max(1.0, record.account.work->as_double()) : 1.0;
}

using ByRepetition = std::map<std::uint64_t, std::vector<double>>;

RunLevels levels(const ByRepetition& times) {
  RunLevels out;
  for (const auto& [repetition, of_it] : times) {
    if (const auto level = level_of(of_it)) out.push_back(*level);
  }
  return out;
}

void take_times(const std::vector<Sample>& samples, RunPoint& out) {
  ByRepetition seconds;
  ByRepetition cycles;
  bool all_clocks = true;
  for (const Sample& sample : samples) {
    if (!sample.clean() || sample.iterations == 0) continue;
    const double time =
        in_second(sample.duration) / static_cast<double>(sample.iterations) / out.per;
    seconds[sample.repetition].push_back(time);
    const bool has_clock = sample.clock && in_hertz(*sample.clock) > 0;
    all_clocks = all_clocks && has_clock;
    if (!has_clock) continue;
    cycles[sample.repetition].push_back(time * in_hertz(*sample.clock));
    out.clocks.push_back(in_hertz(*sample.clock));
  }
  out.seconds = levels(seconds);
  if (all_clocks) out.cycles = levels(cycles);
}

std::uint64_t digest_of(const Outcome& outcome) {
  std::uint64_t out = outcome.index();
  const auto add = [&](auto value) {
    out = std::rotl((out ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15U, 29);
  };
  const auto add_number = [&](double value) { add(std::bit_cast<std::uint64_t>(value)); };
  const auto* const measured = std::get_if<Measured>(&outcome);
  if (measured == nullptr) return out;
  add_number(in_second(measured->time_median));
  add(measured->end);
  add(measured->verification.state);
  for (const Sample& sample : measured->samples) {
    add_number(in_second(sample.duration));
    add(sample.iterations);
    add_number(sample.clock ? in_hertz(*sample.clock) : 0);
    add(sample.disturbance ? 1 + static_cast<int>(*sample.disturbance) : 0);
    add(sample.repetition);
  }
  return out;
}

}  // namespace

bool is_rated(Origin origin) { return origin == Origin::datasheet || origin == Origin::user; }

double least_time(double amount, double rate) {
  return amount > 0 && rate > 0 ? amount / (kImpossible * rate) : 0;
}

std::shared_ptr<const Facts> SharedFacts::operator()(Facts facts) {
  // Where there are more, most are of one point only.
  constexpr std::size_t kMost = 32;
  for (const auto& known : known_) {
    if (*known == facts) return known;
  }
  auto out = std::make_shared<const Facts>(std::move(facts));
  if (known_.size() < kMost) {
    known_.push_back(out);
  } else {
    known_[next_] = out;
    next_ = (next_ + 1) % kMost;
  }
  return out;
}

RunPoint run_point(Record record, SharedFacts& facts) {
  RunPoint out;
  out.id = std::move(record.id);
  out.device_id = std::move(record.device_id);
  out.workload = record.workload;
  out.work = record.account.work;
  if (traffic_is_known(record.account)) out.bytes = total_traffic(record.account);
  out.boundary = record.account.boundary;
  out.kind = variation_kind(record);
  out.threads = number_fact(record.implementation, "threads");
  out.facts = facts(compared_facts(std::move(record.implementation)));
  out.skipped = std::holds_alternative<Skipped>(record.outcome);
  out.spoilt = std::holds_alternative<Incorrect>(record.outcome) ||
               std::holds_alternative<Failed>(record.outcome);
  out.broken = out.spoilt || (record.assessment && record.assessment->impossible);
  out.unverified = is_unverified(record);
  // As far as it alone tells.
  out.unusable = unfit(record).value_or(std::string());
  out.least_s = least_time_of(record);
  out.digest = digest_of(record.outcome);
  const auto* const measured = std::get_if<Measured>(&record.outcome);
  if (measured == nullptr) return out;
  out.measured = true;
  out.median_s = in_second(measured->time_median);
  out.placement = measured->placement;
  out.per = amount(record);
  take_times(measured->samples, out);
  if (measured->samples.empty()) return out;
  const Sample& middle = measured->samples[measured->samples.size() / 2];
  out.sample_s = in_second(middle.duration);
  out.many_calls = middle.iterations > 1;
  return out;
}

}  // namespace roofline::report
