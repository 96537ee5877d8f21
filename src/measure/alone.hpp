// How one prepared workload is timed with nothing of another point between its samples: in a burst
// after a rest, or once rate and clock have settled under its load. Knows the backend interface and
// nothing of devices, files or what a figure means.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "measure/stopping.hpp"
#include "measure/timed_calls.hpp"

namespace roofline::measure {

/// Leaves the device idle for so long.
using Rest = std::function<void(Seconds)>;

/// One point that is measured alone. Every call may throw what the run throws.
class LoneSampler {
 public:
  /// `run` must outlive it.
  LoneSampler(backend::PreparedRun& run, const SamplingPlan& plan);

  /// Rests, loads the device for the plan's burst and samples from its first moments on; again, a
  /// bounded number of times, while what spoils the figure leaves too few samples. False when
  /// `stop` asked for the end; the same for sustained().
  [[nodiscard]] bool burst(const Rest& rest, const StopRequested& stop);
  /// Loads the device until rate and clock have settled, then samples for the plan's time. `warm`:
  /// it has settled under such a load just before.
  [[nodiscard]] bool sustained(bool warm, const StopRequested& stop);

  /// Why there can be no such figure, where calls are too long for it.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  /// Set once sampling is over.
  [[nodiscard]] const std::optional<MeasurementEnd>& end() const { return end_; }
  /// As Sampler::result().
  [[nodiscard]] std::optional<Measured> result(MeasurementEnd otherwise) const;
  /// How long it rested, was loaded, and whether it settled.
  [[nodiscard]] Facts facts() const;

 private:
  /// The time of one call, from as few as tell; nothing when stopped.
  [[nodiscard]] std::optional<Seconds> calibrate(const StopRequested& stop);
  [[nodiscard]] bool one_burst(const StopRequested& stop);
  [[nodiscard]] bool settle(Seconds call, Seconds least, const StopRequested& stop);
  void finish(const Counted& counted);

  SamplingPlan plan_;
  TimedCalls calls_;
  std::vector<Sample> samples_;
  std::string refusal_;
  std::optional<MeasurementEnd> end_;
  std::size_t bursts_ = 0;
  Seconds settling_;
  std::optional<bool> settled_;  ///< nothing of a burst
};

}  // namespace roofline::measure
