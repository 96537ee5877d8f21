// Text on its way into XML and HTML. Whatever a name holds, what comes out is well-formed.
#pragma once

#include <string>
#include <string_view>

namespace roofline::report {

/// For text and attributes: `<`, `>`, `&` and quotes escaped, bytes that are no UTF-8 and
/// characters that XML forbids as U+FFFD, control characters as spaces; a line break stays one, as
/// `&#10;`.
[[nodiscard]] std::string escaped(std::string_view text);

/// JSON for a script element: the same value, without any character that could end the element.
[[nodiscard]] std::string script_json(std::string_view json);

}  // namespace roofline::report
