// Markdown for the summary of a CI step.
#include "report/column_table.hpp"
#include "report/export.hpp"
#include "report/format.hpp"
#include "report/markdown.hpp"

namespace roofline::report {
namespace {

/// GitHub drops the whole of what is above 1 MiB.
constexpr std::size_t kLimit = std::size_t{1} << 20U;
constexpr std::size_t kForTheRest = std::size_t{64} * 1024;

struct Shown {
  std::string_view key;
  std::string_view heading;
};
constexpr Shown kShown[] = {
    {"intensity_flop_per_byte", "Intensity"},
    {"ceiling_flop_per_s", "Ceiling"},
    {"of_ceiling", "% of ceiling"},
    {"mfu", "MFU"},
    {"bound", "Side"},
    {"verdict", "Verdict"},
};

std::string row_of(const Series& series, bool several) {
  const Figure& main = series.figures.front();
  std::string out = "| ";
  if (several) out += markdown_text(series.device) + " | ";
  out += markdown_code(series.record->id) + (is_unverified(*series.record) ? ", unverified" : "") +
         " | " + format(Cell(main.value), main.unit);
  for (const Shown& column : kShown) {
    // Of what moves data the ceiling is a bandwidth.
    const bool bandwidth = column.key == "ceiling_flop_per_s" && main.unit == Unit::byte_per_s &&
                           !series.record->defines_roof;
    const std::string_view key = bandwidth ? "bandwidth_byte_per_s" : column.key;
    out += " | " + markdown_cell(*series.record, *find_column(key));
  }
  return out + " |\n";
}

std::string heading(bool several) {
  std::string names = several ? "| Device | Point | Achieved" : "| Point | Achieved";
  std::string rules = several ? "|---|---|--:" : "|---|--:";
  for (const Shown& column : kShown) {
    names += " | " + std::string(column.heading);
    rules += find_column(column.key)->unit == Unit::text ? "|---" : "|--:";
  }
  return names + " |\n" + rules + "|\n";
}

}  // namespace

Exported to_step_summary(const Report& report, const ExportOptions&) {
  AllSeries all = series_of(report);
  const bool several = of_several_devices(report);
  // Appended to what others wrote, so it begins with an empty line.
  std::string out = "\n### Roofline: " +
                    markdown_text(several ? std::to_string(report.devices.size()) + " devices"
                                          : report.device_name) +
                    "\n\n";
  std::size_t cut = 0;
  if (!all.fit.empty()) out += heading(several);
  for (const Series& series : all.fit) {
    const std::string row = cut == 0 ? row_of(series, several) : std::string();
    if (cut == 0 && out.size() + row.size() < kLimit - kForTheRest) {
      out += row;
    } else {
      ++cut;
    }
  }
  if (cut != 0) out += "\n" + std::to_string(cut) + " more points are in the report.\n";
  if (!all.left_out.empty()) {
    out += "\n" + std::to_string(all.left_out.size()) + " without a figure:\n\n";
    std::size_t more = 0;
    for (const LeftOut& left : all.left_out) {
      const std::string line =
          "- " + markdown_code(left.name) + ": " + markdown_text(left.reason) + "\n";
      if (more == 0 && out.size() + line.size() < kLimit - kForTheRest / 2) {
        out += line;
      } else {
        ++more;
      }
    }
    if (more != 0) out += "- and " + std::to_string(more) + " more\n";
  }
  for (const Finding& finding : report.findings) {
    const std::string line =
        "\n**" + markdown_text(finding.id) + "**: " + markdown_text(finding.evidence) + "\n";
    if (out.size() + line.size() < kLimit) out += line;
  }
  return {std::move(out), std::move(all.left_out)};
}

}  // namespace roofline::report
