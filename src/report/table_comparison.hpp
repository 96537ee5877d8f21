// The same points of several devices side by side. What a difference means is the diagnosis's
// business.
#pragma once

#include <string>

#include "report/table.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

/// One row for every point that several devices of one name measured, one column for each of them:
/// its rate in per cent of their median. Empty where no two devices have a name in common, or where
/// they are too many for the width.
[[nodiscard]] std::string render_comparison(const Report& report, const TableStyle& style);

}  // namespace roofline::report
