// Records as JSON, schema version 1 (configs/schema/report-v1.json): base SI units with the unit in
// the key, keys in fixed order, unknown is null. A measured point uses the very keys of an
// explanation, plus its measurement. Pure functions; where the text goes is not known here.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/record_lines.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

/// The texts below as trees. They hold no NaN or infinity: such a value is null.
[[nodiscard]] nlohmann::ordered_json explanation_json(const Explanation& explanation);
[[nodiscard]] nlohmann::ordered_json point_json(const Record& record);
[[nodiscard]] nlohmann::ordered_json report_json(const Report& report);
/// An object by key; what is unknown is null, with its reason under `unknown`.
[[nodiscard]] nlohmann::ordered_json facts_json(const Facts& facts);
[[nodiscard]] nlohmann::ordered_json roofs_json(const std::vector<RoofEntry>& roofs);

/// UTF-8 in which invalid bytes became U+FFFD, indented by 2, short objects on one line, with a
/// final newline. The same in every locale.
[[nodiscard]] std::string to_text(const nlohmann::ordered_json& value);
/// The same on one line without a newline at its end, as a journal wants it.
[[nodiscard]] std::string to_line(const nlohmann::ordered_json& value);

[[nodiscard]] std::string to_json(const Report& report);
/// The same piece by piece: a large report is never there as a whole.
void write_json(const Report& report, const TextSink& out);
/// A point, and a report, on one line without a newline at its end.
[[nodiscard]] std::string point_line(const Record& record);
[[nodiscard]] std::string report_line(const Report& report);
/// Any Record is an Explanation.
[[nodiscard]] std::string explain_json(const Explanation& explanation);

/// JSON pointers of the values of a report that are NaN or infinite and so would be written as
/// null. One that is not empty is a programming error in whatever made the report; tests of it
/// check.
[[nodiscard]] std::vector<std::string> non_finite_values(const Report& report);

}  // namespace roofline::report
