#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/columns.hpp"
#include "report/format.hpp"
#include "report/grid.hpp"
#include "report/prefixes.hpp"
#include "report/table_comparison.hpp"
#include "report/table_diagnosis.hpp"
#include "report/table_header.hpp"
#include "report/table_layout.hpp"
#include "report/time_model_report.hpp"
#include "report/unknown.hpp"
#include "roofline/printable.hpp"

namespace roofline::report {
namespace {

using Points = std::vector<const Record*>;

/// Headings of shares that say their unit in their words, or have it from the column before them.
std::optional<std::pair<std::string, std::string>> two_lines(std::string_view key) {
  if (key == "of_ceiling") return {{"% of", "ceiling"}};
  if (key == "clock_adjusted_mfu") return {{"MFU at", "clock"}};
  if (key == "best_measured_mfu") return {{"MFU of", "best"}};
  return std::nullopt;
}

bool is_measured(const Record& point) { return std::holds_alternative<Measured>(point.outcome); }

/// A kind's points with the columns that are left after constant and empty ones went.
class KindTable {
 public:
  KindTable(const Layout& layout, Points points) : layout_(layout), points_(std::move(points)) {
    for (const Shown& shown : layout.columns) choose(shown);
  }

  [[nodiscard]] std::string text(const TableStyle& style) {
    std::vector<std::string> dropped;
    Grid grid = make_grid();
    while (grid.width() > style.width && drop_one(dropped)) grid = make_grid();
    std::string out = painted(title(style.width), Paint::bold, style.colour);
    out += grid.text(style.width, style.colour);
    for (const std::string& reason : missing_roofs())
      out += wrap("  no ceiling: ", reason, style.width);
    if (!dropped.empty()) {
      out += wrap("  ", fmt::format("not shown at this width: {}", fmt::join(dropped, ", ")),
                  style.width);
    }
    return out;
  }

 private:
  struct Chosen {
    const Column* column;
    Shown shown;
  };

  void choose(const Shown& shown) {
    const Column* column = find_column(shown.key);
    const Cell first = shown_cell(*column, *points_.front());
    const bool constant = std::all_of(points_.begin(), points_.end(), [&](const Record* point) {
      return shown_cell(*column, *point) == first;
    });
    if (std::none_of(points_.begin(), points_.end(),
                     [&](const Record* point) { return says_something(shown, *column, *point); })) {
      return;
    }
    if (constant && shown.axis && points_.size() > 1) {
      constants_.push_back(
          unbroken(fmt::format("{} {}", column->heading, printable(format(first, column->unit)))));
    } else {
      chosen_.push_back({column, shown});
    }
  }

  static bool says_something(const Shown& shown, const Column& column, const Record& point) {
    if (shown.key == "traffic_byte.moved") return point.account.write_allocate.value() != 0;
    const bool is_roof = shown.key == "peak_flop_per_s" || shown.key == "bandwidth_byte_per_s";
    if (is_roof && is_its_own_roof(point)) return false;
    if (is_mfu_again(shown.key, point)) return false;
    return !std::holds_alternative<std::monostate>(shown_cell(column, point));
  }

  [[nodiscard]] std::string title(std::size_t width) const {
    std::string rest;
    for (const std::string& constant : constants_) rest += (rest.empty() ? "" : ",  ") + constant;
    return wrap(std::string(layout_.title) + (rest.empty() ? "" : "   "), rest, width);
  }

  bool drop_one(std::vector<std::string>& dropped) {
    auto weakest = chosen_.end();
    for (auto it = chosen_.begin(); it != chosen_.end(); ++it) {
      if (it->shown.keep == 0) continue;
      if (weakest == chosen_.end() || it->shown.keep < weakest->shown.keep) weakest = it;
    }
    if (weakest == chosen_.end()) return false;
    if (weakest->column->key != "noise") dropped.emplace_back(weakest->column->heading);
    chosen_.erase(weakest);
    return true;
  }

  [[nodiscard]] Grid make_grid() const {
    Prefixes prefixes;
    for (const Chosen& chosen : chosen_) {
      for (const Record* point : points_)
        prefixes.see(shown_cell(*chosen.column, *point), chosen.column->unit);
    }
    std::vector<Grid::Column> columns;
    for (const Chosen& chosen : chosen_) {
      const Unit unit = chosen.column->unit;
      const bool right = unit != Unit::text && unit != Unit::flag;
      if (const auto heading = two_lines(chosen.column->key)) {
        columns.push_back({heading->first, heading->second, right});
      } else {
        columns.push_back({std::string(chosen.column->heading), prefixes.heading(unit), right});
      }
    }
    Grid grid(std::move(columns));
    std::set<std::string> said;
    for (const Record* point : points_) grid.add(make_row(*point, prefixes, said));
    return grid;
  }

  [[nodiscard]] Grid::Row make_row(const Record& point, const Prefixes& prefixes,
                                   std::set<std::string>& said) const {
    Grid::Row row;
    for (const Chosen& chosen : chosen_) {
      const bool label = chosen.column->key == "shape" || chosen.column->key == "dtype";
      if (!is_measured(point) && !label) break;
      row.cells.push_back(prefixes.text(shown_cell(*chosen.column, point), chosen.column->unit));
    }
    if (!is_measured(point)) {
      row.rest =
          printable(fmt::format("{}: {}", outcome_name(point.outcome), reason(point.outcome)));
      row.paint = std::holds_alternative<Skipped>(point.outcome) ? Paint::dim : Paint::red;
      return row;
    }
    row.mark = marks(point);
    row.notes = notes_of(point, said);
    if (is_above_roof(point)) row.paint = point.assessment->impossible ? Paint::red : Paint::yellow;
    return row;
  }

  [[nodiscard]] std::set<std::string> missing_roofs() const {
    std::set<std::string> out;
    for (const Record* point : points_) {
      if (!is_measured(*point) || point->placement.ceiling || point->defines_roof) continue;
      const Roofs& roofs = point->roofs;
      // Only a roof that could bind is missed: a read computes nothing, an empty call neither.
      const bool computes = !point->account.work || point->account.work->value() != 0;
      const bool moves = !point->account.traffic.empty() || point->account.stated_intensity;
      if (computes && !roofs.compute && !roofs.compute_reason.empty())
        out.insert(printable(roofs.compute_reason));
      if (moves && !roofs.memory && !roofs.memory_reason.empty())
        out.insert(printable(roofs.memory_reason));
    }
    return out;
  }

  /// `said` holds the causes that a row above has spelt out.
  static std::vector<std::string> notes_of(const Record& point, std::set<std::string>& said) {
    std::vector<std::string> out;
    if (is_above_roof(point)) {
      const Assessment& found = *point.assessment;
      std::string note = found.impossible ? "impossible" : "above its roof";
      if (found.of_ceiling)
        note += fmt::format(" at {} of the ceiling", format_percent(*found.of_ceiling));
      if (!found.causes.empty()) {
        const Cause& likeliest = found.causes.front();
        const std::string key = (found.impossible ? "impossible " : "above ") + likeliest.id;
        note += said.insert(key).second ? ": " + likeliest.text : ", as above";
      }
      out.push_back(printable(note));
    }
    if (point.observed.agreement == Agreement::refuted && point.prediction.side &&
        point.observed.side) {
      out.push_back(fmt::format("predicted {}-bound, but the time is nearer to the {} term",
                                name(*point.prediction.side), name(*point.observed.side)));
    }
    if (std::string note = hypothesis_note(point, said); !note.empty())
      out.push_back(std::move(note));
    const auto& measured = std::get<Measured>(point.outcome);
    if (measured.verification.state != VerificationState::verified) {
      out.push_back(printable(
          fmt::format("{}: {}", name(measured.verification.state), measured.verification.detail)));
    }
    return out;
  }

  const Layout& layout_;
  Points points_;
  std::vector<Chosen> chosen_;
  std::vector<std::string> constants_;
};

/// Roofs, points and time model of one device.
std::string render_points(const Report& report, const TableStyle& style) {
  std::string out = render_roofs(report, style);
  for (const Layout& layout : layouts()) {
    Points points;
    for (const Record& point : report.points) {
      if (kind_name(point.workload) == layout.kind) points.push_back(&point);
    }
    if (!points.empty()) out += "\n" + KindTable(layout, std::move(points)).text(style);
  }
  return out + render_time_model(report, style);
}

std::string legend(const Report& report, std::size_t width) {
  std::string used;
  for (const Record& point : report.points) used += marks(point);
  std::string explained;
  for (const Mark& mark : mark_meanings()) {
    if (used.find(mark.sign) == std::string::npos) continue;
    explained += unbroken(fmt::format("{} ", mark.sign)) + fmt::format("{}.  ", mark.meaning);
  }
  const std::string out = wrap(
      "",
      "side: left of the ridge memory is the limit (ceiling = bandwidth x intensity), right of it "
      "compute is (ceiling = peak). MFU = achieved / peak. At roof means 70 % of the ceiling or "
      "more.",
      width);
  return explained.empty() ? out : out + wrap("", explained, width);
}

}  // namespace

std::string render_table(const Report& report, const TableStyle& style) {
  std::string out;
  if (of_several_devices(report)) {
    out += render_run(report, style);
    for (const ReportedDevice& device : report.devices) {
      const Report own = only_device(report, device);
      out += "\n" + render_device(own, style) + render_points(own, style);
    }
    out += render_comparison(report, style);
  } else {
    // A single device with facts of its own beside the environment's is described there.
    const Report own =
        report.devices.empty() ? report : only_device(report, report.devices.front());
    out += render_device(own, style) + render_run(own, style) + render_points(own, style);
  }
  out += render_findings(report, style);
  out += "\n" + render_totals(report, style);
  if (style.legend && !report.points.empty()) {
    out += painted(legend(report, style.width), Paint::dim, style.colour);
  }
  return out;
}

}  // namespace roofline::report
