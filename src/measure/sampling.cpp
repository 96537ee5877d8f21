#include "measure/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace roofline::measure {
namespace {

/// Fewer clean samples than this say nothing about how disturbed the point was.
constexpr std::size_t kFewestClean = 3;
/// A disturbed point may run over its time by this factor before it must end with what it has.
constexpr double kPatience = 4;
/// The rate has settled when two spans of equal length agree this well.
constexpr double kSettled = 0.02;

Seconds per_call(const Sample& sample) {
  return sample.duration / static_cast<double>(sample.iterations);
}

std::vector<double> counting_times(const std::vector<Sample>& samples, bool all) {
  std::vector<double> out;
  for (const Sample& s : samples) {
    if (all || s.clean()) out.push_back(in_second(per_call(s)));
  }
  return out;
}

std::uint64_t iterations_for(Seconds wanted, Seconds call) {
  if (in_second(call) <= 0) return 1;
  const double calls = std::ceil(wanted / call);
  return static_cast<std::uint64_t>(std::clamp(calls, 1.0, 1e9));
}

/// Runs until the plan's warm-up has passed and the rate has settled, at most three times as long.
/// Returns the last time per call.
std::optional<Seconds> warm_up(backend::PreparedRun& run, const SamplingPlan& plan,
                               const StopRequested& stop) {
  Seconds spent;
  Seconds previous;
  std::uint64_t iterations = 1;
  while (true) {
    if (stop && stop()) return std::nullopt;
    const Sample span = run.time(iterations);
    const Seconds call = per_call(span);
    spent = spent + span.duration;
    const bool long_enough = span.duration >= plan.warm_up / 4;
    const bool settled =
        long_enough && in_second(previous) > 0 && std::abs(call / previous - 1) < kSettled;
    if (spent >= plan.warm_up && (settled || spent >= 3 * plan.warm_up)) return call;
    if (long_enough) previous = call;
    // A clock that shows nothing for a span (a coarse one, or a replayed time of zero) must not end
    // in a loop.
    iterations = in_second(span.duration) > 0
                     ? std::min(iterations * 8, iterations_for(plan.warm_up / 4, call))
                     : iterations * 8;
    if (iterations > 1'000'000'000) {
      throw backend::BackendError("the timer shows no time passing for a billion calls");
    }
  }
}

bool narrow_enough(const Measured& measured, const SamplingPlan& plan) {
  const std::vector<double> times = counting_times(measured.samples, false);
  if (times.size() < plan.min_samples) return false;
  const auto interval = median_interval(times, plan.confidence);
  return interval && (interval->high - interval->low) <= plan.target * median(times);
}

}  // namespace

void summarise(Measured& measured, double confidence) {
  std::vector<double> times = counting_times(measured.samples, false);
  if (times.size() < std::min(kFewestClean, measured.samples.size())) {
    measured.end = MeasurementEnd::contended;
    times = counting_times(measured.samples, true);
  }
  measured.time_median = second(median(times));
  measured.time_interval = median_interval(times, confidence);
  measured.time_min = second(*std::min_element(times.begin(), times.end()));
  const double centre = in_second(measured.time_median);
  measured.noise = centre > 0 ? median_absolute_deviation(times) / centre : 0;
}

std::optional<Measured> sample(backend::PreparedRun& run, const SamplingPlan& plan,
                               const StopRequested& stop) {
  const auto call = warm_up(run, plan, stop);
  if (!call) return std::nullopt;
  const std::uint64_t iterations = iterations_for(plan.sample, *call);
  const Seconds one_sample = static_cast<double>(iterations) * *call;
  // Calls longer than the budget: a few clean ones are what can be had.
  const bool long_samples = static_cast<double>(plan.min_samples) * one_sample > plan.budget;
  const std::size_t enough = long_samples ? kFewestClean : plan.min_samples;
  const Seconds patience =
      kPatience * std::max(plan.budget, static_cast<double>(enough) * one_sample);
  Measured out;
  Seconds spent;
  std::size_t clean = 0;
  while (true) {
    if (stop && stop()) return std::nullopt;
    out.samples.push_back(run.time(iterations));
    spent = spent + out.samples.back().duration;
    if (out.samples.back().clean()) ++clean;
    if (narrow_enough(out, plan)) {
      out.end = MeasurementEnd::converged;
      break;
    }
    if (spent >= plan.budget && (clean >= enough || spent >= patience)) break;
  }
  summarise(out, plan.confidence);
  return out;
}

Seconds estimate(const Account& account, const SamplingPlan& plan, std::optional<Seconds> floor) {
  // Filling with random numbers and checking in double precision both run well under DRAM speed.
  constexpr Bandwidth kFill = gb_per_s(1.5);
  // Calls reach most of their roof; how much is what will be measured.
  constexpr double kOfRoof = 0.7;
  const Seconds set_up = byte(total_traffic(account).as_double()) / kFill;
  const Seconds call = floor.value_or(second(0)) / kOfRoof;
  const Seconds warm_up = std::max(2 * plan.warm_up, 2 * call);
  const Seconds sampling = std::max(plan.budget, static_cast<double>(kFewestClean) * call);
  return set_up + call + warm_up + sampling;
}

}  // namespace roofline::measure
