// The fixed parts of the HTML page: its style and its script.
#pragma once

#include <string>
#include <string_view>

#include "chart/svg.hpp"

namespace roofline::chart {

[[nodiscard]] std::string page_style(Theme theme);
/// Sorts the table by a click on a heading, shows all columns or the usual ones, narrows to what is
/// typed, and joins markers and rows.
[[nodiscard]] std::string_view page_script();

}  // namespace roofline::chart
