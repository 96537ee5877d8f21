// What a picture says where: the texts and markers of an SVG, read back from its XML.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "chart/placer.hpp"
#include "chart/svg_pen.hpp"

namespace roofline::chart {

inline double number_after(const std::string& line, const std::string& name) {
  const std::size_t found = line.find(name);
  double out = 0;
  if (found == std::string::npos) return out;
  const std::size_t at = found + name.size();
  std::from_chars(line.data() + at, line.data() + line.size(), out);
  return out;
}

/// A text along a line that may be slanted.
struct SvgText {
  std::string classes;
  std::string text;
  Position at;       ///< of its anchor
  double angle = 0;  ///< in degrees
  double left = 0;   ///< where it begins and ends, along its line, from `at`
  double right = 0;
  double size = 11;
  std::size_t place = 0;  ///< in the file

  /// Of a level one.
  [[nodiscard]] Box box() const {
    return {at.x + left, at.y - 0.8 * size, at.x + right, at.y + 0.25 * size};
  }
  /// From a point to the nearest letter.
  [[nodiscard]] double distance(Position point) const {
    const double radians = angle * 3.14159265358979 / 180;
    const double x = point.x - at.x;
    const double y = point.y - at.y;
    const double along = x * std::cos(radians) + y * std::sin(radians);
    const double down = y * std::cos(radians) - x * std::sin(radians);
    const double across = std::max({0.0, -8 - down, down - 2});
    return std::hypot(std::max({0.0, left - along, along - right}), across);
  }
};

/// Those whose classes begin so.
inline std::vector<SvgText> texts_of(const std::string& svg, const std::string& classes = "") {
  std::vector<SvgText> out;
  const std::string begin = "<text class=\"" + classes;
  for (std::size_t at = svg.find(begin); at != std::string::npos; at = svg.find(begin, at + 1)) {
    const std::string line = svg.substr(at, svg.find('\n', at) - at);
    SvgText one;
    one.place = at;
    one.classes = " " + line.substr(13, line.find('"', 13) - 13) + " ";
    const std::size_t start = line.find('>') + 1;
    one.text = line.substr(start, line.find('<', start) - start);
    one.at = {number_after(line, " x=\""), number_after(line, " y=\"")};
    one.angle = number_after(line, "rotate(");
    const auto has = [&](const std::string& name) {
      return one.classes.find(" " + name + " ") != std::string::npos;
    };
    one.size = has("t1") ? 18 : has("t2") ? 14 : has("t3") ? 12 : 11;
    const bool bold = has("t1") || has("t2") || has("b");
    const double width = text_width(one.text, one.size) * (bold ? 1.1 : 1);
    one.left = has("e") ? -width : has("m") ? -width / 2 : 0;
    one.right = one.left + width;
    out.push_back(std::move(one));
  }
  return out;
}

struct SvgMarker {
  Position at;
  std::size_t place = 0;
};

/// Markers of the plots that are circles, squares, triangles or diamonds: their middles.
inline std::vector<SvgMarker> markers_of(const std::string& svg) {
  std::vector<SvgMarker> out;
  const std::string begin = "<path class=\"k h";
  const std::size_t plot = svg.find("class=\"fr\"");
  for (std::size_t at = svg.find(begin, plot); at != std::string::npos;
       at = svg.find(begin, at + 1)) {
    const std::string line = svg.substr(at, svg.find('\n', at) - at);
    const std::size_t path = line.find(" d=\"M") + 5;
    const std::string data = line.substr(path, line.find('"', path) - path);
    Position here;
    std::from_chars(data.data(), data.data() + data.size(), here.x);
    here.y = number_after(data, " ");
    if (data.find('a') != std::string::npos) {
      out.push_back({{here.x + number_after(data, "a"), here.y}, at});
      continue;
    }
    Box box{here.x, here.y, here.x, here.y};
    for (std::size_t step = data.find('l'); step != std::string::npos;
         step = data.find('l', step + 1)) {
      const std::string rest = data.substr(step);
      here = {here.x + number_after(rest, "l"), here.y + number_after(rest, " ")};
      box = {std::min(box.left, here.x), std::min(box.top, here.y), std::max(box.right, here.x),
             std::max(box.bottom, here.y)};
    }
    out.push_back({{(box.left + box.right) / 2, (box.top + box.bottom) / 2}, at});
  }
  return out;
}

}  // namespace roofline::chart
