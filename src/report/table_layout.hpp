// Which columns the table of each kind of workload has, and what a table shows in them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/columns.hpp"

namespace roofline::report {

/// One column of a kind's table. `axis`: where it says the same of every point it moves to the line
/// above the table. `keep`: the lowest goes first where the text is too wide; 0 stays.
struct Shown {
  std::string_view key;
  bool axis = false;
  int keep = 0;
};

struct Layout {
  std::string_view kind;
  std::string_view title;
  std::vector<Shown> columns;
};

[[nodiscard]] std::span<const Layout> layouts();

/// A roof is 100 % of itself, which says nothing.
[[nodiscard]] bool is_its_own_roof(const Record& point);

/// Whether a ratio beside MFU (`clock_adjusted_mfu`, `best_measured_mfu`) says of this point what
/// MFU itself says: where that is no ratio to a rated peak, or the clock is the rated one.
[[nodiscard]] bool is_mfu_again(std::string_view key, const Record& point);

/// Above or impossibly above a roof.
[[nodiscard]] bool is_above_roof(const Record& point);

/// Signs before a row, and what they mean.
struct Mark {
  char sign;
  std::string_view meaning;
};
[[nodiscard]] std::span<const Mark> mark_meanings();
/// At most two, the weightiest first.
[[nodiscard]] std::string marks(const Record& point);

/// What a table shows of a point: labels that stand beside other columns may be shorter than the
/// JSON's words.
[[nodiscard]] Cell shown_cell(const Column& column, const Record& point);

}  // namespace roofline::report
