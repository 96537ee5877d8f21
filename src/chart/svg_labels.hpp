// Labels of an SVG plot: each where it hides nothing, or not at all.
#pragma once

#include <string>
#include <vector>

#include "chart/axis.hpp"
#include "chart/figure.hpp"
#include "chart/placer.hpp"

namespace roofline::chart {

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

class LabelLayer {
 public:
  explicit LabelLayer(const Frame& frame);

  void add_lines(const Panel& panel);
  void block_mark(Position at, double radius);
  /// Along each roof, where there is room; over marks where there is none beside them.
  void label_roofs(const Panel& panel);
  /// At the top of each line.
  void label_guides(const std::vector<Guide>& guides);
  /// At the foot of the line that leads down from each ridge.
  void label_ridges(const std::vector<Ridge>& ridges);
  /// Beside the marks, those of low rank first, as many as stay readable.
  void label_marks(const std::vector<const Mark*>& marks, double radius);

  [[nodiscard]] const std::string& svg() const { return svg_; }

 private:
  bool place_along(const std::string& label, const std::string& classes, Position from,
                   Position to);
  void write(const std::string& label, const std::string& classes, const Box& box);

  const Frame& frame_;
  Placer all_;    ///< marks and words
  Placer words_;  ///< words alone
  std::string svg_;
};

}  // namespace roofline::chart
