// Text in a cell of a GitHub-flavoured table, whatever is in it.
#pragma once

#include <string>
#include <string_view>

namespace roofline::report {

/// Markup stays text.
[[nodiscard]] std::string markdown_text(std::string_view text);
/// As code.
[[nodiscard]] std::string markdown_code(std::string_view text);

}  // namespace roofline::report
