// What stands above and below the tables of a report: device, run, roofs with their origins, and
// the totals.
#pragma once

#include <string>

#include "report/table.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

[[nodiscard]] std::string render_header(const Report& report, const TableStyle& style);
/// How many points were measured, and how the predictions fared.
[[nodiscard]] std::string render_totals(const Report& report, const TableStyle& style);

}  // namespace roofline::report
