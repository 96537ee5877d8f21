#include "measure/sampling_plan.hpp"

#include <algorithm>

#include "roofline/sample_summary.hpp"

namespace roofline::measure {

Seconds estimate(const Account& account, const SamplingPlan& plan, std::optional<Seconds> floor,
                 LoadState state) {
  // Filling with random numbers and checking in double precision both run well under DRAM speed.
  constexpr Bandwidth kFill = gb_per_s(1.5);
  // Calls reach most of their roof; how much is what will be measured.
  constexpr double kOfRoof = 0.7;
  const Seconds set_up = byte(total_traffic(account).as_double()) / kFill;
  const Seconds call = floor.value_or(second(0)) / kOfRoof;
  const Seconds fewest = static_cast<double>(kFewestSamples) * call;
  const LoadPlan& load = plan.load;
  switch (state.duration) {
    case LoadDuration::turns:
      break;
    case LoadDuration::burst:
      return set_up + call + std::max(2 * plan.sample, call) + load.rest + load.burst;
    case LoadDuration::sustained:
      // The last span may end beyond the least time.
      return set_up + call + std::max(least_settling(load, state.warm) + load.span / 2, 2 * call) +
             std::max(load.sustained, fewest);
  }
  const Seconds warm_up = std::max(2 * plan.warm_up, 2 * call);
  return set_up + call + warm_up + std::max(plan.budget, fewest);
}

Seconds least_settling(const LoadPlan& plan, bool warm) {
  return warm ? std::min(plan.settle, 2 * plan.span) : plan.settle;
}

SamplingPlan fit_into(const SamplingPlan& plan, Seconds expected, Seconds budget) {
  if (expected <= budget || in_second(expected) <= 0) return plan;
  // A rate that doesn't settle is warmed up for longer than expected, and turns overshoot.
  constexpr double kReserve = 0.8;
  const double share = std::clamp(kReserve * (budget / expected), 0.1, 1.0);
  SamplingPlan out = plan;
  out.warm_up = std::max(share * plan.warm_up, std::min(plan.warm_up, plan.sample));
  out.budget = std::max(share * plan.budget, std::min(plan.budget, plan.sample));
  return out;
}

}  // namespace roofline::measure
