// A grid of characters that lines, markers and words are put on. Knows terminals, no charts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "chart/figure.hpp"

namespace roofline::chart {

/// `text` in the colour of a hue; as it is for ink, and where there is no colour.
[[nodiscard]] std::string tinted(std::string_view text, Hue hue, bool colour);

class Canvas {
 public:
  Canvas(std::size_t columns, std::size_t rows, bool unicode);

  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }

  /// Straight lines in units of cells, from the top left corner. Drawn in dots of which a cell has
  /// two by four; in ASCII in characters that lean as the line does.
  void line(Position from, Position to, Stroke stroke, Hue hue);
  /// One character, over whatever is there; outside of the grid nothing.
  void put(std::size_t column, std::size_t row, std::string_view glyph, Hue hue);
  /// A word, one character a cell.
  void write(std::size_t column, std::size_t row, std::string_view text, Hue hue);

  /// A row without the blanks at its end.
  [[nodiscard]] std::string row_text(std::size_t row, bool colour) const;

 private:
  struct Cell {
    std::string glyph;       ///< empty for dots or nothing
    unsigned char dots = 0;  ///< as braille has them
    Hue hue = kInk;
  };
  void dot_line(Position from, Position to, Stroke stroke, Hue hue);
  void ascii_line(Position from, Position to, Stroke stroke, Hue hue);
  [[nodiscard]] Cell* cell(double column, double row);

  std::size_t columns_;
  std::size_t rows_;
  bool unicode_;
  std::vector<Cell> cells_;
};

}  // namespace roofline::chart
