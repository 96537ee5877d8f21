// The parts of an SVG picture, each placed in a rectangle of pixels.
#pragma once

#include <cstddef>
#include <string>

#include "chart/figure.hpp"
#include "chart/placer.hpp"

namespace roofline::chart {

inline constexpr double kPictureWidth = 960;
inline constexpr double kMargin = 20;

struct Look {
  double radius = 5;     ///< of markers
  bool detailed = true;  ///< data attributes, and every mark drawn
};

/// The coordinate system with all that lies in it, and its axes outside of `area`.
[[nodiscard]] std::string svg_plot(const Panel& panel, const Box& area, const Look& look);
/// One row; title and ticks outside of `area`.
[[nodiscard]] std::string svg_strip(const Strip& strip, const Box& area, const Look& look);
/// The bars, from `area.top` down; the height they take is bars_height().
[[nodiscard]] std::string svg_bars(const Panel& panel, const Box& area);
[[nodiscard]] double bars_height(const Panel& panel);

/// The legend in rows from `top` down, and where it ends.
struct Placed {
  std::string svg;
  double bottom = 0;
};
[[nodiscard]] Placed svg_legend(const std::vector<LegendSection>& legend, double top);

/// One marker with error bar, tooltip and, where `detailed`, its data.
[[nodiscard]] std::string svg_mark(const Mark& mark, Position at, const Look& look);

}  // namespace roofline::chart
