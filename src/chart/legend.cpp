#include <algorithm>
#include <array>
#include <map>

#include "chart/look.hpp"

namespace roofline::chart {
namespace {

/// Every mark of a figure, those of the strips too.
template <class Visit>
void each_mark(const Figure& figure, const Visit& visit) {
  for (const Panel& panel : figure.panels) {
    for (const Mark& mark : panel.marks) visit(mark);
    for (const Strip& strip : panel.strips) {
      for (const Mark& mark : strip.marks) visit(mark);
    }
  }
}

std::string stroke_text(Stroke stroke) {
  switch (stroke) {
    case Stroke::solid:
      return "measured";
    case Stroke::dashed:
      return "datasheet, derived or given";
    case Stroke::dotted:
      return "down to the ridge's intensity";
  }
  return {};
}

}  // namespace

std::vector<LegendSection> legend_of(const Figure& figure, const TypeHues& hues,
                                     const ShortNames& names) {
  std::array<bool, 8> shapes{};
  std::array<bool, 5> standings{};
  std::map<DType, Hue> types;
  each_mark(figure, [&](const Mark& mark) {
    shapes[static_cast<std::size_t>(mark.shape)] = true;
    standings[static_cast<std::size_t>(mark.standing)] = true;
    if (mark.record == nullptr || !computes(mark.record->workload)) return;
    const DType dtype = compute_dtype(mark.record->workload);
    types[dtype] = hues.of(dtype);
  });
  std::vector<LegendSection> out;
  LegendSection family{"Family", {}};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (!shapes[i]) continue;
    const auto shape = static_cast<Shape>(i);
    std::string text(family_name(shape));
    if (shape == Shape::triangle && !names.weights().empty())
      text += ", T rows, " + names.weights();
    family.entries.push_back({.sample = Sample::shape, .shape = shape, .text = std::move(text)});
  }
  LegendSection type{"Type", {}};
  for (const auto& [dtype, hue] : types) {
    type.entries.push_back({.sample = Sample::hue, .hue = hue, .text = std::string(name(dtype))});
  }
  LegendSection roofs{"Roofs", {}};
  for (const Stroke stroke : {Stroke::solid, Stroke::dashed}) {
    const bool drawn =
        std::any_of(figure.panels.begin(), figure.panels.end(), [&](const Panel& panel) {
          return std::any_of(panel.lines.begin(), panel.lines.end(),
                             [&](const Line& line) { return line.roof && line.stroke == stroke; });
        });
    if (drawn)
      roofs.entries.push_back(
          {.sample = Sample::stroke, .stroke = stroke, .text = stroke_text(stroke)});
  }
  for (const Panel& panel : figure.panels) {
    if (panel.bands.empty()) continue;
    roofs.entries.push_back({.sample = Sample::band, .text = "other mixes of reads, writes"});
    break;
  }
  LegendSection points{"Points", {}};
  // Where every point is a sound measurement there is nothing to tell apart.
  const bool apart =
      std::any_of(standings.begin() + 1, standings.end(), [](bool is) { return is; });
  for (std::size_t i = 0; i < standings.size(); ++i) {
    if (!standings[i] || !apart) continue;
    const auto standing = static_cast<Standing>(i);
    points.entries.push_back({.sample = Sample::standing,
                              .standing = standing,
                              .text = std::string(standing_text(standing))});
  }
  for (LegendSection* section : {&family, &type, &roofs, &points}) {
    if (!section->entries.empty()) out.push_back(std::move(*section));
  }
  return out;
}

}  // namespace roofline::chart
