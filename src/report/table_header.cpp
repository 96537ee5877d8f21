#include "report/table_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "report/format.hpp"
#include "report/grid.hpp"
#include "report/table_diagnosis.hpp"
#include "roofline/printable.hpp"

namespace roofline::report {
namespace {

std::optional<std::uint64_t> count_fact(const Facts& facts, std::string_view key) {
  for (const Fact& fact : facts) {
    if (fact.key != key) continue;
    if (const auto* value = std::get_if<std::uint64_t>(&fact.value)) return *value;
  }
  return std::nullopt;
}

/// From the environment, else from the points where they all say the same.
std::optional<std::uint64_t> threads(const Report& report, const Points& points) {
  if (const auto found = count_fact(report.environment, "threads")) return found;
  std::optional<std::uint64_t> common;
  for (const Record* const point : points) {
    const auto found = count_fact(point->implementation, "threads");
    if (!found) continue;
    if (common && *common != *found) return std::nullopt;
    common = found;
  }
  return common;
}

/// `2026-03-01T12:34:56Z` is `2026-03-01 12:34 UTC`; anything else stays.
std::string readable_time(const std::string& started) {
  const bool rfc3339 = started.size() >= 20 && started[10] == 'T' && started.back() == 'Z';
  if (!rfc3339) return printable(started);
  return printable(started.substr(0, 10) + " " + started.substr(11, 5) + " UTC");
}

struct RoofLine {
  std::string origin;
  std::string text;
};

/// One line for each origin, in the order of the report.
template <class Roof>
std::vector<RoofLine> roof_lines(const Report& report, const Points& points) {
  std::vector<RoofLine> out;
  for (const RoofEntry& entry : report.roofs) {
    const auto* roof = std::get_if<Roof>(&entry.roof);
    if (roof == nullptr || !concerns_points(entry, points)) continue;
    std::string origin(name(roof->origin));
    std::string text = printable(entry.name) + " ";
    if constexpr (std::is_same_v<Roof, ComputeRoof>) {
      text += format(roof->peak);
      if (roof->sparsity != Sparsity::dense) text += " sparse";
    } else if constexpr (std::is_same_v<Roof, OverheadRoof>) {
      text += format(roof->time);
    } else {
      text += format(roof->bandwidth);
      if (roof->boundary != Boundary::dram) origin += fmt::format(", {}", name(roof->boundary));
      if (!roof->placement.empty()) text += fmt::format(" ({})", printable(roof->placement));
    }
    RoofLine* line = nullptr;
    for (RoofLine& known : out) {
      if (known.origin == origin) line = &known;
    }
    if (line == nullptr) line = &out.emplace_back(RoofLine{std::move(origin), {}});
    line->text += (line->text.empty() ? "" : ", ") + unbroken(text);
  }
  return out;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

}  // namespace

bool concerns_points(const RoofEntry& entry, const Points& points) {
  const auto* roof = std::get_if<ComputeRoof>(&entry.roof);
  const bool looked_up = roof != nullptr && entry.point.empty() && roof->origin != Origin::user;
  if (!looked_up) return true;
  if (roof->sparsity != Sparsity::dense) return false;
  return std::any_of(points.begin(), points.end(), [&](const Record* point) {
    const bool works = !point->account.work || point->account.work->value() != 0;
    return works && point->roofs.compute && point->roofs.compute->key == roof->key;
  });
}

std::string render_device(const Report& report, const Points& points, const TableStyle& style) {
  std::string device =
      printable(report.device_name.empty() ? report.device_id : report.device_name);
  if (device.empty()) device = "unknown device";
  if (!report.device_name.empty() && !report.device_id.empty()) {
    device += " (" + printable(report.device_id) + ")";
  }
  if (const auto count = threads(report, points)) {
    device += fmt::format(", {} thread{}", *count, *count == 1 ? "" : "s");
  }
  return painted(wrap("", device, style.width), Paint::bold, style.colour);
}

std::string render_run(const Report& report, const TableStyle& style) {
  std::vector<std::string> run;
  if (of_several_devices(report)) run.push_back(fmt::format("{} devices", report.devices.size()));
  if (!report.run.started.empty()) run.push_back(readable_time(report.run.started));
  if (!report.run.suite.empty()) run.push_back("suite " + printable(report.run.suite));
  if (in_second(report.run.duration) > 0) run.push_back(format(report.run.duration));
  if (!report.tool_version.empty()) run.push_back("roofline " + printable(report.tool_version));

  std::string out;
  if (!run.empty()) out += wrap("", join(run, ", "), style.width);
  if (report.run.interrupted) {
    out += painted(wrap("", "Interrupted: these are the points measured until then.", style.width),
                   Paint::yellow, style.colour);
  }
  return out;
}

std::string render_roofs(const Report& report, const Points& points, const TableStyle& style) {
  std::string out;
  const auto memory = roof_lines<MemoryRoof>(report, points);
  const auto compute = roof_lines<ComputeRoof>(report, points);
  const auto overhead = roof_lines<OverheadRoof>(report, points);
  if (!memory.empty() || !compute.empty() || !overhead.empty()) out += "\n";
  for (const RoofLine& line : memory) {
    out += wrap("memory roofs   ", fmt::format("{}: {}", line.origin, line.text), style.width);
  }
  for (const RoofLine& line : compute) {
    out += wrap("compute roofs  ", fmt::format("{}: {}", line.origin, line.text), style.width);
  }
  out += render_rooflines(report, points, style);
  for (const RoofLine& line : overhead) {
    out += wrap("overhead       ", fmt::format("{}: {}", line.origin, line.text), style.width);
  }
  return out;
}

std::string render_totals(const Report& report, const TableStyle& style) {
  if (report.points.empty()) return "No points.\n";
  std::array<std::size_t, 4> outcomes{};
  std::array<std::size_t, 3> sides{};
  std::size_t verified = 0;
  std::array<std::size_t, 7> ends{};
  for (const Record& point : report.points) {
    ++outcomes[point.outcome.index()];
    const auto* measured = std::get_if<Measured>(&point.outcome);
    if (measured == nullptr) continue;
    if (measured->verification.state == VerificationState::verified) ++verified;
    ++ends[static_cast<std::size_t>(measured->end)];
    if (point.prediction.side) ++sides[static_cast<std::size_t>(point.observed.agreement)];
  }
  std::vector<std::string> parts;
  const auto add = [](std::vector<std::string>& to, std::size_t count, std::string_view what) {
    if (count != 0) to.push_back(fmt::format("{} {}", count, what));
  };
  add(parts, verified, "measured and verified");
  add(parts, outcomes[0] - verified, "measured but not verified");
  add(parts, outcomes[1], "skipped");
  add(parts, outcomes[2], "failed");
  add(parts, outcomes[3], "incorrect");
  std::string text = fmt::format("{} point{}: {}.", report.points.size(),
                                 report.points.size() == 1 ? "" : "s", join(parts, ", "));
  constexpr std::array kTold = {
      std::pair{MeasurementEnd::contended, "Contended"},
      std::pair{MeasurementEnd::throttled, "Throttled"},
      std::pair{MeasurementEnd::placement_unstable, "Moved between placements"},
      std::pair{MeasurementEnd::interrupted, "Interrupted"},
      std::pair{MeasurementEnd::unsettled, "Unsettled (the rate moved while it was measured)"}};
  for (const auto& [end, word] : kTold) {
    const std::size_t count = ends[static_cast<std::size_t>(end)];
    if (count != 0) text += fmt::format(" {}: {}.", word, count);
  }
  std::vector<std::string> predicted;
  add(predicted, sides[0], "confirmed");
  add(predicted, sides[1], "refuted");
  add(predicted, sides[2], "undecided");
  if (!predicted.empty()) text += fmt::format(" Predicted sides: {}.", join(predicted, ", "));
  return wrap("", text, style.width);
}

}  // namespace roofline::report
