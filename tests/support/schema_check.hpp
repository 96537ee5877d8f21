// Whether a text is valid by the report's JSON Schema (configs/schema/report-v1.json), so that
// every test that makes a report can ask.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace roofline::test {

/// False when the build found no validator (valijson): the functions below then find no fault, and
/// a test that is about the schema should skip itself with the reason.
[[nodiscard]] bool schema_check_available();
inline constexpr const char* kNoSchemaCheck =
    "valijson was not found when this was configured (libvalijson-dev): nothing validates the "
    "report";

/// One line for each fault; empty for a valid report. Text that is no JSON is one fault.
[[nodiscard]] std::vector<std::string> schema_errors(std::string_view report);
/// The same for what `explain --json` prints, whose keys are those of a point without its
/// measurement.
[[nodiscard]] std::vector<std::string> explanation_schema_errors(std::string_view explanation);
/// The same for what `compare --format json` prints.
[[nodiscard]] std::vector<std::string> comparison_schema_errors(std::string_view comparison);

}  // namespace roofline::test
