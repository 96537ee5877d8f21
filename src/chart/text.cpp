#include "chart/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "chart/axis.hpp"
#include "chart/text_canvas.hpp"
#include "chart/text_plot.hpp"
#include "report/format.hpp"
#include "report/grid.hpp"
#include "roofline/printable.hpp"

namespace roofline::chart {
namespace {

/// Of a strip so many points are named.
constexpr std::size_t kNamed = 24;

std::string sample_of(const LegendEntry& entry, const TextOptions& options) {
  switch (entry.sample) {
    case Sample::shape:
      return std::string(glyph_of(entry.shape, Standing::sound, options.unicode));
    case Sample::hue:
      if (!options.colour)
        return std::string(glyph_of(shape_of_series(entry.hue), Standing::sound, options.unicode));
      return tinted(options.unicode ? "\xE2\x96\xA0" : "#", entry.hue, options.colour);
    case Sample::stroke:
      if (entry.stroke == Stroke::solid)
        return options.unicode ? "\xE2\xA0\xA4\xE2\xA0\xA4\xE2\xA0\xA4" : "---";
      return options.unicode ? "\xE2\xA0\xA4 \xE2\xA0\xA4" : "- -";
    case Sample::standing:
      return std::string(glyph_of(Shape::circle, entry.standing, options.unicode));
    case Sample::part:
      return std::string(glyph_of(entry.part, options.unicode));
    case Sample::band:
      break;
  }
  return {};
}

std::string legend_text(const std::vector<LegendSection>& legend, const TextOptions& options) {
  std::string out;
  for (const LegendSection& section : legend) {
    const bool colours = !section.entries.empty() && section.entries.front().sample == Sample::hue;
    // Without colours there is nothing to explain.
    if (colours && !options.colour && section.title == "Type") continue;
    std::string line;
    for (const LegendEntry& entry : section.entries) {
      const std::string sample = sample_of(entry, options);
      if (sample.empty()) continue;
      line += (line.empty() ? "" : "  ") + report::unbroken(sample + " " + printable(entry.text));
    }
    std::string title = section.title;
    title.resize(std::max<std::size_t>(title.size() + 1, 8), ' ');
    if (!line.empty()) out += report::wrap(title, line, options.width);
  }
  return out;
}

/// The points of a strip with their values, largest first.
std::string strip_text(const Strip& strip, const TextOptions& options, bool with_type) {
  std::vector<const Mark*> order;
  for (const Mark& mark : strip.marks) order.push_back(&mark);
  const bool times = strip.axis.unit == report::Unit::second;
  std::stable_sort(order.begin(), order.end(), [&](const Mark* a, const Mark* b) {
    return times ? a->at.x < b->at.x : a->at.x > b->at.x;
  });
  std::string list;
  for (std::size_t i = 0; i < order.size() && i < kNamed; ++i) {
    const std::string one = spoken_label(*order[i], with_type) + " " +
                            report::format(report::Cell(order[i]->at.x), strip.axis.unit);
    list += (list.empty() ? "" : ", ") + report::unbroken(one);
  }
  if (order.size() > kNamed) list += ", and " + std::to_string(order.size() - kNamed) + " more";
  return report::wrap(strip.title + ": ", list, options.width);
}

std::string panel_text(const Panel& panel, const TextOptions& options) {
  std::string out;
  if (!panel.title.empty()) out += "\n" + printable(panel.title) + "\n";
  if (!panel.bars.empty()) out += text_bars(panel, options);
  if (panel.has_plot()) out += text_plot(panel, options);
  const bool with_type = !options.colour && has_several_types(panel);
  for (const Strip& strip : panel.strips) out += strip_text(strip, options, with_type);
  for (const std::string& note : panel.notes)
    out += report::wrap("", printable(note), options.width);
  if (panel.bars.empty() && !panel.has_plot() && panel.strips.empty() && panel.notes.empty())
    out += "Nothing to draw.\n";
  return out;
}

}  // namespace

std::string_view glyph_of(Shape shape, Standing standing, bool unicode) {
  constexpr std::array<std::string_view, 8> kFilled = {
      "\xE2\x97\x8F", "\xE2\x96\xB2", "\xE2\x96\xA0", "\xE2\x97\x86",
      "\xE2\x96\xBC", "\xE2\x9C\x9A", "\xE2\x98\x85", "\xE2\xAC\x9F"};
  constexpr std::array<std::string_view, 8> kHollow = {
      "\xE2\x97\x8B", "\xE2\x96\xB3", "\xE2\x96\xA1", "\xE2\x97\x87",
      "\xE2\x96\xBD", "\xE2\x9C\x9B", "\xE2\x98\x86", "\xE2\xAC\xA0"};
  constexpr std::array<std::string_view, 8> kAscii = {"o", "^", "#", "*", "v", "x", "%", "@"};
  if (standing == Standing::impossible) return "!";
  if (standing == Standing::disturbed) return "?";
  if (!unicode && standing == Standing::overhead_bound) return "~";
  if (!unicode) return kAscii[static_cast<std::size_t>(shape)];
  return (standing == Standing::overhead_bound ? kHollow
                                               : kFilled)[static_cast<std::size_t>(shape)];
}

Shape shape_of_series(Hue hue) {
  // Series begin at the hue after ink.
  return static_cast<Shape>((hue + kHueCount - 1) % kHueCount);
}

std::string_view glyph_of(Part part, bool unicode) {
  constexpr std::array<std::string_view, kPartCount> kUnicode = {
      "\xE2\x96\x88", "\xE2\x96\x92", "\xE2\x94\x80", "\xE2\x96\x91", "!"};
  constexpr std::array<std::string_view, kPartCount> kAscii = {"#", "=", "-", ".", "!"};
  return (unicode ? kUnicode : kAscii)[static_cast<std::size_t>(part)];
}

std::string text_bars(const Panel& panel, const TextOptions& options) {
  // What is said beside a bar takes about so much.
  constexpr std::size_t kNote = 32;
  std::size_t names = 0;
  for (const Bar& bar : panel.bars)
    names = std::max(names, report::display_width(printable(bar.name)));
  names = std::min<std::size_t>(names, 40);
  const std::size_t used = names + 4 + kNote;
  const std::size_t width_of_bar =
      std::clamp<std::size_t>(options.width > used ? options.width - used : 0, 16, 60);
  std::string out;
  for (const Bar& bar : panel.bars) {
    std::string name = printable(bar.name);
    const std::size_t width = report::display_width(name);
    if (width < names) name.append(names - width, ' ');
    std::string cells;
    std::size_t drawn = 0;
    for (const Segment& segment : bar.segments) {
      const double share = std::clamp(fraction(panel.x, segment.to), 0.0, 1.0);
      const auto end =
          static_cast<std::size_t>(std::lround(share * static_cast<double>(width_of_bar)));
      for (; drawn < end; ++drawn) cells += glyph_of(segment.part, options.unicode);
    }
    cells.append(width_of_bar - std::min(drawn, width_of_bar), ' ');
    out += name + "  " + cells + "  " + printable(bar.note) + "\n";
  }
  return out;
}

std::string to_text(const Figure& figure, const TextOptions& options) {
  std::string out = report::wrap("", printable(figure.title), options.width);
  if (!figure.subtitle.empty()) out += report::wrap("", printable(figure.subtitle), options.width);
  for (const std::string& warning : figure.warnings)
    out += report::wrap("", printable(warning), options.width);
  out += "\n" + legend_text(figure.legend, options);
  for (const Panel& panel : figure.panels) out += panel_text(panel, options);
  return out;
}

}  // namespace roofline::chart
