#include "chart/html.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "chart/html_page.hpp"
#include "chart/svg_pen.hpp"
#include "report/column_table.hpp"
#include "report/columns.hpp"
#include "report/format.hpp"
#include "report/json_writer.hpp"
#include "report/markup.hpp"

namespace roofline::chart {
namespace {

using report::Cell;
using report::Column;

/// A browser takes seconds for a longer table.
constexpr std::size_t kMostRows = 10000;

/// Columns that any point knows, in the order of the column table.
std::vector<const Column*> known_columns(std::span<const Report> reports) {
  std::vector<const Column*> out;
  for (const Column& column : report::columns()) {
    const bool known = std::any_of(reports.begin(), reports.end(), [&](const Report& one) {
      return std::any_of(one.points.begin(), one.points.end(), [&](const Record& record) {
        return !std::holds_alternative<std::monostate>(column.get(record));
      });
    });
    if (known) out.push_back(&column);
  }
  return out;
}

std::set<const Column*> usual(std::span<const Report> reports) {
  std::set<const Column*> out;
  for (const Report& one : reports) {
    for (const Column* column : report::usual_columns(one)) out.insert(column);
  }
  if (reports.size() > 1) out.insert(report::find_column("device.id"));
  return out;
}

std::string class_of(const Column& column, const std::set<const Column*>& shown) {
  std::string out = report::has_numbers(column.unit) ? "n" : "";
  if (shown.count(&column) == 0) out += out.empty() ? "x" : " x";
  return out.empty() ? "" : " class=\"" + out + "\"";
}

std::string cell_html(const Cell& cell, const Column& column, const std::string& classes) {
  std::string out = "<td" + classes;
  if (const auto number = report::number_of(cell)) {
    out += " data-v=\"" + exact(*number) + "\"";
    return out + ">" + report::escaped(report::format(cell, column.unit)) + "</td>";
  }
  const bool unknown = std::holds_alternative<std::monostate>(cell);
  return out + ">" + (unknown ? "" : report::escaped(report::format(cell, column.unit))) + "</td>";
}

std::string table_html(std::span<const Report> reports) {
  const std::vector<const Column*> columns = known_columns(reports);
  const std::set<const Column*> shown = usual(reports);
  std::vector<std::string> classes;
  std::string out = "<table>\n<thead><tr>";
  for (const Column* column : columns) {
    classes.push_back(class_of(*column, shown));
    out += "<th" + classes.back() + " title=\"" + report::escaped(column->description) +
           "\"><button type=\"button\">" + report::escaped(column->heading) + "</button></th>";
  }
  out += "</tr></thead>\n<tbody>\n";
  std::size_t rows = 0;
  for (const Report& one : reports) {
    for (const Record& record : one.points) {
      if (++rows > kMostRows) continue;
      out += "<tr data-id=\"" + report::escaped(record.id) + "\">";
      for (std::size_t i = 0; i < columns.size(); ++i)
        out += cell_html(columns[i]->get(record), *columns[i], classes[i]);
      out += "</tr>\n";
    }
  }
  out += "</tbody>\n</table>\n";
  if (rows > kMostRows) {
    out += "<p>" + std::to_string(rows - kMostRows) +
           " more points are in the JSON of this page, and in roofline export --to csv.</p>\n";
  }
  return out;
}

}  // namespace

std::string to_html(const Figure& figure, std::span<const Report> reports, Theme theme) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<title>roofline: " +
      report::escaped(figure.title) + "</title>\n<style>\n" + page_style(theme) +
      "</style>\n</head>\n<body>\n";
  out += to_svg(figure, {.theme = theme, .standalone = false});
  out +=
      "<div class=\"bar\"><input id=\"find\" type=\"search\" placeholder=\"find points\" "
      "aria-label=\"find points\">"
      "<label><input id=\"all\" type=\"checkbox\"> all columns</label></div>\n"
      "<div class=\"wrap\">\n";
  out += table_html(reports);
  out += "</div>\n<div id=\"tip\" role=\"tooltip\"></div>\n";
  for (std::size_t i = 0; i < reports.size(); ++i) {
    out += "<script type=\"application/json\" id=\"report-" + std::to_string(i) + "\">" +
           report::script_json(report::to_line(report::report_json(reports[i]))) + "</script>\n";
  }
  out += "<script>";
  out += page_script();
  return out + "</script>\n</body>\n</html>\n";
}

}  // namespace roofline::chart
