// What a table says of diagnosis: both rooflines above it, the likeliest hypothesis under a point,
// the findings below.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/table.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

/// The ridges of the hardware and of the empirical roofline, by type; empty where no bandwidth was
/// sustained.
[[nodiscard]] std::string render_rooflines(const Report& report, const Points& points,
                                           const TableStyle& style);

/// The first hypothesis of a point below its roof: id, evidence, counter and remedy; of one whose
/// low MFU is no fault, once. Empty for any other. `said` holds what rows above have spelt out.
[[nodiscard]] std::string hypothesis_note(const Record& point, std::set<std::string>& said);

[[nodiscard]] std::string render_findings(const Report& report, const TableStyle& style);

}  // namespace roofline::report
