// The parts of a figure in characters.
#pragma once

#include <string>
#include <string_view>

#include "chart/figure.hpp"
#include "chart/text.hpp"

namespace roofline::chart {

/// The coordinate system of a panel with its axes, each line ended.
[[nodiscard]] std::string text_plot(const Panel& panel, const TextOptions& options);
/// Its bars.
[[nodiscard]] std::string text_bars(const Panel& panel, const TextOptions& options);

/// One character for a marker.
[[nodiscard]] std::string_view glyph_of(Shape shape, Standing standing, bool unicode);
[[nodiscard]] std::string_view glyph_of(Part part, bool unicode);
/// What tells a series from others where there are no colours.
[[nodiscard]] Shape shape_of_series(Hue hue);

/// Without colours the type is said in words: `bf16 2048x2048x2048`.
[[nodiscard]] std::string spoken_label(const Mark& mark, bool with_type);
/// Whether marks of several types are drawn.
[[nodiscard]] bool has_several_types(const Panel& panel);

}  // namespace roofline::chart
