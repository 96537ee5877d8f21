// Which points of several reports are the same: by device and by what was asked, never by place.
// Knows no times.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/comparability.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

/// A device of the comparison, as the first report that has it names it.
struct ComparedDevice {
  std::string id;
  std::string name;
};

/// A record and the report that it is of.
struct Found {
  const Record* record = nullptr;
  const Report* report = nullptr;
};

struct Match {
  std::size_t device = 0;  ///< index into Matches::devices
  std::vector<Found> base;
  std::vector<Found> fresh;
};

struct Matches {
  std::vector<ComparedDevice> devices;
  std::vector<Match> points;  ///< in the order of the base, then what only the new side has
  std::vector<Difference> differences;
};

/// Equal devices are told apart by their id, else by their order: the same model under another
/// index is the same device. A single device stands for a single one of another model, with the
/// difference.
[[nodiscard]] Matches match(std::span<const Report> base, std::span<const Report> fresh);

}  // namespace roofline::report
