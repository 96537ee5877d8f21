// The time model of a report, as JSON and as lines under its tables.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/json_node.hpp"
#include "report/table.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

[[nodiscard]] nlohmann::ordered_json time_model_json(const std::vector<TimeFit>& fits);
[[nodiscard]] std::vector<TimeFit> read_time_model(const Node& report);
/// Empty without fits.
[[nodiscard]] std::string render_time_model(const Report& report, const TableStyle& style);

}  // namespace roofline::report
