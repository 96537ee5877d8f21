#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>

#include "report/columns.hpp"
#include "report/format.hpp"
#include "report/grid.hpp"
#include "report/in_order.hpp"
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

/// Headings of shares that say their unit in their words, or have it from the column before them.
std::optional<std::pair<std::string, std::string>> two_lines(std::string_view key) {
  if (key == "of_ceiling") return {{"% of", "ceiling"}};
  if (key == "clock_adjusted_mfu") return {{"MFU at", "clock"}};
  if (key == "best_measured_mfu") return {{"MFU of", "best"}};
  return std::nullopt;
}

bool is_measured(const Record& point) { return std::holds_alternative<Measured>(point.outcome); }

/// A column of a kind's table with the cells of all points. They are made anew only where the
/// prefix of their unit becomes another.
class CellColumn {
 public:
  CellColumn(const Column& column, const Shown& shown, const Prefixes& seen)
      : column_(&column), shown_(shown), seen_(seen) {}

  [[nodiscard]] const Column& column() const { return *column_; }
  [[nodiscard]] int keep() const { return shown_.keep; }
  [[nodiscard]] const Prefixes& seen() const { return seen_; }
  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] std::string take(std::size_t row) { return std::move(cells_[row]); }

  [[nodiscard]] Grid::Column heading(const Prefixes& prefixes) const {
    if (const auto lines = two_lines(column_->key))
      return {lines->first, lines->second, has_numbers(column_->unit)};
    return {std::string(column_->heading), prefixes.heading(column_->unit),
            has_numbers(column_->unit)};
  }

  void fill(const Points& points, const Prefixes& prefixes) {
    const auto prefix = prefixes.common(column_->unit);
    if (cells_.size() == points.size() && prefix == prefix_) return;
    prefix_ = prefix;
    cells_.resize(points.size());
    const Grid::Column head = heading(prefixes);
    width_ = std::max(display_width(head.heading), display_width(head.unit));
    std::mutex mutex;
    on_all_cores(points.size(), [&](std::size_t begin, std::size_t end) {
      std::size_t widest = 0;
      for (std::size_t i = begin; i != end; ++i) {
        if (!shows(*points[i])) continue;
        cells_[i] = prefixes.text(shown_cell(*column_, *points[i]), column_->unit);
        widest = std::max(widest, display_width(cells_[i]));
      }
      const std::lock_guard lock(mutex);
      width_ = std::max(width_, widest);
    });
  }

  /// A point without a measurement has its labels alone, and words in place of the rest.
  [[nodiscard]] bool shows(const Record& point) const {
    return is_measured(point) || column_->key == "shape" || column_->key == "dtype" ||
           column_->key == "implementation.product";
  }

 private:
  const Column* column_;
  Shown shown_;
  Prefixes seen_;
  std::optional<std::string_view> prefix_;
  std::vector<std::string> cells_;
  std::size_t width_ = 0;
};

/// A kind's points with the columns that are left after constant and empty ones went.
class KindTable {
 public:
  KindTable(const Layout& layout, Points points) : layout_(layout), points_(std::move(points)) {
    for (const Shown& shown : layout.columns) choose(shown);
  }

  [[nodiscard]] std::string text(const TableStyle& style) {
    std::vector<std::string> dropped;
    while (fill() > style.width && drop_one(dropped)) continue;
    std::string out = painted(title(style.width), Paint::bold, style.colour);
    out += make_grid().text(style.width, style.colour);
    for (const std::string& reason : missing_roofs())
      out += wrap("  no ceiling: ", reason, style.width);
    for (const std::string& reason : missing_overheads())
      out += wrap("  no overhead: ", reason, style.width);
    if (!dropped.empty()) {
      out += wrap("  ", fmt::format("not shown at this width: {}", fmt::join(dropped, ", ")),
                  style.width);
    }
    return out;
  }

 private:
  void choose(const Shown& shown) {
    const Column* column = find_column(shown.key);
    const Cell first = shown_cell(*column, *points_.front());
    bool constant = true;
    bool says = false;
    Prefixes seen;
    std::mutex mutex;
    on_all_cores(points_.size(), [&](std::size_t begin, std::size_t end) {
      bool same = true;
      bool any = false;
      Prefixes here;
      for (std::size_t i = begin; i != end; ++i) {
        const Cell cell = shown_cell(*column, *points_[i]);
        same = same && cell == first;
        any = any || says_something(shown, cell, *points_[i]);
        here.see(cell, column->unit);
      }
      const std::lock_guard lock(mutex);
      constant = constant && same;
      says = says || any;
      seen.see(here);
    });
    if (!says) return;
    if (constant && shown.axis && points_.size() > 1) {
      constants_.push_back(
          unbroken(fmt::format("{} {}", column->heading, printable(format(first, column->unit)))));
    } else {
      chosen_.emplace_back(*column, shown, seen);
    }
  }

  static bool says_something(const Shown& shown, const Cell& cell, const Record& point) {
    if (shown.key == "traffic_byte.moved") return point.account.write_allocate.value() != 0;
    const bool is_roof = shown.key == "peak_flop_per_s" || shown.key == "bandwidth_byte_per_s";
    if (is_roof && is_its_own_roof(point)) return false;
    if (is_mfu_again(shown.key, point)) return false;
    return !std::holds_alternative<std::monostate>(cell);
  }

  [[nodiscard]] std::string title(std::size_t width) const {
    std::string rest;
    for (const std::string& constant : constants_) rest += (rest.empty() ? "" : ",  ") + constant;
    return wrap(std::string(layout_.title) + (rest.empty() ? "" : "   "), rest, width);
  }

  bool drop_one(std::vector<std::string>& dropped) {
    auto weakest = chosen_.end();
    for (auto it = chosen_.begin(); it != chosen_.end(); ++it) {
      if (it->keep() == 0) continue;
      if (weakest == chosen_.end() || it->keep() < weakest->keep()) weakest = it;
    }
    if (weakest == chosen_.end()) return false;
    if (weakest->column().key != "noise") dropped.emplace_back(weakest->column().heading);
    chosen_.erase(weakest);
    return true;
  }

  [[nodiscard]] Prefixes prefixes() const {
    Prefixes out;
    for (const CellColumn& column : chosen_) out.see(column.seen());
    return out;
  }

  /// Makes the cells, and says how wide they make the table.
  std::size_t fill() {
    const Prefixes common = prefixes();
    std::vector<std::size_t> widths;
    for (CellColumn& column : chosen_) {
      column.fill(points_, common);
      widths.push_back(column.width());
    }
    return width_of_line(widths);
  }

  /// Takes the cells.
  [[nodiscard]] Grid make_grid() {
    const Prefixes common = prefixes();
    std::vector<Grid::Column> columns;
    for (const CellColumn& column : chosen_) columns.push_back(column.heading(common));
    Grid grid(std::move(columns));
    grid.reserve(points_.size());
    std::set<std::string> said;
    for (std::size_t i = 0; i < points_.size(); ++i) grid.add(make_row(i, said));
    return grid;
  }

  [[nodiscard]] Grid::Row make_row(std::size_t index, std::set<std::string>& said) {
    const Record& point = *points_[index];
    Grid::Row row;
    row.cells.reserve(chosen_.size());
    for (CellColumn& column : chosen_) {
      if (!column.shows(point)) break;
      row.cells.push_back(column.take(index));
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

  [[nodiscard]] std::set<std::string> missing_overheads() const {
    std::set<std::string> out;
    for (const Record* point : points_) {
      if (is_measured(*point) && !point->roofs.overhead_reason.empty())
        out.insert(printable(point->roofs.overhead_reason));
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
  std::vector<CellColumn> chosen_;
  std::vector<std::string> constants_;
};

/// Roofs, points and time model of one device.
std::string render_points(const Report& head, const Points& points, const TableStyle& style) {
  std::string out = render_roofs(head, points, style);
  for (const Layout& layout : layouts()) {
    Points of_kind;
    std::copy_if(points.begin(), points.end(), std::back_inserter(of_kind),
                 [&](const Record* point) { return kind_name(point->workload) == layout.kind; });
    if (!of_kind.empty()) out += "\n" + KindTable(layout, std::move(of_kind)).text(style);
  }
  return out + render_time_model(head, points, style);
}

/// Of one device, or all where none is named.
Points points_of(const Report& report, const ReportedDevice* device) {
  Points out;
  for (const Record& point : report.points) {
    if (device == nullptr || point.device_id == device->id) out.push_back(&point);
  }
  return out;
}

std::string legend(const Report& report, std::size_t width) {
  std::set<char> used;
  for (const Record& point : report.points) {
    for (const char mark : marks(point)) used.insert(mark);
  }
  std::string explained;
  for (const Mark& mark : mark_meanings()) {
    if (!used.contains(mark.sign)) continue;
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
      const Report own = head_of_device(report, device);
      const Points points = points_of(report, &device);
      out += "\n" + render_device(own, points, style) + render_points(own, points, style);
    }
    out += render_comparison(report, style);
  } else {
    // A single device with facts of its own beside the environment's is described there.
    std::optional<Report> described;
    if (!report.devices.empty()) described = head_of_device(report, report.devices.front());
    const Report& own = described ? *described : report;
    const Points points = points_of(report, nullptr);
    out += render_device(own, points, style) + render_run(own, style) +
           render_points(own, points, style);
  }
  out += render_findings(report, style);
  out += "\n" + render_totals(report, style);
  if (style.legend && !report.points.empty()) {
    out += painted(legend(report, style.width), Paint::dim, style.colour);
  }
  return out;
}

}  // namespace roofline::report
