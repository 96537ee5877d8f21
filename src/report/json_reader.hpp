// JSON text of schema version 1 back into a Report. What is written again is the same text. Strict
// about the values that it knows, silent about keys that it does not know.
#pragma once

#include <string_view>

#include "roofline/record.hpp"

namespace roofline::report {

/// `name` is what errors call the text: its path. Throws InputError with one sentence that names it
/// and the JSON pointer (or the line) of the fault: malformed, truncated, NaN or Infinity, a wrong
/// type, a missing key, a schema version from the future.
[[nodiscard]] Report read_report(std::string_view text, std::string_view name);

/// One point of a report, as point_json() writes it.
[[nodiscard]] Record read_record(std::string_view text, std::string_view name);

}  // namespace roofline::report
