#include "report/column_table.hpp"

#include <algorithm>

#include "report/format.hpp"
#include "report/grid.hpp"
#include "report/in_order.hpp"
#include "report/markdown.hpp"
#include "report/record_lines.hpp"
#include "report/table_layout.hpp"
#include "roofline/printable.hpp"

namespace roofline::report {
namespace {

bool says_nothing(const Record& record, std::string_view key) {
  const bool no_work = record.account.work && record.account.work->value() == 0;
  if (key == "mfu") return no_work || is_its_own_roof(record);
  if (key == "of_ceiling") return is_its_own_roof(record);
  return no_work && (key == "intensity_flop_per_byte" || key == "ceiling_flop_per_s" ||
                     key == "achieved_flop_per_s");
}

}  // namespace

std::string render_columns(const Report& report, const std::vector<const Column*>& columns) {
  std::vector<Grid::Column> headings;
  for (const Column* const column : columns)
    headings.push_back({std::string(column->heading), "", has_numbers(column->unit)});
  Grid grid(std::move(headings));
  std::vector<Grid::Row> rows(report.points.size());
  on_all_cores(rows.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i != end; ++i) {
      rows[i].cells.reserve(columns.size());
      for (const Column* const column : columns)
        rows[i].cells.push_back(printable(format(column->get(report.points[i]), column->unit)));
    }
  });
  for (Grid::Row& row : rows) grid.add(std::move(row));
  return grid.text(grid.width(), false);
}

std::string markdown_cell(const Record& record, const Column& column) {
  if (says_nothing(record, column.key)) return "-";
  if (column.key != "verdict") {
    const std::string text = format(column.get(record), column.unit);
    return column.key == "id" ? markdown_code(text) : markdown_text(text);
  }
  if (record.defines_roof) return "is a roof";
  std::string out = format(column.get(record), column.unit);
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

std::string render_markdown(const Report& report, const std::vector<const Column*>& columns) {
  std::string names = "|";
  std::string rules = "|";
  for (const Column* const column : columns) {
    names += " " + markdown_text(column->heading) + " |";
    rules += has_numbers(column->unit) ? "--:|" : "---|";
  }
  std::string out = names + "\n" + rules + "\n";
  const auto add = [&](std::string_view text) { out += text; };
  write_records(report.points, add, [&](const Record& record, std::string& to) {
    to += '|';
    for (const Column* const column : columns) {
      to += ' ';
      to += markdown_cell(record, *column);
      to += " |";
    }
    to += '\n';
  });
  return out;
}

std::vector<const Column*> usual_columns(const Report& report) {
  std::vector<const Column*> out;
  const auto put = [&](std::string_view key) { out.push_back(find_column(key)); };
  if (of_several_devices(report)) put("device.id");
  for (const char* key :
       {"id", "intensity_flop_per_byte", "bound", "achieved_flop_per_s", "achieved_byte_per_s",
        "ceiling_flop_per_s", "of_ceiling", "mfu", "verdict", "outcome"}) {
    put(key);
  }
  return out;
}

}  // namespace roofline::report
