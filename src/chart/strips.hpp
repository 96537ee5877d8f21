// The rows below a roofline: points without arithmetic, by their bandwidth or their time.
#pragma once

#include <optional>
#include <vector>

#include "chart/charts.hpp"
#include "chart/look.hpp"
#include "chart/view.hpp"

namespace roofline::chart {

/// Whether the point belongs into a strip: it does no arithmetic.
[[nodiscard]] bool in_strip(const Record& record);

/// Where it lies in its strip; nothing where it lies nowhere.
[[nodiscard]] std::optional<double> strip_value(const Record& record, const ChartOptions& options);

/// For every view its strips; those of one kind have the same axis.
[[nodiscard]] std::vector<std::vector<Strip>> strips_of(std::span<const View> views,
                                                        const TypeHues& hues,
                                                        const ShortNames& names,
                                                        const ChartOptions& options);

}  // namespace roofline::chart
