#include <algorithm>

#include "chart/axis.hpp"
#include "chart/svg_pen.hpp"
#include "chart/svg_plot.hpp"
#include "chart/svg_text.hpp"
#include "report/markup.hpp"

namespace roofline::chart {
namespace {

constexpr double kRow = 22;
constexpr double kBar = 13;
constexpr double kNames = 240;
constexpr double kNotes = 330;

/// What fits into `width` of a sentence, whose end says least.
std::string fitted(const std::string& text, double width) {
  if (text_width(text, kTextSize) <= width) return text;
  std::string out = text;
  while (!out.empty() && text_width(out, kTextSize) > width - 12) {
    out.pop_back();
    // Never half a character.
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0U) == 0x80U)
      out.pop_back();
  }
  return out + "\xE2\x80\xA6";
}

std::string bar_svg(const Bar& bar, const Panel& panel, const Box& plot, double middle) {
  const auto x = [&](double value) {
    return plot.left + std::clamp(fraction(panel.x, value), 0.0, 1.0) * (plot.right - plot.left);
  };
  std::string out = "<g>";
  if (!bar.tip.empty()) out += "<title>" + report::escaped(bar.tip) + "</title>";
  out += "\n" + text_element({plot.left - 8, middle + 4},
                             shortened(bar.name, kNames - 12, kTextSize), "", Anchor::end);
  for (const Segment& segment : bar.segments) {
    const double left = x(segment.from);
    const double right = x(segment.to);
    if (right - left < 0.05) continue;
    out += rectangle(left, middle - kBar / 2, right - left, kBar,
                     "p" + std::to_string(static_cast<int>(segment.part)));
  }
  return out + text_element({plot.right + 8, middle + 4}, fitted(bar.note, kNotes - 12), "u") +
         "</g>\n";
}

}  // namespace

double bars_height(const Panel& panel) {
  return static_cast<double>(panel.bars.size()) * kRow + 52;
}

std::string svg_bars(const Panel& panel, const Box& area) {
  const Box plot{kMargin + kNames, area.top + 4, kPictureWidth - kMargin - kNotes,
                 area.top + 4 + static_cast<double>(panel.bars.size()) * kRow};
  std::string out;
  std::string grid;
  std::string texts;
  for (const Tick& tick : ticks(panel.x, 6)) {
    const double x = plot.left + fraction(panel.x, tick.at) * (plot.right - plot.left);
    grid += "M" + px(x) + " " + px(plot.top) + "V" + px(plot.bottom);
    texts += text_element({x, plot.bottom + 15}, tick.text, "u", Anchor::middle);
  }
  out += path_element(grid, "g") + texts;
  out += text_element({(plot.left + plot.right) / 2, plot.bottom + 34}, panel.x.title, "t3",
                      Anchor::middle);
  double middle = plot.top + kRow / 2;
  for (const Bar& bar : panel.bars) {
    out += bar_svg(bar, panel, plot, middle);
    middle += kRow;
  }
  return out;
}

}  // namespace roofline::chart
