// A chart as a value: what is drawn, in the units of the data. Knows no format and no pixel; where
// things go and how they look is decided by whoever renders it (svg.hpp, html.hpp, text.hpp).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/columns.hpp"
#include "roofline/record.hpp"

namespace roofline::chart {

enum class Scaling { log10, log2, linear };

struct Axis {
  std::string title = {};
  report::Unit unit = report::Unit::count;
  Scaling scaling = Scaling::log10;
  bool capacity = false;  ///< ticks in KiB and MiB
  double low = 1;
  double high = 10;
};

/// The colour of a thing by number: 0 is the ink of the text, the others are distinguishable.
using Hue = unsigned;
inline constexpr Hue kInk = 0;
inline constexpr Hue kHueCount = 8;

enum class Shape { circle, triangle, square, diamond, wedge, plus, star, pentagon };
enum class Stroke { solid, dashed, dotted };

/// What sets a point apart from those that are to be judged by their distance to the roof.
enum class Standing {
  sound,
  overhead_bound,  ///< neither roof explains its time
  impossible,      ///< so far above a roof that something is wrong
  disturbed,       ///< measured while something else had the machine
  attainable,      ///< never run: where arithmetic alone puts it
};

struct Position {
  double x = 0;
  double y = 0;
};

struct Mark {
  Position at = {};
  bool at_edge = false;  ///< no byte crosses the boundary: beyond every x, on the right edge
  std::optional<double> low = {};  ///< of the interval of the median, in y
  std::optional<double> high = {};
  Shape shape = Shape::circle;
  Hue hue = kInk;
  Standing standing = Standing::sound;
  std::string label = {};  ///< drawn where there is room
  int rank = 2;            ///< lower ones get their label first
  std::string tip = {};    ///< all there is to say, in lines
  const Record* record = nullptr;
};

/// A roof, or what joins the points of a series.
struct Line {
  std::vector<Position> path = {};
  Stroke stroke = Stroke::solid;
  Hue hue = kInk;
  bool roof = false;  ///< labelled along itself
  std::string label = {};
  std::string brief = {};  ///< a shorter label for where the other has no room; may be empty
  std::string tip = {};
};

/// Between two lines, both from left to right.
struct Band {
  std::vector<Position> upper = {};
  std::vector<Position> lower = {};
  std::string tip = {};
};

/// Where two roofs meet.
struct Ridge {
  Position at = {};
  Hue hue = kInk;
  std::string label = {};  ///< empty for one that is marked only
  std::string tip = {};
};

/// A value of x that matters, as a vertical line.
struct Guide {
  double at = 0;
  Stroke stroke = Stroke::solid;
  std::string label = {};
};

/// Points of one dimension, in a row of their own: those that have no place under a roof.
struct Strip {
  std::string title = {};
  Axis axis = {};
  std::vector<Guide> guides = {};
  std::vector<Mark> marks = {};  ///< by x alone
};

/// What a ceiling is lost to, and what lies above it.
enum class Part { achieved, kernel, overhead, platform, above };
inline constexpr std::size_t kPartCount = 5;

struct Segment {
  double from = 0;
  double to = 0;
  Part part = Part::achieved;
};

/// One row of a stacked bar chart, on the panel's x axis.
struct Bar {
  std::string name = {};
  std::vector<Segment> segments = {};
  std::string note = {};
  std::string tip = {};
  const Record* record = nullptr;
};

/// One coordinate system with its strips. Without lines, marks and bars only the strips are drawn.
struct Panel {
  std::string title = {};
  std::vector<std::string> notes = {};
  Axis x = {};
  Axis y = {};
  std::vector<Band> bands = {};
  std::vector<Line> lines = {};
  std::vector<Guide> guides = {};
  std::vector<Ridge> ridges = {};
  std::vector<Mark> marks = {};
  std::vector<Bar> bars = {};
  std::vector<Strip> strips = {};
  bool by_series = false;  ///< a mark's colour is its series, and its shape says nothing more

  [[nodiscard]] bool has_plot() const { return !lines.empty() || !marks.empty(); }
};

enum class Sample { shape, hue, stroke, band, standing, part };

struct LegendEntry {
  Sample sample = Sample::shape;
  Shape shape = Shape::circle;
  Hue hue = kInk;
  Stroke stroke = Stroke::solid;
  Standing standing = Standing::sound;
  Part part = Part::achieved;
  std::string text = {};
};

struct LegendSection {
  std::string title = {};
  std::vector<LegendEntry> entries = {};
};

struct Figure {
  std::string title = {};
  std::string subtitle = {};
  std::vector<std::string> warnings = {};  ///< of the whole: a simulated device
  std::vector<Panel> panels = {};
  std::vector<LegendSection> legend = {};
};

}  // namespace roofline::chart
