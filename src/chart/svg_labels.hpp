// Labels of an SVG plot: each where it hides nothing, or not at all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chart/axis.hpp"
#include "chart/figure.hpp"
#include "chart/placer.hpp"
#include "chart/svg_pen.hpp"

namespace roofline::chart {

/// Of letters over and under their line, in pixels.
inline constexpr double kAscent = 9;
inline constexpr double kDescent = 3;

/// From the units of the data to pixels.
struct Frame {
  const Axis& x_axis;
  const Axis& y_axis;
  Box area;

  [[nodiscard]] double x(double value) const {
    return area.left + fraction(x_axis, value) * (area.right - area.left);
  }
  [[nodiscard]] double y(double value) const {
    return area.bottom - fraction(y_axis, value) * (area.bottom - area.top);
  }
};

/// A roof on the picture, from left to right.
struct RoofTrack {
  Position from;
  Position direction;  ///< of length 1
  double length = 0;
  bool flat = false;
};

/// Where the baseline of a roof's label begins: along the roof from its left end, and above it.
struct RoofSlot {
  double along = 0;
  double off = 0;
};

/// How the labels of marks are placed.
struct MarkLabels {
  double radius = 5;  ///< of the marks
  /// A mark without room beside it has its label farther away, with a line that leads there.
  bool leaders = false;
  /// A label that a line strikes through would be read as that line's.
  bool never_on_lines = false;
};

class LabelLayer {
 public:
  explicit LabelLayer(const Frame& frame);

  void add_lines(const Panel& panel);
  void block_mark(Position at, double radius);
  /// Along each roof, where there is room; under marks where there is none beside them.
  void label_roofs(const Panel& panel);
  /// At the top of each line.
  void label_guides(const std::vector<Guide>& guides);
  /// At the foot of the line that leads down from each ridge.
  void label_ridges(const std::vector<Ridge>& ridges);
  /// Beside the marks, those of low rank first, as many as stay readable.
  void label_marks(const std::vector<const Mark*>& marks, const MarkLabels& how);

  /// What was written since it was last taken.
  [[nodiscard]] std::string take_svg();

 private:
  /// Of a level label, and the end of it that is certain: the font is the reader's.
  struct Spot {
    Box box;
    Anchor anchor = Anchor::start;
  };
  struct RoofText;
  void label_roof(const Line& line);
  [[nodiscard]] std::optional<RoofSlot> clear_slot(const RoofText& text, double gap) const;
  [[nodiscard]] std::optional<RoofSlot> least_covering_slot(const RoofText& text) const;
  [[nodiscard]] bool is_clear(const RoofText& text, const RoofSlot& slot) const;
  void write_along(const RoofText& text, const RoofSlot& slot, const std::string& classes);

  struct Led;
  [[nodiscard]] std::optional<Spot> beside(Position at, double width, double radius,
                                           bool off_lines) const;
  [[nodiscard]] std::optional<Led> farther(Position at, double width, double radius) const;
  bool label_mark(const Mark& mark, const MarkLabels& how, bool crowded);
  void write(const std::string& label, const std::string& classes, const Spot& spot);

  const Frame& frame_;
  Placer all_;      ///< marks and words
  Placer words_;    ///< words alone
  Placer thin_;     ///< lines that words had better not cross
  Placer leaders_;  ///< those of them that lead from marks to their labels
  std::string svg_;
};

}  // namespace roofline::chart
