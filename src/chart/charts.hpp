// The kinds of charts: each a pure function from reports to a figure, and one row of chart_kinds().
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chart/figure.hpp"
#include "roofline/record.hpp"

namespace roofline::chart {

struct ChartOptions {
  /// Points that never ran are drawn where arithmetic puts them.
  bool attainable = false;
  /// What a sweep is drawn over (sweep_axes()); empty for the one with most points.
  std::string axis = {};
  /// Where each report is from, to tell apart those of one device; may be empty.
  std::vector<std::string> files = {};
};

struct ChartKind {
  std::string_view name;  ///< `roofline`
  std::string_view description;
  Figure (*build)(std::span<const Report> reports, const ChartOptions& options);
};

[[nodiscard]] std::span<const ChartKind> chart_kinds();
/// Nothing where there is none of that name.
[[nodiscard]] const ChartKind* find_chart_kind(std::string_view name);

/// Points under their roofs, a panel a device. All panels have the same axes. The figure's pointers
/// are into `reports`, here and below.
[[nodiscard]] Figure roofline_chart(std::span<const Report> reports, const ChartOptions& options);
/// Bandwidth of streams against their working set, with the caches that it passes.
[[nodiscard]] Figure bandwidth_chart(std::span<const Report> reports, const ChartOptions& options);
/// What was reached against one swept size, with the ceiling at each.
[[nodiscard]] Figure sweep_chart(std::span<const Report> reports, const ChartOptions& options);
/// A roofline of the projections alone, joined in the order of their rows.
[[nodiscard]] Figure decode_chart(std::span<const Report> reports, const ChartOptions& options);
/// What each point reached of its hardware ceiling, and whom the rest belongs to.
[[nodiscard]] Figure gap_chart(std::span<const Report> reports, const ChartOptions& options);

}  // namespace roofline::chart
