#include <algorithm>
#include <array>

#include "chart/axis.hpp"
#include "chart/charts.hpp"
#include "chart/look.hpp"
#include "report/format.hpp"

namespace roofline::chart {
namespace {

/// More rows than a person reads; the widest gaps come first.
constexpr std::size_t kMostBars = 40;

struct Gap {
  double achieved = 0;  ///< each as a share of the highest ceiling
  double called = 0;    ///< of the lower ceiling, what the overhead of the call leaves
  double lower = 0;     ///< of the ceilings that are known
  double scale = 0;     ///< that ceiling, FLOP/s or byte/s
  const Record* record = nullptr;
};

/// Nothing for a point that was not measured, is a roof itself or has no ceiling.
std::optional<Gap> gap_of(const Record& record) {
  if (!std::holds_alternative<Measured>(record.outcome) || record.defines_roof) return std::nullopt;
  const bool works = has_work(record);
  const auto achieved = works ? rate_of(record, false) : bandwidth_of(record, false);
  if (!achieved || !plottable(*achieved)) return std::nullopt;
  std::vector<double> ceilings;
  if (works) {
    for (const auto& ceiling :
         {record.rooflines.hardware.ceiling, record.rooflines.empirical.ceiling}) {
      if (ceiling) ceilings.push_back(in_flop_per_s(*ceiling));
    }
    if (ceilings.empty() && record.placement.ceiling)
      ceilings.push_back(in_flop_per_s(*record.placement.ceiling));
  } else if (record.roofs.memory) {
    ceilings.push_back(in_byte_per_s(record.roofs.memory->bandwidth));
  }
  std::erase_if(ceilings, [](double value) { return !plottable(value); });
  if (ceilings.empty()) return std::nullopt;
  const auto [low, high] = std::minmax_element(ceilings.begin(), ceilings.end());
  const double lower = *low / *high;
  return Gap{*achieved / *high, share_of_ceiling(record).value_or(1) * lower, lower, *high,
             &record};
}

Bar bar_of(const Gap& gap) {
  const Record& record = *gap.record;
  Bar out{.name = record.id, .tip = tip_of(record), .record = &record};
  out.segments.push_back({0, std::min(gap.achieved, 1.0), Part::achieved});
  if (gap.achieved < gap.called) out.segments.push_back({gap.achieved, gap.called, Part::kernel});
  const double called = std::max(gap.achieved, gap.called);
  if (called < gap.lower) out.segments.push_back({called, gap.lower, Part::overhead});
  const double reached = std::max(gap.achieved, gap.lower);
  if (reached < 1) out.segments.push_back({reached, 1, Part::platform});
  if (gap.achieved > 1) out.segments.push_back({1, gap.achieved, Part::above});
  const report::Unit unit = has_work(record) ? report::Unit::flop_per_s : report::Unit::byte_per_s;
  out.note =
      report::format_percent(gap.achieved) + " of " + report::format(report::Cell(gap.scale), unit);
  if (standing_of(record) == Standing::impossible) out.note += ", impossible";
  if (!record.hypotheses.empty()) out.note += ", " + record.hypotheses.front().id;
  return out;
}

}  // namespace

Figure gap_chart(std::span<const Report> reports, const ChartOptions& options) {
  const std::vector<View> views = views_of(reports, options.files);
  Figure out{.title = figure_title(views),
             .subtitle = figure_subtitle(reports),
             .warnings = figure_warnings(views)};
  std::array<bool, kPartCount> parts{};
  bool all_rated = true;
  double widest = 1;
  const std::vector<std::string> titles = view_titles(views);
  for (const View& view : views) {
    Panel panel;
    panel.title = titles[out.panels.size()];
    std::vector<Gap> gaps;
    for (const Record* point : view.points) {
      if (const auto gap = gap_of(*point)) gaps.push_back(*gap);
    }
    std::stable_sort(gaps.begin(), gaps.end(),
                     [](const Gap& a, const Gap& b) { return a.achieved < b.achieved; });
    const std::size_t left_out = view.points.size() - gaps.size();
    for (std::size_t i = 0; i < gaps.size() && i < kMostBars; ++i) {
      panel.bars.push_back(bar_of(gaps[i]));
      all_rated = all_rated && (!has_work(*gaps[i].record) ||
                                gaps[i].record->rooflines.hardware.ceiling.has_value());
      for (const Segment& segment : panel.bars.back().segments) {
        parts[static_cast<std::size_t>(segment.part)] = true;
        widest = std::max(widest, std::min(segment.to, 10.0));
      }
    }
    if (gaps.size() > kMostBars) {
      panel.notes.push_back(std::to_string(gaps.size() - kMostBars) +
                            " more points are nearer to their ceiling than these.");
    }
    if (left_out != 0) {
      panel.notes.push_back(std::to_string(left_out) +
                            (left_out == 1 ? " point has" : " points have") +
                            " no gap: a roof itself, without a ceiling, or not measured.");
    }
    out.panels.push_back(std::move(panel));
  }
  for (Panel& panel : out.panels) {
    panel.x = {.title = all_rated ? "share of the hardware ceiling"
                                  : "share of the highest ceiling that is known",
               .unit = report::Unit::share,
               .scaling = Scaling::linear,
               .low = 0,
               .high = widest};
  }
  constexpr std::array<std::string_view, kPartCount> kTexts = {
      "achieved", "up to what the call leaves of the lower ceiling: the kernel's",
      "the overhead of the call: no kernel gets it back",
      "between the measured peak and the rated one: the platform's", "above its ceiling"};
  LegendSection section{"Parts", {}};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i])
      section.entries.push_back(
          {.sample = Sample::part, .part = static_cast<Part>(i), .text = std::string(kTexts[i])});
  }
  if (!section.entries.empty()) out.legend.push_back(std::move(section));
  return out;
}

}  // namespace roofline::chart
