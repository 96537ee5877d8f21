// Plain text in columns, and wrapped lines. Knows nothing of what the text means.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace roofline::report {

/// Columns of a terminal that UTF-8 text takes, wide characters apart.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// Spaces become no-break spaces, which wrap() keeps together and writes as plain ones.
[[nodiscard]] std::string unbroken(std::string_view text);

/// `first` followed by the words of `text`; later lines are indented to the width of `first`. Ends
/// with a newline. A word longer than the line stays whole.
[[nodiscard]] std::string wrap(std::string_view first, std::string_view text, std::size_t width);

enum class Paint { none, bold, dim, yellow, red };
[[nodiscard]] std::string painted(std::string text, Paint paint, bool colour);

/// Of a line whose columns have these widths.
[[nodiscard]] std::size_t width_of_line(const std::vector<std::size_t>& columns);

class Grid {
 public:
  struct Column {
    std::string heading;
    std::string unit;    ///< second line of the heading
    bool right = false;  ///< numbers
  };
  struct Row {
    std::string mark = {};  ///< at most two characters before the first cell
    std::vector<std::string> cells =
        {};  ///< where there are fewer than columns, `rest` takes their place
    std::string rest = {};
    std::vector<std::string> notes = {};  ///< lines below
    Paint paint = Paint::none;
  };

  explicit Grid(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void reserve(std::size_t rows) { rows_.reserve(rows); }
  void add(Row row) { rows_.push_back(std::move(row)); }

  /// Of the columns; `rest` and notes are wrapped to whatever there is.
  [[nodiscard]] std::size_t width() const;
  [[nodiscard]] std::string text(std::size_t width, bool colour) const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths() const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace roofline::report
