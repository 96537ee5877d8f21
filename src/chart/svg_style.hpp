// How pictures look: one style sheet for every SVG and page, light and dark. Okabe and Ito's
// colours, which readers with any colour vision tell apart; darker ones of the same hue for lines
// and texts, which are thinner than markers.
#pragma once

#include <string>

#include "chart/svg.hpp"

namespace roofline::chart {

[[nodiscard]] std::string style_sheet(Theme theme);

}  // namespace roofline::chart
