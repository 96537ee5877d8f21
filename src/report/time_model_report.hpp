// The time model of a report, as JSON and as lines under its tables.
#pragma once

#include <string>
#include <vector>

#include "report/json_node.hpp"
#include "report/json_out.hpp"
#include "report/table.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

void put_time_model(JsonOut& out, const std::vector<TimeFit>& fits);
[[nodiscard]] std::vector<TimeFit> read_time_model(const Node& report);
/// Empty without fits.
[[nodiscard]] std::string render_time_model(const Report& report, const Points& points,
                                            const TableStyle& style);

}  // namespace roofline::report
