#include "report/table_layout.hpp"

#include <array>
#include <cmath>

#include "report/labels.hpp"
#include "roofline/printable.hpp"

namespace roofline::report {
namespace {

std::string verdict_label(const Record& point) {
  if (point.defines_roof) return "is a roof";
  if (!point.assessment) return "-";
  switch (point.assessment->verdict) {
    case Verdict::at_memory_roof:
    case Verdict::at_compute_roof:
      return "at roof";
    case Verdict::below_memory_roof:
    case Verdict::below_compute_roof:
      return "below roof";
    case Verdict::overhead_bound:
      return "overhead";
    case Verdict::impossible:
      return "IMPOSSIBLE";
    case Verdict::unknown:
      break;
  }
  return "unknown";
}

}  // namespace

std::span<const Layout> layouts() {
  static const std::vector<Shown> with_flops = {
      {"shape"},
      {"implementation.product", true, 8},
      {"dtype", true},
      {"intensity_flop_per_byte", true, 6},
      {"ridge_flop_per_byte", true, 3},
      {"bound", true, 5},
      {"achieved_flop_per_s"},
      {"ceiling_flop_per_s", true, 4},
      {"of_ceiling"},
      {"mfu", false, 7},
      {"clock_adjusted_mfu", false, 4},
      {"best_measured_mfu", false, 4},
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
  // What somebody else timed may do no arithmetic at all.
  std::vector<Shown> with_both = with_flops;
  with_both.insert(with_both.begin() + 6, {"achieved_byte_per_s", false, 4});
  static const std::array<Layout, 8> all = {{
      {"peak",
       "Peak arithmetic",
       {{"dtype"},
        {"achieved_flop_per_s"},
        {"peak_flop_per_s", true, 2},
        {"of_ceiling"},
        {"verdict"},
        {"noise", false, 1}}},
      {"stream",
       "Streams",
       {{"shape"},
        {"dtype", true},
        {"traffic_byte.total", true, 3},
        {"traffic_byte.moved", true, 2},
        {"achieved_byte_per_s"},
        {"bandwidth_byte_per_s", true, 4},
        {"of_ceiling"},
        {"verdict"},
        {"noise", false, 1}}},
      {"transfer",
       "Transfers between host and device",
       {{"shape"},
        {"traffic_byte.total", true, 3},
        {"achieved_byte_per_s"},
        {"bandwidth_byte_per_s", true, 4},
        {"of_ceiling"},
        {"verdict"},
        {"noise", false, 1}}},
      {"gemm", "GEMM, M x N x K", with_flops},
      {"matvec", "Matvec, T rows through D_in x D_out", with_flops},
      {"elementwise", "Elementwise chains", with_bytes},
      {"kernel", "Kernels", with_both},
      {"launch",
       "Empty calls",
       {{"shape"}, {"time_median_s"}, {"overhead_s", true, 1}, {"verdict"}, {"noise", false, 1}}},
  }};
  return all;
}

bool is_its_own_roof(const Record& point) {
  if (!point.defines_roof || !point.assessment) return false;
  const Assessment& found = *point.assessment;
  const auto same = [](double ratio) { return std::abs(ratio - 1) < 1e-9; };
  if (found.of_ceiling) return same(*found.of_ceiling);
  return found.achieved_bandwidth && point.roofs.memory &&
         same(*found.achieved_bandwidth / point.roofs.memory->bandwidth);
}

bool is_mfu_again(std::string_view key, const Record& point) {
  const bool at_clock = key == "clock_adjusted_mfu";
  if (!at_clock && key != "best_measured_mfu") return false;
  const auto& roof = point.roofs.compute;
  if (roof && roof->origin == Origin::measured) return true;
  if (!at_clock || !point.assessment) return false;
  const Assessment& found = *point.assessment;
  constexpr double kSame = 0.03;
  return found.mfu && found.clock_adjusted_mfu &&
         std::abs(*found.clock_adjusted_mfu / *found.mfu - 1) < kSame;
}

bool is_above_roof(const Record& point) {
  return point.assessment && (point.assessment->above_roof || point.assessment->impossible);
}

std::span<const Mark> mark_meanings() {
  static constexpr Mark kMarks[] = {
      {'!', "above a roof: read the cause"},
      {'*', "its own figure is a roof"},
      {'?', "disturbed by other programs, its clock or its placement: see its end"},
      {'~', "its time speaks against the predicted side"},
  };
  return kMarks;
}

std::string marks(const Record& point) {
  const auto* measured = std::get_if<Measured>(&point.outcome);
  if (measured == nullptr) return {};
  std::string out;
  if (is_above_roof(point)) out += '!';
  if (point.defines_roof) out += '*';
  if (!trusted(measured->end) || measured->end == MeasurementEnd::unsettled) out += '?';
  if (point.observed.agreement == Agreement::refuted) out += '~';
  return out.substr(0, 2);
}

Cell shown_cell(const Column& column, const Record& point) {
  if (column.key == "dtype") return dtype_label(point.workload);
  if (column.key == "verdict") return verdict_label(point);
  if (column.key == "shape" && std::holds_alternative<Kernel>(point.workload))
    return printable(point.id);
  if (column.key == "of_ceiling" && is_its_own_roof(point)) return {};
  if (column.key == "implementation.product") {
    const Cell cell = column.get(point);
    const auto* const text = std::get_if<std::string>(&cell);
    return text == nullptr ? cell : Cell(printable(*text));
  }
  return column.get(point);
}

}  // namespace roofline::report
