#include "report/markdown.hpp"

#include "roofline/printable.hpp"

namespace roofline::report {

std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '|' || c == '<' || c == '>' || c == '`' || c == '*' || c == '_' || c == '\\' ||
        c == '[' || c == ']') {
      out += '\\';
    }
    out += c;
  }
  return out;
}

// A fence must be longer than any run of backticks inside.
std::string markdown_code(std::string_view text) {
  std::string safe;
  for (const char c : printable(text)) {
    if (c == '|') safe += '\\';  // a table's own escape, also within code
    safe += c;
  }
  if (safe.find('`') == std::string::npos) return "`" + safe + "`";
  return "`` " + safe + " ``";
}

}  // namespace roofline::report
