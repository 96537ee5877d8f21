// What stands above and below the tables of a report: device, run, roofs with their origins, and
// the totals.
#pragma once

#include <string>

#include "report/table.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

/// The device of a report of one: its name and how many threads ran on it. `points`: of the device,
/// here and below; those of the report are not looked at.
[[nodiscard]] std::string render_device(const Report& report, const Points& points,
                                        const TableStyle& style);
/// When, with what and how long it was run, and whether it came to its end.
[[nodiscard]] std::string render_run(const Report& report, const TableStyle& style);
/// A blank line and the roofs of a report of one device, by origin.
[[nodiscard]] std::string render_roofs(const Report& report, const Points& points,
                                       const TableStyle& style);
/// Whether a reader of the tables needs it: of the many peaks that a catalogue knows of a device,
/// those that a point is held against.
[[nodiscard]] bool concerns_points(const RoofEntry& entry, const Points& points);
/// How many points were measured, and how the predictions fared.
[[nodiscard]] std::string render_totals(const Report& report, const TableStyle& style);

}  // namespace roofline::report
