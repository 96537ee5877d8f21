#include "chart/series_panel.hpp"

#include <algorithm>
#include <cmath>

namespace roofline::chart {

void SeriesHues::add(const SeriesByName& series) {
  for (const auto& [name, unused] : series) {
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
  }
}

Hue SeriesHues::of(const std::string& name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  const auto at = static_cast<Hue>(found - names_.begin());
  // Ink is the last to be used, since roofs are drawn in it.
  return (at + 1) % kHueCount;
}

LegendSection SeriesHues::legend(std::string title) const {
  LegendSection out{std::move(title), {}};
  for (std::size_t i = 0; i < names_.size() && i < kHueCount; ++i) {
    out.entries.push_back({.sample = Sample::hue, .hue = of(names_[i]), .text = names_[i]});
  }
  if (names_.size() > kHueCount) {
    out.entries.push_back(
        {.sample = Sample::hue,
         .text = std::to_string(names_.size() - kHueCount) + " more, in the same colours"});
  }
  return out;
}

std::string SeriesHues::shared_note() const {
  if (names_.size() <= kHueCount) return {};
  return std::to_string(names_.size()) + " series share " + std::to_string(kHueCount) +
         " colours, and none is named beside its line: --filter chooses some of them.";
}

std::optional<SeriesAxes> series_axes(const std::vector<SeriesDraft>& drafts, Axis x, Axis y) {
  Extent across;
  Extent up;
  for (const SeriesDraft& draft : drafts) {
    for (const auto& [name, series] : draft.series) {
      for (const Mark& mark : series.marks) {
        across.include(mark.at.x);
        for (const double value : {mark.at.y, mark.low.value_or(0), mark.high.value_or(0)})
          up.include(value);
      }
      for (const Position& at : series.ceiling) up.include(at.y);
    }
  }
  if (across.empty() || up.empty()) return std::nullopt;
  for (const SeriesDraft& draft : drafts) {
    if (draft.series.empty()) continue;
    for (const Line& roof : draft.roofs) up.include(roof.path.front().y);
  }
  const Axis high = log_axis(std::move(y.title), y.unit, up.low() / 1.5, up.high() * 1.5);
  x.scaling = Scaling::log2;
  x.low = std::exp2(std::floor(std::log2(across.low()) + 1e-9)) / std::sqrt(2.0);
  x.high = std::exp2(std::ceil(std::log2(across.high()) - 1e-9)) * std::sqrt(2.0);
  return SeriesAxes{std::move(x), high};
}

Panel series_panel(SeriesDraft draft, const SeriesAxes& axes, const SeriesHues& hues) {
  Panel out{.notes = std::move(draft.notes), .x = axes.x, .y = axes.y};
  out.by_series = true;
  if (draft.series.empty()) return out;
  const std::string shared = hues.shared_note();
  if (!shared.empty()) out.notes.push_back(shared);
  for (Line& roof : draft.roofs) {
    const double y = roof.path.front().y;
    roof.path = {{axes.x.low, y}, {axes.x.high, y}};
    out.lines.push_back(std::move(roof));
  }
  for (Guide& guide : draft.guides) {
    if (guide.at > axes.x.low && guide.at < axes.x.high) out.guides.push_back(std::move(guide));
  }
  const auto by_x = [](const Position& a, const Position& b) { return a.x < b.x; };
  for (auto& [name, series] : draft.series) {
    const Hue hue = hues.of(name);
    std::stable_sort(series.marks.begin(), series.marks.end(),
                     [](const Mark& a, const Mark& b) { return a.at.x < b.at.x; });
    std::stable_sort(series.ceiling.begin(), series.ceiling.end(), by_x);
    if (series.ceiling.size() > 1) {
      out.lines.push_back({.path = std::move(series.ceiling),
                           .stroke = Stroke::dashed,
                           .hue = hue,
                           .tip = "ceiling of " + name});
    }
    Line line{.hue = hue, .tip = name};
    for (Mark& mark : series.marks) {
      mark.hue = hue;
      line.path.push_back(mark.at);
      mark.label.clear();
    }
    // Of lines that share a colour a name would be read as any one's.
    if (shared.empty()) series.marks.back().label = name;
    if (line.path.size() > 1) out.lines.push_back(std::move(line));
    out.marks.insert(out.marks.end(), std::make_move_iterator(series.marks.begin()),
                     std::make_move_iterator(series.marks.end()));
  }
  return out;
}

}  // namespace roofline::chart
