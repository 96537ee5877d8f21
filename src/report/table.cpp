#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "report/columns.hpp"
#include "report/format.hpp"
#include "report/grid.hpp"
#include "report/labels.hpp"
#include "report/printable.hpp"
#include "report/table_header.hpp"
#include "report/unknown.hpp"

namespace roofline::report {
namespace {

using Points = std::vector<const Record*>;

/// One column of a kind's table. `axis`: where it says the same of every point it moves to the line above the
/// table. `keep`: the lowest goes first where the text is too wide; 0 stays.
struct Shown {
  std::string_view key;
  bool axis = false;
  int keep = 0;
};

struct Layout {
  std::string_view kind;
  std::string_view title;
  std::vector<Shown> columns;
};

const std::array<Layout, 6>& layouts() {
  static const std::vector<Shown> with_flops = {
      {"shape"},
      {"dtype", true},
      {"intensity_flop_per_byte", true, 6},
      {"ridge_flop_per_byte", true, 3},
      {"bound", true, 5},
      {"achieved_flop_per_s"},
      {"ceiling_flop_per_s", true, 4},
      {"of_ceiling"},
      {"mfu", false, 7},
      {"verdict"},
      {"noise", false, 1},
  };
  static const std::vector<Shown> with_bytes = {
      {"shape"},
      {"dtype", true},
      {"intensity_flop_per_byte", true, 4},
      {"ridge_flop_per_byte", true, 2},
      {"bound", true, 5},
      {"achieved_byte_per_s"},
      {"bandwidth_byte_per_s", true, 3},
      {"of_ceiling"},
      {"verdict"},
      {"noise", false, 1},
  };
  static const std::array<Layout, 6> all = {{
      {"peak", "Peak arithmetic",
       {{"dtype"}, {"achieved_flop_per_s"}, {"peak_flop_per_s", true, 2}, {"of_ceiling"}, {"verdict"}, {"noise", false, 1}}},
      {"stream", "Streams",
       {{"shape"}, {"dtype", true}, {"traffic_byte.total", true, 3}, {"traffic_byte.moved", true, 2},
        {"achieved_byte_per_s"}, {"bandwidth_byte_per_s", true, 4}, {"of_ceiling"}, {"verdict"}, {"noise", false, 1}}},
      {"gemm", "GEMM, M x N x K", with_flops},
      {"matvec", "Matvec, T rows through D_in x D_out", with_flops},
      {"elementwise", "Elementwise chains", with_bytes},
      {"kernel", "Kernels", with_flops},
  }};
  return all;
}

std::string verdict_label(const Record& point) {
  if (point.defines_roof) return "is a roof";
  if (!point.assessment) return "-";
  switch (point.assessment->verdict) {
    case Verdict::at_memory_roof:
    case Verdict::at_compute_roof: return "at roof";
    case Verdict::below_memory_roof:
    case Verdict::below_compute_roof: return "below roof";
    case Verdict::overhead_bound: return "overhead";
    case Verdict::impossible: return "IMPOSSIBLE";
    case Verdict::unknown: break;
  }
  return "unknown";
}

/// A roof is 100 % of itself, which says nothing.
bool is_its_own_roof(const Record& point) {
  if (!point.defines_roof || !point.assessment) return false;
  const Assessment& found = *point.assessment;
  const auto same = [](double ratio) { return std::abs(ratio - 1) < 1e-9; };
  if (found.of_ceiling) return same(*found.of_ceiling);
  return found.achieved_bandwidth && point.roofs.memory &&
         same(*found.achieved_bandwidth / point.roofs.memory->bandwidth);
}

/// What a table shows of a point: labels that stand beside other columns may be shorter than the JSON's words.
Cell cell_of(const Column& column, const Record& point) {
  if (column.key == "dtype") return dtype_label(point.workload);
  if (column.key == "verdict") return verdict_label(point);
  if (column.key == "shape" && std::holds_alternative<Kernel>(point.workload)) return printable(point.id);
  if (column.key == "of_ceiling" && is_its_own_roof(point)) return {};
  return column.get(point);
}

bool is_measured(const Record& point) { return std::holds_alternative<Measured>(point.outcome); }

/// SI prefixes by unit for one table: one prefix for all values of a unit where that leaves them readable, else
/// nothing, and every cell carries its own.
class Prefixes {
 public:
  void see(const Cell& cell, Unit unit) {
    const double value = magnitude(cell);
    if (value <= 0) return;
    Range& range = ranges_[static_cast<std::size_t>(unit)];
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  [[nodiscard]] std::optional<std::string_view> common(Unit unit) const {
    const Range& range = ranges_[static_cast<std::size_t>(unit)];
    if (range.high <= 0) return "";
    const std::string_view prefix = scale(range.low, unit).prefix;
    if (range.high / prefix_factor(prefix) < 1e5) return prefix;
    return std::nullopt;
  }

 private:
  struct Range {
    double low = std::numeric_limits<double>::max();
    double high = 0;
  };
  static double magnitude(const Cell& cell) {
    if (const auto* count = std::get_if<std::uint64_t>(&cell)) return static_cast<double>(*count);
    if (const auto* number = std::get_if<double>(&cell)) return *number;
    return 0;
  }
  std::array<Range, 16> ranges_{};
};

bool is_scaled(Unit unit) {
  return unit == Unit::flop_per_s || unit == Unit::byte_per_s || unit == Unit::second ||
         unit == Unit::flop || unit == Unit::byte;
}

/// A cell under a heading that names the unit.
std::string bare(const Cell& cell, Unit unit, const Prefixes& prefixes) {
  const auto* number = std::get_if<double>(&cell);
  const auto* count = std::get_if<std::uint64_t>(&cell);
  if (number == nullptr && count == nullptr) return printable(format(cell, unit));
  const double value = number != nullptr ? *number : static_cast<double>(*count);
  if (unit == Unit::share) return format_number(value * 100);
  if (!is_scaled(unit)) return format_number(value);
  if (const auto prefix = prefixes.common(unit)) return format_number(value / prefix_factor(*prefix));
  const Scaled scaled = scale(value, unit);
  return format_number(scaled.value) + " " + (scaled.prefix.empty() ? " " : std::string(scaled.prefix));
}

std::string unit_label(Unit unit, const Prefixes& prefixes) {
  if (unit == Unit::flop_per_byte) return "FLOP/B";
  const std::string_view prefix = is_scaled(unit) ? prefixes.common(unit).value_or("") : "";
  return std::string(prefix) + std::string(symbol(unit));
}

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
    for (const std::string& reason : missing_roofs()) out += wrap("  no ceiling: ", reason, style.width);
    if (!dropped.empty()) {
      out += wrap("  ", fmt::format("not shown at this width: {}", fmt::join(dropped, ", ")), style.width);
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
    const Cell first = cell_of(*column, *points_.front());
    const bool constant = std::all_of(points_.begin(), points_.end(), [&](const Record* point) {
      return cell_of(*column, *point) == first;
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
    return !std::holds_alternative<std::monostate>(cell_of(column, point));
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
      for (const Record* point : points_) prefixes.see(cell_of(*chosen.column, *point), chosen.column->unit);
    }
    std::vector<Grid::Column> columns;
    for (const Chosen& chosen : chosen_) {
      const Unit unit = chosen.column->unit;
      const bool right = unit != Unit::text && unit != Unit::flag;
      if (chosen.column->key == "of_ceiling") {
        columns.push_back({"% of", "ceiling", right});
      } else {
        columns.push_back({std::string(chosen.column->heading), unit_label(unit, prefixes), right});
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
      row.cells.push_back(bare(cell_of(*chosen.column, point), chosen.column->unit, prefixes));
    }
    if (!is_measured(point)) {
      row.rest = printable(fmt::format("{}: {}", outcome_name(point.outcome), reason(point.outcome)));
      row.paint = std::holds_alternative<Skipped>(point.outcome) ? Paint::dim : Paint::red;
      return row;
    }
    row.mark = mark_of(point);
    row.notes = notes_of(point, said);
    if (row.mark == '!') row.paint = point.assessment->impossible ? Paint::red : Paint::yellow;
    return row;
  }

  [[nodiscard]] std::set<std::string> missing_roofs() const {
    std::set<std::string> out;
    for (const Record* point : points_) {
      if (!is_measured(*point) || point->placement.ceiling || point->defines_roof) continue;
      const Roofs& roofs = point->roofs;
      if (!roofs.compute && !roofs.compute_reason.empty()) out.insert(printable(roofs.compute_reason));
      if (!roofs.memory && !roofs.memory_reason.empty()) out.insert(printable(roofs.memory_reason));
    }
    return out;
  }

  static char mark_of(const Record& point) {
    if (point.assessment && (point.assessment->above_roof || point.assessment->impossible)) return '!';
    if (point.defines_roof) return '*';
    if (point.observed.agreement == Agreement::refuted) return '~';
    return ' ';
  }

  /// `said` holds the causes that a row above has spelt out.
  static std::vector<std::string> notes_of(const Record& point, std::set<std::string>& said) {
    std::vector<std::string> out;
    if (point.assessment && (point.assessment->above_roof || point.assessment->impossible)) {
      const Assessment& found = *point.assessment;
      std::string note = found.impossible ? "impossible" : "above its roof";
      if (found.of_ceiling) note += fmt::format(" at {} of the ceiling", format_percent(*found.of_ceiling));
      if (!found.causes.empty()) {
        const Cause& likeliest = found.causes.front();
        const std::string key = (found.impossible ? "impossible " : "above ") + likeliest.id;
        note += said.insert(key).second ? ": " + likeliest.text : ", as above";
      }
      out.push_back(printable(note));
    }
    if (point.observed.agreement == Agreement::refuted && point.prediction.side && point.observed.side) {
      out.push_back(fmt::format("predicted {}-bound, but the time is nearer to the {} term",
                                name(*point.prediction.side), name(*point.observed.side)));
    }
    const auto& measured = std::get<Measured>(point.outcome);
    if (measured.verification.state != VerificationState::verified) {
      out.push_back(printable(fmt::format("{}: {}", name(measured.verification.state),
                                          measured.verification.detail)));
    }
    if (measured.end == MeasurementEnd::contended) {
      out.emplace_back("contended: other programs took the processor, so the time is an upper limit");
    }
    return out;
  }

  const Layout& layout_;
  Points points_;
  std::vector<Chosen> chosen_;
  std::vector<std::string> constants_;
};

std::string legend(const Report& report, std::size_t width) {
  bool roof = false;
  bool above = false;
  bool refuted = false;
  for (const Record& point : report.points) {
    roof = roof || point.defines_roof;
    above = above || (point.assessment && point.assessment->above_roof);
    refuted = refuted || point.observed.agreement == Agreement::refuted;
  }
  std::string out =
      wrap("", "side: left of the ridge memory is the limit (ceiling = bandwidth x intensity), right of it "
               "compute is (ceiling = peak). MFU = achieved / peak. At roof means 70 % of the ceiling or more.",
           width);
  std::string marks;
  if (roof) marks += unbroken("* its own figure is a roof.") + " ";
  if (above) marks += unbroken("! above a roof: read the cause.") + " ";
  if (refuted) marks += unbroken("~ the time speaks against the predicted side.");
  return marks.empty() ? out : out + wrap("", marks, width);
}

}  // namespace

std::string render_table(const Report& report, const TableStyle& style) {
  std::string out = render_header(report, style);
  for (const Layout& layout : layouts()) {
    Points points;
    for (const Record& point : report.points) {
      if (kind_name(point.workload) == layout.kind) points.push_back(&point);
    }
    if (!points.empty()) out += "\n" + KindTable(layout, std::move(points)).text(style);
  }
  out += "\n" + render_totals(report, style);
  if (style.legend && !report.points.empty()) {
    out += painted(legend(report, style.width), Paint::dim, style.colour);
  }
  return out;
}

}  // namespace roofline::report
