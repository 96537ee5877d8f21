#include <algorithm>
#include <set>

#include "report/comparison_text.hpp"
#include "report/format.hpp"
#include "report/grid.hpp"
#include "roofline/printable.hpp"

namespace roofline::report {
namespace {

Paint paint_of(ComparedAs verdict) {
  switch (verdict) {
    case ComparedAs::slower:
      return Paint::red;
    case ComparedAs::unusable:
    case ComparedAs::missing:
      return Paint::yellow;
    case ComparedAs::ambiguous:
    case ComparedAs::added:
    case ComparedAs::unverified:
      return Paint::dim;
    case ComparedAs::faster:
    case ComparedAs::same:
      break;
  }
  return Paint::none;
}

std::string figure(const std::optional<ComparedTimes>& times) {
  return times ? figure_text(*times) : "-";
}

/// A table may be cut: what comes last says least.
constexpr std::size_t kMostRows = 200;

}  // namespace

std::string render_comparison_table(const Comparison& comparison, const TableStyle& style) {
  std::string out;
  for (const Difference& difference : comparison.differences) {
    out += wrap(difference.refuses ? "not comparable: " : "note: ", printable(text_of(difference)),
                style.width);
  }
  for (const std::string& note : comparison.notes)
    out += wrap("note: ", printable(note), style.width);
  if (!out.empty()) out += '\n';
  Grid grid({{"verdict", {}, false},
             {"point", {}, false},
             {"base", {}, true},
             {"new", {}, true},
             {"time", {}, true},
             {"95 %", {}, true}});
  std::size_t rows = 0;
  std::set<std::string> said;
  for (const ComparedPoint& point : comparison.points) {
    if (rows == kMostRows) break;
    ++rows;
    Grid::Row row;
    row.paint = paint_of(point.verdict);
    row.cells = {std::string(name(point.verdict)),
                 printable(point.name),
                 figure(point.base),
                 figure(point.fresh),
                 point.ratio ? change_text(point.ratio->value) : "-",
                 point.ratio ? interval_text(*point.ratio) : "-"};
    // The same reason below each of many rows says nothing more.
    if (!point.reason.empty() && said.insert(point.reason).second)
      row.notes.push_back(printable(point.reason));
    grid.add(std::move(row));
  }
  if (rows != 0) out += grid.text(style.width, style.colour);
  if (comparison.points.size() > rows)
    out += "and " + std::to_string(comparison.points.size() - rows) + " more (--format json)\n";
  const bool cycles = std::any_of(comparison.points.begin(), comparison.points.end(),
                                  [](const auto& point) { return point.clock_ratio.has_value(); });
  if (rows != 0) out += '\n';
  out += wrap("", summary_text(comparison) + "; threshold " + format_percent(comparison.threshold),
              style.width);
  if (style.legend && rows != 0) {
    out += wrap("",
                std::string("time: of the new side over the base, longer is slower") +
                    (cycles ? "; at equal clock where the figures are a core's" : "") +
                    "; 95 %: the interval of it, with what separate runs differ by",
                style.width);
  }
  if (const std::string advice = advice_text(comparison); !advice.empty())
    out += wrap("", advice, style.width);
  return out;
}

}  // namespace roofline::report
