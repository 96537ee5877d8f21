#include "chart/svg_pen.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "report/grid.hpp"
#include "report/markup.hpp"

namespace roofline::chart {
namespace {

/// Corners of a marker in units of its radius, clockwise from the top or left.
using Corners = std::vector<Position>;

const Corners& corners_of(Shape shape) {
  static const Corners triangle{{0, -1.15}, {1.05, 0.75}, {-1.05, 0.75}};
  static const Corners square{{-0.85, -0.85}, {0.85, -0.85}, {0.85, 0.85}, {-0.85, 0.85}};
  static const Corners diamond{{0, -1.2}, {1.2, 0}, {0, 1.2}, {-1.2, 0}};
  static const Corners wedge{{-1.05, -0.75}, {1.05, -0.75}, {0, 1.15}};
  static const Corners plus{{-0.4, -1.1}, {0.4, -1.1}, {0.4, -0.4},  {1.1, -0.4},
                            {1.1, 0.4},   {0.4, 0.4},  {0.4, 1.1},   {-0.4, 1.1},
                            {-0.4, 0.4},  {-1.1, 0.4}, {-1.1, -0.4}, {-0.4, -0.4}};
  static const Corners star{{0, -1.25}, {0.33, -0.4},  {1.2, -0.35}, {0.53, 0.2},   {0.75, 1.05},
                            {0, 0.56},  {-0.75, 1.05}, {-0.53, 0.2}, {-1.2, -0.35}, {-0.33, -0.4}};
  static const Corners pentagon{{0, -1.15}, {1.1, -0.3}, {0.7, 1}, {-0.7, 1}, {-1.1, -0.3}};
  static const std::array<const Corners*, 8> all = {nullptr, &triangle, &square, &diamond,
                                                    &wedge,  &plus,     &star,   &pentagon};
  return *all[static_cast<std::size_t>(shape)];
}

}  // namespace

std::string px(double value) {
  const long long tenths = std::llround(value * 10);
  std::string out = std::to_string(tenths / 10);
  if (tenths < 0 && tenths > -10) out.insert(0, "-");
  if (tenths % 10 != 0) {
    out += '.';
    out += static_cast<char>('0' + std::llabs(tenths % 10));
  }
  return out;
}

std::string exact(double value) {
  std::array<char, 32> out{};
  const auto [end, error] = std::to_chars(out.data(), out.data() + out.size(), value);
  return error == std::errc() ? std::string(out.data(), end) : std::string();
}

double text_width(std::string_view text, double size) {
  double out = 0;
  double other = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) {
      ++other;
    } else if (std::string_view("iljI.,:;'|!()[] /").find(c) != std::string_view::npos) {
      out += 0.38;
    } else if (std::string_view("mwMW@%").find(c) != std::string_view::npos) {
      out += 0.95;
    } else if (std::string_view("=+<>~#&CDGHNOQRU").find(c) != std::string_view::npos) {
      out += 0.8;
    } else {
      out += 0.63;
    }
  }
  // Of characters beyond ASCII only their columns are known.
  if (other > 0) out = 0.63 * static_cast<double>(report::display_width(text));
  return out * size;
}

std::string text_element(Position at, std::string_view text, std::string_view classes,
                         Anchor anchor, double rotation) {
  constexpr std::array<std::string_view, 3> kAnchors = {"", " m", " e"};
  std::string out = "<text class=\"";
  out += classes;
  out += kAnchors[static_cast<std::size_t>(anchor)];
  out += "\" x=\"" + px(at.x) + "\" y=\"" + px(at.y) + "\"";
  if (rotation != 0) {
    out += " transform=\"rotate(" + px(rotation) + " " + px(at.x) + " " + px(at.y) + ")\"";
  }
  return out + ">" + report::escaped(text) + "</text>\n";
}

std::string path_data(const std::vector<Position>& path) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    out += (i == 0 ? "M" : "L") + px(path[i].x) + " " + px(path[i].y);
  }
  return out;
}

std::string marker_data(Shape shape, Position at, double radius) {
  if (shape == Shape::circle) {
    const std::string r = px(radius);
    const std::string arc = "a" + r + " " + r + " 0 1 0 ";
    return "M" + px(at.x - radius) + " " + px(at.y) + arc + px(2 * radius) + " 0" + arc +
           px(-2 * radius) + " 0z";
  }
  std::string out;
  Position before;
  for (const Position& corner : corners_of(shape)) {
    const Position here{std::round((at.x + radius * corner.x) * 10) / 10,
                        std::round((at.y + radius * corner.y) * 10) / 10};
    out += out.empty() ? "M" + px(here.x) + " " + px(here.y)
                       : "l" + px(here.x - before.x) + " " + px(here.y - before.y);
    before = here;
  }
  return out + "z";
}

std::string path_element(std::string_view data, std::string_view classes, std::string_view tip) {
  std::string out = "<path class=\"";
  out += classes;
  out += "\" d=\"";
  out += data;
  if (tip.empty()) return out + "\"/>\n";
  return out + "\"><title>" + report::escaped(tip) + "</title></path>\n";
}

std::string rectangle(double left, double top, double width, double height,
                      std::string_view classes) {
  return "<rect class=\"" + std::string(classes) + "\" x=\"" + px(left) + "\" y=\"" + px(top) +
         "\" width=\"" + px(width) + "\" height=\"" + px(height) + "\"/>\n";
}

std::string stroke_classes(Stroke stroke) {
  return stroke == Stroke::dashed ? " da" : stroke == Stroke::dotted ? " do" : "";
}

std::string marker_classes(Hue hue, Standing standing) {
  constexpr std::array<std::string_view, 5> kStandings = {"", " o", " o", " d", " a"};
  std::string out = "k h" + std::to_string(hue % kHueCount);
  out += kStandings[static_cast<std::size_t>(standing)];
  return out;
}

}  // namespace roofline::chart
