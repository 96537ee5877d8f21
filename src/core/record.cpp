#include "roofline/record.hpp"

#include <algorithm>
#include <cmath>

#include "limits.hpp"

namespace roofline {

std::string_view name(VerificationState state) {
  constexpr std::string_view names[] = {"verified", "incorrect", "unverified"};
  return names[static_cast<std::size_t>(state)];
}

std::string_view name(MeasurementEnd end) {
  constexpr std::string_view names[] = {"converged", "budget_spent",       "contended",
                                        "throttled", "placement_unstable", "interrupted",
                                        "unsettled"};
  return names[static_cast<std::size_t>(end)];
}

std::string_view name(RunEnd end) {
  constexpr std::string_view names[] = {"completed", "budget_spent", "interrupted", "hung"};
  return names[static_cast<std::size_t>(end)];
}

bool trusted(MeasurementEnd end) {
  return end == MeasurementEnd::converged || end == MeasurementEnd::budget_spent ||
         end == MeasurementEnd::unsettled;
}

std::string_view name(Disturbance disturbance) {
  constexpr std::string_view names[] = {"contended", "moved", "throttled"};
  return names[static_cast<std::size_t>(disturbance)];
}

std::string_view name(Agreement agreement) {
  constexpr std::string_view names[] = {"confirmed", "refuted", "undecided"};
  return names[static_cast<std::size_t>(agreement)];
}

std::string_view outcome_name(const Outcome& outcome) {
  constexpr std::string_view names[] = {"measured", "skipped", "failed", "incorrect"};
  return names[outcome.index()];
}

std::string_view lever(const Explanation& explanation) {
  const auto& assessment = explanation.assessment;
  if (assessment && assessment->verdict != Verdict::unknown) return lever(assessment->verdict);
  if (explanation.placement.bound) return lever(*explanation.placement.bound);
  return {};
}

ObservedSide observe_side(const Account& account, const Roofs& roofs, const Prediction& predicted,
                          Seconds time) {
  ObservedSide out;
  const Limits limits = limits_of(account, roofs);
  const Count bytes = total_traffic(account);
  if (!limits.peak || !limits.bandwidth || !account.work || account.work->value() == 0 ||
      bytes.value() == 0 || !usable(time)) {
    return out;
  }
  const Seconds compute = flop(account.work->as_double()) / *limits.peak;
  const Seconds memory = byte(bytes.as_double()) / *limits.bandwidth;
  const double between = std::max(compute, memory) / std::min(compute, memory);
  if (between <= kNearRidge) return out;
  const double from_compute = std::abs(std::log(time / compute));
  const double from_memory = std::abs(std::log(time / memory));
  out.side = from_memory < from_compute ? Bound::memory : Bound::compute;
  if (predicted.side) {
    out.agreement = *predicted.side == *out.side ? Agreement::confirmed : Agreement::refuted;
  }
  return out;
}

}  // namespace roofline
