#include "chart/svg_pen.hpp"
#include "chart/svg_plot.hpp"

namespace roofline::chart {
namespace {

constexpr double kSampleWidth = 24;
constexpr double kRowHeight = 18;

std::string sample_svg(const LegendEntry& entry, double left, double middle) {
  const Position centre{left + kSampleWidth / 2 - 3, middle};
  switch (entry.sample) {
    case Sample::shape:
      return path_element(marker_data(entry.shape, centre, 5), "k h0");
    case Sample::hue:
      return rectangle(centre.x - 5, middle - 5, 10, 10, "k h" + std::to_string(entry.hue));
    case Sample::stroke:
      return path_element(path_data({{left, middle}, {left + kSampleWidth - 5, middle}}),
                          "l h" + std::to_string(entry.hue) + stroke_classes(entry.stroke));
    case Sample::band:
      return rectangle(left, middle - 4.5, kSampleWidth - 5, 9, "band");
    case Sample::standing: {
      const Mark mark{.standing = entry.standing};
      return svg_mark(mark, centre, {});
    }
    case Sample::part:
      return rectangle(left, middle - 5, kSampleWidth - 6, 10,
                       "p" + std::to_string(static_cast<int>(entry.part)));
  }
  return {};
}

}  // namespace

Placed svg_legend(const std::vector<LegendSection>& legend, double top) {
  Placed out;
  double x = kMargin;
  double y = top;
  const double right = kPictureWidth - kMargin;
  for (const LegendSection& section : legend) {
    const double title = text_width(section.title, kTextSize) + 10;
    double whole = title;
    for (const LegendEntry& entry : section.entries)
      whole += kSampleWidth + text_width(entry.text, kTextSize) + 10;
    if (x > kMargin && x + whole > right) {
      x = kMargin;
      y += kRowHeight;
    }
    out.svg += text_element({x, y + 4}, section.title, "u b");
    x += title;
    for (const LegendEntry& entry : section.entries) {
      const double width = kSampleWidth + text_width(entry.text, kTextSize) + 10;
      if (x > kMargin && x + width > right) {
        x = kMargin;
        y += kRowHeight;
      }
      out.svg += sample_svg(entry, x, y);
      out.svg += text_element({x + kSampleWidth, y + 4}, entry.text, "");
      x += width;
    }
    x += 12;
  }
  out.bottom = legend.empty() ? top : y + kRowHeight;
  return out;
}

}  // namespace roofline::chart
