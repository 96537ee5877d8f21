#include "measure/stopping.hpp"

#include <algorithm>

namespace roofline::measure {
namespace {

/// A disturbed point may run over its time by this factor before it must end with what it has.
constexpr double kPatience = 4;

}  // namespace

std::optional<MeasurementEnd> NarrowInterval::decide(const SamplingState& state) const {
  const std::vector<double>& times = state.counted.times_s;
  if (state.counted.spoilt || state.counted.unsettled || state.turns < min_turns_ ||
      times.size() < min_samples_)
    return std::nullopt;
  const auto interval = median_interval(times, confidence_);
  if (!interval || interval->high - interval->low > target_ * median(times)) return std::nullopt;
  return MeasurementEnd::converged;
}

TimeSpent::TimeSpent(Seconds budget, std::size_t min_samples, Seconds sample) : budget_(budget) {
  const bool long_samples = static_cast<double>(min_samples) * sample > budget;
  enough_ = long_samples ? std::min(kFewestSamples, min_samples) : min_samples;
  patience_ = kPatience * std::max(budget, static_cast<double>(enough_) * sample);
}

std::optional<MeasurementEnd> TimeSpent::decide(const SamplingState& state) const {
  const bool enough = !state.counted.spoilt && state.counted.times_s.size() >= enough_;
  if (state.spent >= patience_ || (state.spent >= budget_ && enough))
    return MeasurementEnd::budget_spent;
  return std::nullopt;
}

std::optional<MeasurementEnd> decide(const StoppingRules& rules, const SamplingState& state) {
  for (const auto& rule : rules) {
    if (const auto end = rule->decide(state)) return end;
  }
  return std::nullopt;
}

StoppingRules rules_for(const SamplingPlan& plan, Seconds sample) {
  StoppingRules out;
  out.push_back(
      std::make_unique<NarrowInterval>(plan.target, plan.confidence, plan.min_samples, plan.turns));
  out.push_back(std::make_unique<TimeSpent>(plan.budget, plan.min_samples, sample));
  return out;
}

}  // namespace roofline::measure
