// Both rooflines, hypotheses and findings as JSON, and back. What they mean is the core's business.
#pragma once

#include <vector>

#include "report/json_node.hpp"
#include "report/json_out.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

/// Puts hardware_* , empirical_*, platform_opportunity and kernel_opportunity, a reason beside what
/// is null.
void put_rooflines(JsonOut& out, const Rooflines& in);
[[nodiscard]] Rooflines read_rooflines(const Node& point);

void put_hypotheses(JsonOut& out, const std::vector<Hypothesis>& hypotheses);
void put_findings(JsonOut& out, const std::vector<Finding>& findings);
/// Nothing where the key is missing, as in reports from before there was a diagnosis.
[[nodiscard]] std::vector<Hypothesis> read_hypotheses(const Node& point);
[[nodiscard]] std::vector<Finding> read_findings(const Node& report);

}  // namespace roofline::report
