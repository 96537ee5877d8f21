// A report as the table that a person wants: grouped by kind, only what varies, what is doubtful
// said in words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "roofline/record.hpp"

namespace roofline::report {

/// Some points of a report, which outlives them.
using Points = std::vector<const Record*>;

struct TableStyle {
  std::size_t width =
      100;  ///< columns of text; the least important columns go first where it is too narrow
  bool colour = false;  ///< ANSI colours
  bool legend = true;   ///< the lines that say how to read it
};

[[nodiscard]] std::string render_table(const Report& report, const TableStyle& style = {});

}  // namespace roofline::report
