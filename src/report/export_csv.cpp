// Every column of every point, for spreadsheets and scripts.
#include <array>
#include <charconv>
#include <cmath>

#include "report/export.hpp"
#include "report/record_lines.hpp"

namespace roofline::report {
namespace {

void append_csv_text(std::string& to, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    to += text;
    return;
  }
  to += '"';
  for (const char c : text) {
    if (c == '"') to += '"';
    to += c;
  }
  to += '"';
}

struct CellAppended {
  std::string& to;

  void operator()(std::monostate) const {}
  void operator()(bool value) const { to += value ? "true" : "false"; }
  void operator()(std::uint64_t value) const { number(value); }
  void operator()(double value) const {
    if (std::isfinite(value)) number(value);
  }
  void operator()(const std::string& value) const { append_csv_text(to, value); }

 private:
  template <class Number>
  void number(Number value) const {
    std::array<char, 32> buffer{};
    to.append(buffer.data(),
              std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr);
  }
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
  const auto add = [&](std::string_view text) { out.text += text; };
  write_records(report.points, add, [&](const Record& record, std::string& to) {
    for (const Column* const column : chosen) {
      if (column != chosen.front()) to += ',';
      std::visit(CellAppended{to}, column->get(record));
    }
    to += '\n';
  });
  return out;
}

}  // namespace roofline::report
