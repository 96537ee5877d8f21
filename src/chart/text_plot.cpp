#include "chart/text_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "chart/axis.hpp"
#include "chart/placer.hpp"
#include "chart/text_canvas.hpp"
#include "report/grid.hpp"
#include "roofline/printable.hpp"

namespace roofline::chart {
namespace {

std::size_t width_of(std::string_view text) { return report::display_width(text); }

/// A plot in cells: x to the right from 0, y down from 0.
class TextPlot {
 public:
  TextPlot(const Panel& panel, const TextOptions& options, std::size_t columns, std::size_t rows)
      : panel_(panel),
        options_(options),
        canvas_(columns, rows, options.unicode),
        placer_({0, 0, static_cast<double>(columns), static_cast<double>(rows)}, 4) {}

  const Canvas& draw() {
    draw_lines();
    draw_ridges();
    draw_marks();
    label_flat_roofs();
    label_slopes();
    label_ridges();
    label_marks();
    return canvas_;
  }

 private:
  [[nodiscard]] double x(double value) const {
    const double last = static_cast<double>(canvas_.columns()) - 0.01;
    return std::clamp(fraction(panel_.x, value) * last, 0.0, last);
  }
  [[nodiscard]] double y(double value) const {
    const double last = static_cast<double>(canvas_.rows()) - 0.01;
    return std::clamp((1 - fraction(panel_.y, value)) * last, 0.0, last);
  }

  void draw_lines() {
    for (const Guide& guide : panel_.guides) {
      const double at = x(guide.at);
      canvas_.line({at, 0}, {at, static_cast<double>(canvas_.rows()) - 0.01}, Stroke::dotted, kInk);
    }
    for (const Line& line : panel_.lines) {
      for (std::size_t i = 1; i < line.path.size(); ++i) {
        const Position from{x(line.path[i - 1].x), y(line.path[i - 1].y)};
        const Position to{x(line.path[i].x), y(line.path[i].y)};
        canvas_.line(from, to, line.stroke, line.hue);
        placer_.add_line(from, to);
      }
    }
  }

  void draw_ridges() {
    for (const Ridge& ridge : panel_.ridges) {
      const Position at{x(ridge.at.x), y(ridge.at.y)};
      if (!ridge.label.empty()) {
        canvas_.line(at, {at.x, static_cast<double>(canvas_.rows()) - 0.01}, Stroke::dotted,
                     ridge.hue);
      }
      canvas_.put(static_cast<std::size_t>(at.x), static_cast<std::size_t>(at.y),
                  options_.unicode ? "\xE2\x97\xA6" : "+", ridge.hue);
    }
  }

  void draw_marks() {
    for (const Mark& mark : panel_.marks) {
      const double column = std::floor(x(mark.at.x));
      const double row = std::floor(y(mark.at.y));
      canvas_.put(
          static_cast<std::size_t>(column), static_cast<std::size_t>(row),
          glyph_of(panel_.by_series && !options_.colour ? shape_of_series(mark.hue) : mark.shape,
                   mark.standing, options_.unicode),
          mark.hue);
      // What stands right beside a mark is read as its own.
      placer_.block({column - 1, row, column + 2, row + 1});
    }
  }

  bool write(const std::string& text, double column, double row, Hue hue, bool off_lines) {
    const Box box{column, row, column + static_cast<double>(width_of(text)), row + 1};
    if (!placer_.is_free(box)) return false;
    // The margin keeps a line that only touches the cell from counting.
    const Box inner{box.left + 0.1, box.top + 0.1, box.right - 0.1, box.bottom - 0.1};
    if (off_lines && placer_.on_line(inner)) return false;
    placer_.block({box.left - 2, box.top, box.right + 2, box.bottom});
    canvas_.write(static_cast<std::size_t>(column), static_cast<std::size_t>(row), text, hue);
    return true;
  }

  /// In the line itself or beside it, towards its right end.
  void label_flat_roofs() {
    for (const Line& line : panel_.lines) {
      if (!line.roof || line.label.empty() || line.path.front().y != line.path.back().y) continue;
      const std::string text = " " + printable(line.label) + " ";
      const double last =
          std::floor(x(line.path.back().x)) - 1 - static_cast<double>(width_of(text));
      // A text that is longer than the roof begins left of it.
      const double first = std::min(last, std::ceil(x(line.path.front().x)) + 1);
      const double row = std::floor(y(line.path.front().y));
      bool done = false;
      for (const double beside : {row, row - 1, row + 1}) {
        for (double column = last; column >= first && !done; --column)
          done = write(text, column, beside, line.hue, beside != row);
      }
    }
  }

  /// To the right of the line, from its left end on.
  void label_slopes() {
    for (const Line& line : panel_.lines) {
      if (!line.roof || line.label.empty() || line.path.front().y == line.path.back().y) continue;
      const Position from{x(line.path.front().x), y(line.path.front().y)};
      const Position to{x(line.path.back().x), y(line.path.back().y)};
      const std::string text = printable(line.label);
      bool done = false;
      for (double column = std::ceil(from.x) + 1; column < to.x && !done; ++column) {
        const double at = from.y + (to.y - from.y) * (column - from.x) / (to.x - from.x);
        const double row = std::floor(at);
        const double left = column - 2 - static_cast<double>(width_of(text));
        done = write(text, column + 2, row + 1, line.hue, true) ||
               write(text, column + 3, row, line.hue, true) ||
               write(text, left, row - 1, line.hue, true);
      }
    }
  }

  void label_ridges() {
    for (const Ridge& ridge : panel_.ridges) {
      if (ridge.label.empty()) continue;
      const double column = std::floor(x(ridge.at.x));
      const double left = column - 1 - static_cast<double>(width_of(ridge.label));
      bool done = false;
      for (double row = static_cast<double>(canvas_.rows()) - 1;
           row > static_cast<double>(canvas_.rows()) - 7 && !done; --row) {
        done = write(ridge.label, column + 2, row, ridge.hue, true) ||
               write(ridge.label, left, row, ridge.hue, true);
      }
    }
    for (const Guide& guide : panel_.guides) {
      const double column = std::floor(x(guide.at));
      for (int row = 0; row < 3; ++row) {
        if (write(guide.label, column + 1, row, kInk, false)) break;
      }
    }
  }

  void label_marks() {
    constexpr std::size_t kMost = 40;
    const bool with_type = !options_.colour && has_several_types(panel_);
    std::vector<const Mark*> order;
    for (const Mark& mark : panel_.marks) order.push_back(&mark);
    std::stable_sort(order.begin(), order.end(),
                     [](const Mark* a, const Mark* b) { return a->rank < b->rank; });
    std::size_t written = 0;
    for (const Mark* mark : order) {
      if (written == kMost) break;
      const std::string text = spoken_label(*mark, with_type);
      if (text.empty()) continue;
      const double column = std::floor(x(mark->at.x));
      const double row = std::floor(y(mark->at.y));
      const auto width = static_cast<double>(width_of(text));
      const std::array<Position, 4> places = {{{column + 2, row},
                                               {column - 1 - width, row},
                                               {column - std::floor(width / 2), row + 1},
                                               {column - std::floor(width / 2), row - 1}}};
      bool done = false;
      for (const bool off_lines : {true, false}) {
        for (const Position& at : places) {
          if (!done) done = write(text, at.x, at.y, mark->hue, off_lines);
        }
      }
      written += done ? 1 : 0;
    }
  }

  const Panel& panel_;
  const TextOptions& options_;
  Canvas canvas_;
  Placer placer_;
};

/// The y axis to the left of each row.
std::vector<std::string> row_heads(const Axis& axis, std::size_t rows, std::size_t width,
                                   bool unicode) {
  const std::string bar = unicode ? "\xE2\x94\x82" : "|";
  const std::string tick = unicode ? "\xE2\x94\xA4" : "+";
  std::vector<std::string> out(rows, std::string(width, ' ') + " " + bar);
  for (const Tick& one : ticks(axis, std::max<std::size_t>(rows / 3, 2))) {
    if (one.text.empty()) continue;
    const double last = static_cast<double>(rows) - 0.01;
    const double at = std::clamp((1 - fraction(axis, one.at)) * last, 0.0, last);
    out[static_cast<std::size_t>(at)] =
        std::string(width - std::min(width, width_of(one.text)), ' ') + one.text + " " + tick;
  }
  return out;
}

/// The x axis below the plot: a line with ticks, and what they say.
std::string foot(const Axis& axis, std::size_t columns, std::size_t indent, bool unicode) {
  Canvas canvas(columns + indent + 2, 2, unicode);
  const std::string dash = unicode ? "\xE2\x94\x80" : "-";
  canvas.put(indent + 1, 0, unicode ? "\xE2\x94\x94" : "+", kInk);
  for (std::size_t i = 0; i < columns; ++i) canvas.put(indent + 2 + i, 0, dash, kInk);
  std::size_t free_from = 0;
  for (const Tick& one : ticks(axis, std::max<std::size_t>(columns / 9, 2))) {
    if (one.text.empty()) continue;
    const double last = static_cast<double>(columns) - 0.01;
    const auto at = static_cast<std::size_t>(std::clamp(fraction(axis, one.at) * last, 0.0, last));
    canvas.put(indent + 2 + at, 0, unicode ? "\xE2\x94\xB4" : "+", kInk);
    const std::size_t half = width_of(one.text) / 2;
    const std::size_t begin = indent + 2 + at - std::min(half, indent + 2 + at);
    if (begin < free_from || begin + width_of(one.text) > columns + indent + 2) continue;
    canvas.write(begin, 1, one.text, kInk);
    free_from = begin + width_of(one.text) + 1;
  }
  return canvas.row_text(0, false) + "\n" + canvas.row_text(1, false) + "\n";
}

}  // namespace

bool has_several_types(const Panel& panel) {
  std::set<DType> types;
  for (const Mark& mark : panel.marks) {
    if (mark.record != nullptr && computes(mark.record->workload))
      types.insert(compute_dtype(mark.record->workload));
  }
  return types.size() > 1;
}

std::string spoken_label(const Mark& mark, bool with_type) {
  const bool typed = with_type && mark.record != nullptr && computes(mark.record->workload);
  if (mark.label.empty()) return {};
  return printable(typed
                       ? std::string(name(compute_dtype(mark.record->workload))) + " " + mark.label
                       : mark.label);
}

std::string text_plot(const Panel& panel, const TextOptions& options) {
  std::size_t margin = 0;
  const std::size_t rows = std::clamp<std::size_t>(options.width * 3 / 10, 16, 40);
  for (const Tick& one : ticks(panel.y, rows / 3)) margin = std::max(margin, width_of(one.text));
  const std::size_t used = margin + 3;
  const std::size_t columns = options.width > used + 20 ? options.width - used : 20;
  TextPlot plot(panel, options, columns, rows);
  const Canvas& canvas = plot.draw();
  const std::vector<std::string> heads = row_heads(panel.y, rows, margin, options.unicode);
  std::string out;
  for (std::size_t row = 0; row < rows; ++row) {
    out += heads[row] + canvas.row_text(row, options.colour) + "\n";
  }
  out += foot(panel.x, columns, margin, options.unicode);
  const std::string& title = panel.x.title;
  const std::size_t before = margin + 2 + (columns - std::min(columns, title.size())) / 2;
  return out + std::string(before, ' ') + title + "\n";
}

}  // namespace roofline::chart
