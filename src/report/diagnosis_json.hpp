// Both rooflines, hypotheses and findings as JSON, and back. What they mean is the core's business.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "report/json_node.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

/// Adds hardware_* , empirical_*, platform_opportunity and kernel_opportunity, a reason beside what
/// is null.
void add_rooflines(nlohmann::ordered_json& out, const Rooflines& rooflines);
[[nodiscard]] Rooflines read_rooflines(const Node& point);

[[nodiscard]] nlohmann::ordered_json hypotheses_json(const std::vector<Hypothesis>& hypotheses);
[[nodiscard]] nlohmann::ordered_json findings_json(const std::vector<Finding>& findings);
/// Nothing where the key is missing, as in reports from before there was a diagnosis.
[[nodiscard]] std::vector<Hypothesis> read_hypotheses(const Node& point);
[[nodiscard]] std::vector<Finding> read_findings(const Node& report);

}  // namespace roofline::report
