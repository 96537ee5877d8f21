// Every column of every point, for spreadsheets and scripts.
#include <array>
#include <charconv>
#include <cmath>

#include "report/export.hpp"

namespace roofline::report {
namespace {

std::string csv_quoted(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

struct Written {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::uint64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const {
    if (!std::isfinite(value)) return {};
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    return {buffer.data(), end};
  }
  std::string operator()(const std::string& value) const { return csv_quoted(value); }
};

}  // namespace

Exported to_csv(const Report& report, const ExportOptions& options) {
  Exported out;
  std::vector<const Column*> chosen = options.columns;
  if (chosen.empty()) {
    for (const Column& column : columns()) chosen.push_back(&column);
  }
  for (const Column* const column : chosen) {
    out.text += (out.text.empty() ? "" : ",") + std::string(column->key);
  }
  out.text += "\n";
  for (const Record& record : report.points) {
    bool first = true;
    for (const Column* const column : chosen) {
      if (!first) out.text += ',';
      first = false;
      out.text += std::visit(Written{}, column->get(record));
    }
    out.text += "\n";
  }
  return out;
}

}  // namespace roofline::report
