// How one prepared workload is timed: warm-up by time, calibrated samples, turns with other points
// between them, stopping rules, and an honest end. Knows the backend interface and nothing of
// devices, files or what a figure means.
#pragma once

#include <optional>

#include "measure/stopping.hpp"
#include "measure/timed_calls.hpp"

namespace roofline::measure {

/// One point in the making. Every call may throw what the run throws.
class Sampler {
 public:
  /// `run` must outlive it.
  Sampler(backend::PreparedRun& run, const SamplingPlan& plan)
      : calls_(run, plan.sample), plan_(plan) {}

  /// Runs until the plan's warm-up has passed and the rate has settled, at most three times as
  /// long, and calibrates the sample length. False when `stop` asked for the end before.
  [[nodiscard]] bool warm_up(const StopRequested& stop);
  /// One turn: first brings back what other points drove from caches and clocks, then samples for
  /// the plan's budget / turns, less where a rule has enough. False when `stop` asked for the end.
  [[nodiscard]] bool turn(const StopRequested& stop);
  /// Set once a rule has decided.
  [[nodiscard]] const std::optional<MeasurementEnd>& end() const { return end_; }
  /// What there is, as ended by a rule or else by `otherwise`. Nothing without kFewestSamples, as
  /// long as no rule has decided.
  [[nodiscard]] std::optional<Measured> result(MeasurementEnd otherwise) const;

 private:
  /// Whether a turn that took `taken` samples may end before its time.
  [[nodiscard]] bool quiet(const Counted& counted, std::size_t taken) const;

  TimedCalls calls_;
  SamplingPlan plan_;
  StoppingRules rules_;
  std::vector<Sample> samples_;
  Seconds spent_;
  std::size_t turns_ = 0;
  std::optional<MeasurementEnd> end_;
};

}  // namespace roofline::measure
