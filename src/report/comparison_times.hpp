// The times of one point in the runs of one side, as far as they may be compared. Knows nothing of
// the other side.
#pragma once

#include <optional>
#include <vector>

#include "report/comparison_point.hpp"
#include "roofline/comparison.hpp"

namespace roofline::report {

/// Of a side's usable runs.
struct Times {
  std::vector<const RunPoint*> runs;
  std::vector<RunLevels> seconds;
  std::vector<RunLevels> cycles;  ///< as many as runs where every sample has a clock, else none
  std::optional<double> clock;    ///< median, in Hz
  double median_s = 0;            ///< of a call of the first run, over the runs
  std::size_t repetitions = 0;    ///< that have samples enough
};

/// `usable`: measured points that are the same; none give no times.
[[nodiscard]] Times times_of(const std::vector<const RunPoint*>& usable);

}  // namespace roofline::report
