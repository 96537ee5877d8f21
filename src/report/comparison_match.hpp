// Which points of several reports are the same: by device and by what was asked, never by place.
// Knows no times.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/comparability.hpp"
#include "report/comparison_run.hpp"

namespace roofline::report {

/// A device of the comparison, as the first report that has it names it.
struct ComparedDevice {
  std::string id;
  Text name;
  bool unsure = false;  ///< another of that name may be meant: nothing tells them apart
};

/// A point in the runs of one side, as far as they have it.
struct MatchedSide {
  std::vector<const RunPoint*> runs;  ///< one of each
  bool contradicts = false;           ///< a run has it twice, with other figures
};

struct Match {
  std::size_t device = 0;  ///< index into Matches::devices
  MatchedSide base;
  MatchedSide fresh;
};

struct Matches {
  std::vector<ComparedDevice> devices;
  std::vector<Match> points;  ///< in the order of the base, then what only the new side has; they
                              ///< refer to the points of the runs
  std::vector<Difference> differences;
};

/// Equal devices are told apart by their uuid, else by their machine and their id: the same model
/// under another index is the same device where no other can be meant. A single device stands for
/// a single one of another model, with the difference.
[[nodiscard]] Matches match(std::span<const ComparedRun> base, std::span<const ComparedRun> fresh);

}  // namespace roofline::report
