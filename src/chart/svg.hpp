// A figure as SVG: plain XML whose text stays text, without scripts, fonts or anything from
// elsewhere; a marker tells all of its point in its <title>. Pure: the same figure, the same bytes.
#pragma once

#include <string>

#include "chart/figure.hpp"

namespace roofline::chart {

enum class Theme {
  automatic,  ///< light, and dark where the viewer prefers it
  light,
  dark,
};

struct SvgOptions {
  Theme theme = Theme::automatic;
  bool standalone = true;  ///< a file of its own, with the XML declaration
};

/// Up to this many marks in a figure carry their point's data as attributes (data-id,
/// data-intensity, data-achieved, data-roof, data-class), all digits; of more, marks that look the
/// same in the same place are drawn once.
inline constexpr std::size_t kDetailedMarks = 6000;

[[nodiscard]] std::string to_svg(const Figure& figure, const SvgOptions& options);

}  // namespace roofline::chart
