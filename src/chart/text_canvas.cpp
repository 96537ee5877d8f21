#include "chart/text_canvas.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace roofline::chart {
namespace {

/// U+2800 and the dots of one cell.
std::string braille(unsigned char dots) {
  const unsigned point = 0x2800U + dots;
  return {static_cast<char>(0xE0U | (point >> 12U)),
          static_cast<char>(0x80U | ((point >> 6U) & 0x3FU)),
          static_cast<char>(0x80U | (point & 0x3FU))};
}

/// Where the n-th of some steps along a line is drawn.
bool inked(Stroke stroke, int step) {
  switch (stroke) {
    case Stroke::solid:
      return true;
    case Stroke::dashed:
      return step % 6 < 3;
    case Stroke::dotted:
      return step % 4 == 0;
  }
  return true;
}

}  // namespace

std::string tinted(std::string_view text, Hue hue, bool colour) {
  // Of the 256 colours those that read on black and on white.
  constexpr std::array<int, kHueCount> kColours = {0, 32, 166, 35, 172, 74, 169, 142};
  if (!colour || hue == kInk) return std::string(text);
  return "\x1b[38;5;" + std::to_string(kColours[hue % kHueCount]) + "m" + std::string(text) +
         "\x1b[0m";
}

Canvas::Canvas(std::size_t columns, std::size_t rows, bool unicode)
    : columns_(columns), rows_(rows), unicode_(unicode), cells_(columns * rows) {}

Canvas::Cell* Canvas::cell(double column, double row) {
  if (!(column >= 0) || !(row >= 0)) return nullptr;
  if (column >= static_cast<double>(columns_) || row >= static_cast<double>(rows_)) return nullptr;
  return &cells_[static_cast<std::size_t>(row) * columns_ + static_cast<std::size_t>(column)];
}

void Canvas::line(Position from, Position to, Stroke stroke, Hue hue) {
  if (unicode_) {
    dot_line(from, to, stroke, hue);
  } else {
    ascii_line(from, to, stroke, hue);
  }
}

void Canvas::dot_line(Position from, Position to, Stroke stroke, Hue hue) {
  // Bit by column and row of the dot within its cell.
  constexpr unsigned char kBits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  const double dx = (to.x - from.x) * 2;
  const double dy = (to.y - from.y) * 4;
  const int steps = std::max(1, static_cast<int>(std::ceil(std::max(std::abs(dx), std::abs(dy)))));
  for (int step = 0; step <= steps; ++step) {
    if (!inked(stroke, step)) continue;
    const double share = static_cast<double>(step) / steps;
    const double x = from.x * 2 + dx * share;
    const double y = from.y * 4 + dy * share;
    Cell* const at = cell(x / 2, y / 4);
    if (at == nullptr) continue;
    const auto column = static_cast<std::size_t>(x) % 2;
    const auto row = static_cast<std::size_t>(y) % 4;
    at->dots = static_cast<unsigned char>(at->dots | kBits[row][column]);
    if (at->hue == kInk) at->hue = hue;
  }
}

void Canvas::ascii_line(Position from, Position to, Stroke stroke, Hue hue) {
  const double dx = to.x - from.x;
  const double dy = to.y - from.y;
  const int steps = std::max(1, static_cast<int>(std::ceil(std::max(std::abs(dx), std::abs(dy)))));
  const bool flat = std::abs(dy) < 0.5;
  const bool upright = std::abs(dx) < 0.5;
  const char* const glyph = flat ? "-" : upright ? ":" : dy < 0 ? "/" : "\\";
  for (int step = 0; step <= steps; ++step) {
    if (stroke != Stroke::solid && !upright && step % 2 != 0) continue;
    const double share = static_cast<double>(step) / steps;
    Cell* const at = cell(from.x + dx * share, from.y + dy * share);
    if (at == nullptr || !at->glyph.empty()) continue;
    at->glyph = stroke == Stroke::solid || upright || flat ? glyph : ".";
    at->hue = hue;
  }
}

void Canvas::put(std::size_t column, std::size_t row, std::string_view glyph, Hue hue) {
  if (column >= columns_ || row >= rows_) return;
  Cell& at = cells_[row * columns_ + column];
  at.glyph = glyph;
  at.hue = hue;
}

void Canvas::write(std::size_t column, std::size_t row, std::string_view text, Hue hue) {
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
    put(column, row, text.substr(begin, end - begin), hue);
    ++column;
    begin = end;
  }
}

std::string Canvas::row_text(std::size_t row, bool colour) const {
  std::string out;
  std::string blanks;
  for (std::size_t column = 0; column < columns_; ++column) {
    const Cell& at = cells_[row * columns_ + column];
    if ((at.glyph.empty() || at.glyph == " ") && at.dots == 0) {
      blanks += ' ';
      continue;
    }
    out += blanks;
    blanks.clear();
    out += tinted(at.glyph.empty() ? braille(at.dots) : at.glyph, at.hue, colour);
  }
  return out;
}

}  // namespace roofline::chart
