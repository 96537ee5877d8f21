// The times of one point in the runs of one side, as far as they may be compared. Knows nothing of
// the other side.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/comparison_match.hpp"
#include "roofline/comparison.hpp"

namespace roofline::report {

/// Why nothing may be held against this figure; nothing for one that may.
[[nodiscard]] std::optional<std::string> why_unusable(const Found& found);

/// The samples of a side's usable runs.
struct Times {
  std::vector<const Record*> records;
  std::vector<RunLevels> seconds;
  std::vector<RunLevels> cycles;  ///< as many as runs where every sample has a clock, else none
  std::optional<double> clock;    ///< median, in Hz
  double median_s = 0;            ///< of a call of the first run, over the runs
  std::size_t repetitions = 0;    ///< that have samples enough
};

/// `usable`: measured records of one point; none give no times.
[[nodiscard]] Times times_of(const std::vector<Found>& usable);

}  // namespace roofline::report
