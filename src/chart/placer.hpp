// Where labels have room: boxes and lines on a plane that must not be written over. Deterministic,
// and quick for many thousand marks. Knows no unit: pixels and characters alike.
#pragma once

#include <cstddef>
#include <vector>

#include "chart/figure.hpp"

namespace roofline::chart {

struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

[[nodiscard]] bool overlap(const Box& one, const Box& other);
/// Whether the line between two points passes through the box.
[[nodiscard]] bool crosses(const Box& box, Position from, Position to);

class Placer {
 public:
  /// Labels stay within `bounds`. `cell` is about the height of a label.
  Placer(const Box& bounds, double cell);

  /// Nothing else may be written there.
  void block(const Box& box);
  /// May be written over only where there is no other place.
  void add_line(Position from, Position to);

  /// Within bounds and over no blocked box.
  [[nodiscard]] bool is_free(const Box& box) const;
  /// How many blocked boxes it covers, about; of a crowd at least a few dozen.
  [[nodiscard]] std::size_t covered(const Box& box) const;
  /// Whether a line passes through; `own`, the line that begins there, does not count.
  [[nodiscard]] bool on_line(const Box& box, const Position* own = nullptr) const;

 private:
  struct Cell {
    std::vector<Box> boxes;
    bool full = false;
  };
  [[nodiscard]] std::size_t column(double x) const;
  [[nodiscard]] std::size_t row(double y) const;

  struct Segment {
    Position from;
    Position to;
  };
  Box bounds_;
  double cell_;
  std::size_t columns_;
  std::size_t rows_;
  std::vector<Cell> cells_;
  std::vector<Segment> lines_;
};

}  // namespace roofline::chart
