// An explanation for a person, in four steps: intensity, ridge, bound, lever; then what was
// observed, if anything.
#pragma once

#include <string>

#include "report/table.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

/// Every ratio with numerator, denominator and the origin of both. Any Record is an Explanation.
[[nodiscard]] std::string render_explanation(const Explanation& explanation,
                                             const TableStyle& style = {});

}  // namespace roofline::report
