#include "chart/placer.hpp"

#include <algorithm>
#include <cmath>

namespace roofline::chart {
namespace {

/// So many boxes in one cell leave no room between them.
constexpr std::size_t kFull = 24;

std::size_t cells_along(double length, double cell) {
  return static_cast<std::size_t>(std::clamp(std::ceil(length / cell), 1.0, 4096.0));
}

}  // namespace

bool overlap(const Box& one, const Box& other) {
  return one.left < other.right && other.left < one.right && one.top < other.bottom &&
         other.top < one.bottom;
}

bool crosses(const Box& box, Position from, Position to) {
  // What is left of the line after each side of the box has cut it (Liang and Barsky).
  double first = 0;
  double last = 1;
  const double dx = to.x - from.x;
  const double dy = to.y - from.y;
  const auto cut = [&](double direction, double distance) {
    if (direction == 0) return distance >= 0;
    const double at = distance / direction;
    if (direction < 0) {
      first = std::max(first, at);
    } else {
      last = std::min(last, at);
    }
    return first <= last;
  };
  return cut(-dx, from.x - box.left) && cut(dx, box.right - from.x) && cut(-dy, from.y - box.top) &&
         cut(dy, box.bottom - from.y);
}

Placer::Placer(const Box& bounds, double cell)
    : bounds_(bounds),
      cell_(cell),
      columns_(cells_along(bounds.right - bounds.left, cell)),
      rows_(cells_along(bounds.bottom - bounds.top, cell)),
      cells_(columns_ * rows_) {}

std::size_t Placer::column(double x) const {
  const double at = std::floor((x - bounds_.left) / cell_);
  return static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(columns_ - 1)));
}

std::size_t Placer::row(double y) const {
  const double at = std::floor((y - bounds_.top) / cell_);
  return static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(rows_ - 1)));
}

void Placer::block(const Box& box) {
  for (std::size_t r = row(box.top); r <= row(box.bottom); ++r) {
    for (std::size_t c = column(box.left); c <= column(box.right); ++c) {
      Cell& cell = cells_[r * columns_ + c];
      cell.boxes.push_back(box);
      if (cell.boxes.size() < kFull) continue;
      cell.boxes.clear();
      cell.full = true;
    }
  }
}

void Placer::add_line(Position from, Position to) { lines_.push_back({from, to}); }

bool Placer::is_free(const Box& box) const {
  if (box.left < bounds_.left || box.right > bounds_.right || box.top < bounds_.top ||
      box.bottom > bounds_.bottom) {
    return false;
  }
  for (std::size_t r = row(box.top); r <= row(box.bottom); ++r) {
    for (std::size_t c = column(box.left); c <= column(box.right); ++c) {
      const Cell& cell = cells_[r * columns_ + c];
      if (cell.full) return false;
      for (const Box& other : cell.boxes) {
        if (overlap(box, other)) return false;
      }
    }
  }
  return true;
}

std::size_t Placer::covered(const Box& box) const {
  std::size_t out = 0;
  for (std::size_t r = row(box.top); r <= row(box.bottom); ++r) {
    for (std::size_t c = column(box.left); c <= column(box.right); ++c) {
      const Cell& cell = cells_[r * columns_ + c];
      out += cell.full ? kFull : 0;
      out += static_cast<std::size_t>(
          std::count_if(cell.boxes.begin(), cell.boxes.end(),
                        [&](const Box& other) { return overlap(box, other); }));
    }
  }
  return out;
}

bool Placer::on_line(const Box& box, const Position* own) const {
  return std::any_of(lines_.begin(), lines_.end(), [&](const Segment& line) {
    const bool is_own = own != nullptr && line.from.x == own->x && line.from.y == own->y;
    return !is_own && crosses(box, line.from, line.to);
  });
}

}  // namespace roofline::chart
