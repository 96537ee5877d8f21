// A figure as one HTML file that needs nothing else: the picture, tooltips, a sortable table of the
// points from the one column table, and the reports themselves as JSON.
#pragma once

#include <span>
#include <string>

#include "chart/figure.hpp"
#include "chart/svg.hpp"

namespace roofline::chart {

/// `reports` are those that the figure was built from.
[[nodiscard]] std::string to_html(const Figure& figure, std::span<const Report> reports,
                                  Theme theme);

}  // namespace roofline::chart
