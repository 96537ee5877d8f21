#include "report/table_diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/format.hpp"
#include "report/grid.hpp"
#include "report/table_header.hpp"
#include "roofline/diagnosis.hpp"
#include "roofline/printable.hpp"
#include "roofline/roof_book.hpp"

namespace roofline::report {
namespace {

/// What both rooflines stand on: the read stream, or else the fastest that was sustained.
const RoofEntry* sustained_read(const Report& report) {
  const RoofEntry* best = nullptr;
  for (const RoofEntry& entry : report.roofs) {
    const auto* roof = std::get_if<MemoryRoof>(&entry.roof);
    if (roof == nullptr || roof->boundary != Boundary::dram) continue;
    if (roof->origin != Origin::measured && roof->origin != Origin::user) continue;
    const bool read = entry.name == name(StreamKind::read);
    const bool best_read = best != nullptr && best->name == name(StreamKind::read);
    const bool faster =
        best == nullptr || roof->bandwidth > std::get<MemoryRoof>(best->roof).bandwidth;
    if (read != best_read ? read : faster) best = &entry;
  }
  return best;
}

/// One line for each origin of peaks, in the order in which they come.
class Ridges {
 public:
  Ridges(std::string_view which, const RoofEntry& memory) : which_(which), memory_(memory) {}

  void add(const std::optional<ComputeRoof>& peak) {
    if (!peak) return;
    auto at = std::find_if(lines_.begin(), lines_.end(),
                           [&](const auto& line) { return line.first == peak->origin; });
    if (at == lines_.end()) at = lines_.insert(lines_.end(), {peak->origin, {}});
    const Intensity ridge = ridge_point(peak->peak, std::get<MemoryRoof>(memory_.roof).bandwidth);
    at->second +=
        (at->second.empty() ? "" : ", ") +
        unbroken(fmt::format("{} {}", name(peak->key), format_number(in_flop_per_byte(ridge))));
  }

  [[nodiscard]] std::string text(std::size_t width) const {
    const std::string bandwidth = format(std::get<MemoryRoof>(memory_.roof).bandwidth);
    std::string out;
    for (const auto& [origin, ridges] : lines_) {
      out += wrap("rooflines      ",
                  fmt::format("{}, {} peak / {}: ridge {} FLOP/byte", which_, name(origin),
                              unbroken(printable(memory_.name) + " " + bandwidth), ridges),
                  width);
    }
    return out;
  }

 private:
  std::string_view which_;
  const RoofEntry& memory_;
  std::vector<std::pair<Origin, std::string>> lines_;
};

}  // namespace

std::string render_rooflines(const Report& report, const Points& points, const TableStyle& style) {
  const RoofEntry* memory = sustained_read(report);
  if (memory == nullptr) return {};
  RoofBook book;
  for (const RoofEntry& entry : report.roofs) book.add(entry);
  Ridges hardware("hardware", *memory);
  Ridges empirical("empirical", *memory);
  std::vector<PeakKey> seen;
  for (const RoofEntry& entry : report.roofs) {
    const auto* roof = std::get_if<ComputeRoof>(&entry.roof);
    if (roof == nullptr || !concerns_points(entry, points)) continue;
    if (std::find(seen.begin(), seen.end(), roof->key) != seen.end()) continue;
    seen.push_back(roof->key);
    const RooflinePeaks peaks = book.peaks_of(roof->key);
    hardware.add(peaks.hardware);
    empirical.add(peaks.empirical);
  }
  return hardware.text(style.width) + empirical.text(style.width);
}

std::string hypothesis_note(const Record& point, std::set<std::string>& said) {
  if (point.hypotheses.empty()) return {};
  const Hypothesis& likeliest = point.hypotheses.front();
  const bool below = below_its_roof(point);
  // What lies above a roof has its cause already, and what is no fault needs saying once.
  if (point.assessment && point.assessment->above_roof) return {};
  const bool fresh = said.insert("hypothesis " + likeliest.id).second;
  if (!below && !fresh) return {};
  std::string note = fmt::format("{}: {}.", likeliest.id, likeliest.evidence);
  if (fresh && below) note += fmt::format(" Confirm: {}.", likeliest.counter);
  if (fresh) note += " " + likeliest.remedy;
  return printable(note);
}

std::string render_findings(const Report& report, const TableStyle& style) {
  if (report.findings.empty()) return {};
  std::string out = painted("\nFindings\n", Paint::bold, style.colour);
  for (const Finding& finding : report.findings) {
    out += wrap(
        "   ",
        printable(fmt::format("{}{}: {}. {} Confirm: {}. {}", finding.id,
                              finding.device.empty() ? "" : ", " + finding.device, finding.evidence,
                              finding.text, finding.counter, finding.remedy)),
        style.width);
  }
  return out;
}

}  // namespace roofline::report
