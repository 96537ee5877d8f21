// How one prepared workload is timed: warm-up by time, calibrated samples, a stopping rule, and an
// honest end. Knows the backend interface and nothing of devices, files or what a figure means.
#pragma once

#include <functional>
#include <optional>

#include "backend/backend.hpp"

namespace roofline::measure {

struct SamplingPlan {
  Seconds warm_up = second(0.1);   ///< at least so long, and until the rate has settled
  Seconds sample = second(0.015);  ///< a sample lasts at least so long: shorter ones scatter
  Seconds budget = second(0.6);    ///< sampling time of one point, warm-up apart
  std::size_t min_samples = 9;     ///< clean ones, unless the calls are too long for the budget
  double confidence = 0.95;
  double target =
      0.01;  ///< stop early once the interval of the median is narrower than this, relative
};

/// True once the run should end as soon as it can.
using StopRequested = std::function<bool()>;

/// Warms up, calibrates and samples. Nothing when `stop` asked for the end before enough was seen.
/// Throws what the run throws.
[[nodiscard]] std::optional<Measured> sample(backend::PreparedRun& run, const SamplingPlan& plan,
                                             const StopRequested& stop);

/// Median, interval, minimum and noise of the samples that count.
void summarise(Measured& measured, double confidence);

/// How long a point is expected to take in all: set-up at a cautious fill rate, verification,
/// warm-up and sampling. `floor` is the least time of one call, where the roofs are known.
[[nodiscard]] Seconds estimate(const Account& account, const SamplingPlan& plan,
                               std::optional<Seconds> floor = {});

}  // namespace roofline::measure
