// The strokes that SVG pictures are made of: numbers, texts, paths and markers as XML.
#pragma once

#include <string>
#include <string_view>

#include "chart/figure.hpp"

namespace roofline::chart {

/// Pixels to a tenth, without a trailing `.0`.
[[nodiscard]] std::string px(double value);

/// All digits of a double, as JSON has them.
[[nodiscard]] std::string exact(double value);

/// Of labels and ticks, in pixels.
inline constexpr double kTextSize = 11;

/// About how wide a text is, in pixels; rather too wide, since the font is the reader's.
[[nodiscard]] double text_width(std::string_view text, double size);

enum class Anchor { start, middle, end };

/// `classes` choose the look in svg_style.hpp. The text is escaped here.
[[nodiscard]] std::string text_element(Position at, std::string_view text, std::string_view classes,
                                       Anchor anchor = Anchor::start, double rotation = 0);
/// Straight lines from point to point.
[[nodiscard]] std::string path_data(const std::vector<Position>& path);
/// A marker's outline around `at`.
[[nodiscard]] std::string marker_data(Shape shape, Position at, double radius);
/// A path with a tooltip where `tip` is not empty.
[[nodiscard]] std::string path_element(std::string_view data, std::string_view classes,
                                       std::string_view tip = {});
[[nodiscard]] std::string rectangle(double left, double top, double width, double height,
                                    std::string_view classes);
/// Of a line: ` da` for a dashed one.
[[nodiscard]] std::string stroke_classes(Stroke stroke);
/// `h3 o`: colour and filling of a marker.
[[nodiscard]] std::string marker_classes(Hue hue, Standing standing);

}  // namespace roofline::chart
