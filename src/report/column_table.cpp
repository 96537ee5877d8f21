#include "report/column_table.hpp"

#include "report/format.hpp"
#include "report/grid.hpp"
#include "report/in_order.hpp"
#include "report/markdown.hpp"
#include "report/record_lines.hpp"
#include "roofline/printable.hpp"

namespace roofline::report {
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
      const std::string text = format(column->get(record), column->unit);
      to += ' ';
      to += column->key == "id" ? markdown_code(text) : markdown_text(text);
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
