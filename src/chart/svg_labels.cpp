#include "chart/svg_labels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "chart/svg_pen.hpp"

namespace roofline::chart {
namespace {

constexpr double kAscent = 9;
constexpr double kDescent = 3;
constexpr double kGap = 4;
/// Of slopes, whose neighbours run along with them.
constexpr double kSlopeGap = 6;
/// More labels than that are no help to anyone.
constexpr std::size_t kMostLabels = 60;
/// Of so many marks a label that is there already says nothing new.
constexpr std::size_t kCrowd = 24;
/// Marks that may ask for room: in a crowd the first ones have it all.
constexpr std::size_t kMostTries = 3000;

std::string hue_class(Hue hue) { return "halo h" + std::to_string(hue % kHueCount); }

/// The boxes that a text covers which begins at `start` and runs along `direction`.
std::vector<Box> boxes_along(Position start, Position direction, double width) {
  std::vector<Box> out;
  const double step = 4;
  // Upwards from the baseline, seen from the text.
  const Position up{direction.y, -direction.x};
  const auto count = static_cast<int>(std::ceil(width / step));
  for (int i = 0; i < count; ++i) {
    const double at = i * step;
    const double end = std::min(at + step, width);
    Box box{1e9, 1e9, -1e9, -1e9};
    for (const double along : {at, end}) {
      for (const double across : {-kDescent, kAscent}) {
        const double x = start.x + direction.x * along + up.x * across;
        const double y = start.y + direction.y * along + up.y * across;
        box = {std::min(box.left, x), std::min(box.top, y), std::max(box.right, x),
               std::max(box.bottom, y)};
      }
    }
    out.push_back(box);
  }
  return out;
}

}  // namespace

LabelLayer::LabelLayer(const Frame& frame)
    : frame_(frame), all_(frame.area, 14), words_(frame.area, 14) {}

void LabelLayer::add_lines(const Panel& panel) {
  for (const Line& line : panel.lines) {
    for (std::size_t i = 1; i < line.path.size(); ++i) {
      const Position from{frame_.x(line.path[i - 1].x), frame_.y(line.path[i - 1].y)};
      const Position to{frame_.x(line.path[i].x), frame_.y(line.path[i].y)};
      all_.add_line(from, to);
      words_.add_line(from, to);
    }
  }
}

void LabelLayer::block_mark(Position at, double radius) {
  all_.block({at.x - radius, at.y - radius, at.x + radius, at.y + radius});
}

bool LabelLayer::place_along(const std::string& label, const std::string& classes, Position from,
                             Position to) {
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const double width = text_width(label, kTextSize);
  const bool flat = std::abs(to.y - from.y) < 1e-9;
  // A text that is longer than a flat roof begins left of it.
  if (!(length > 0) || (!flat && width > length - 8)) return false;
  const Position direction{(to.x - from.x) / length, (to.y - from.y) / length};
  const Position up{direction.y, -direction.x};
  const double angle = std::atan2(direction.y, direction.x) * 180 / 3.14159265358979;
  const double room = length - 8 - width;
  constexpr int kSteps = 24;
  const auto try_at = [&](const Placer& placer, double along, double off) {
    const Position start{from.x + direction.x * along + up.x * off,
                         from.y + direction.y * along + up.y * off};
    const std::vector<Box> boxes = boxes_along(start, direction, width);
    const bool fits = std::all_of(boxes.begin(), boxes.end(), [&](const Box& box) {
      return placer.is_free(box) && !placer.on_line(box, &from);
    });
    if (!fits) return false;
    for (const Box& box : boxes) {
      all_.block(box);
      words_.block(box);
    }
    svg_ += text_element(start, label, classes, Anchor::start, flat ? 0 : angle);
    return true;
  };
  // Over marks only where there is no room beside them.
  for (const Placer* placer : {&all_, &words_}) {
    for (int step = 0; step <= kSteps; ++step) {
      // Flat roofs are told at their right end, slopes at their left one.
      const double share = static_cast<double>(flat ? kSteps - step : step) / kSteps;
      const double along = 4 + (room > 0 ? share * room : room);
      const double gap = flat ? kGap : kSlopeGap;
      for (const double off : {gap, -gap - kAscent + 1}) {
        if (try_at(*placer, along, off)) return true;
      }
    }
    // In front of a flat roof, above the slope that leads up to it.
    if (flat && try_at(*placer, -width - 10, -kDescent)) return true;
  }
  return false;
}

void LabelLayer::label_roofs(const Panel& panel) {
  for (const Line& line : panel.lines) {
    if (!line.roof || line.label.empty() || line.path.size() < 2) continue;
    const Position from{frame_.x(line.path.front().x), frame_.y(line.path.front().y)};
    const Position to{frame_.x(line.path.back().x), frame_.y(line.path.back().y)};
    place_along(line.label, hue_class(line.hue), from, to);
  }
}

void LabelLayer::write(const std::string& label, const std::string& classes, const Box& box) {
  all_.block(box);
  words_.block(box);
  svg_ += text_element({box.left, box.bottom - kDescent}, label, classes);
}

void LabelLayer::label_guides(const std::vector<Guide>& guides) {
  for (const Guide& guide : guides) {
    if (guide.label.empty()) continue;
    const double x = frame_.x(guide.at);
    const double width = text_width(guide.label, kTextSize);
    const double height = kAscent + kDescent;
    const double top = frame_.area.top + 2;
    for (int row = 0; row < 4; ++row) {
      const double y = top + row * (height + 2);
      const Box right{x + 4, y, x + 4 + width, y + height};
      const Box left{x - 4 - width, y, x - 4, y + height};
      const Box* const fit = all_.is_free(left) ? &left : all_.is_free(right) ? &right : nullptr;
      if (fit == nullptr) continue;
      write(guide.label, hue_class(kInk), *fit);
      break;
    }
  }
}

void LabelLayer::label_ridges(const std::vector<Ridge>& ridges) {
  for (const Ridge& ridge : ridges) {
    if (ridge.label.empty()) continue;
    const double x = frame_.x(ridge.at.x);
    const double width = text_width(ridge.label, kTextSize);
    const double height = kAscent + kDescent;
    for (int row = 0; row < 8; ++row) {
      const double bottom = frame_.area.bottom - 4 - row * (height + 2);
      const Box right{x + 4, bottom - height, x + 4 + width, bottom};
      const Box left{x - 4 - width, bottom - height, x - 4, bottom};
      const auto fits = [&](const Box& box) { return all_.is_free(box) && !all_.on_line(box); };
      const Box* const fit = fits(right) ? &right : fits(left) ? &left : nullptr;
      if (fit == nullptr) continue;
      write(ridge.label, hue_class(ridge.hue), *fit);
      break;
    }
  }
}

void LabelLayer::label_marks(const std::vector<const Mark*>& marks, double radius) {
  std::vector<const Mark*> order = marks;
  std::stable_sort(order.begin(), order.end(),
                   [](const Mark* a, const Mark* b) { return a->rank < b->rank; });
  if (order.size() > kMostTries) order.resize(kMostTries);
  std::size_t written = 0;
  std::set<std::pair<std::string, Hue>> told;
  const double height = kAscent + kDescent;
  for (const Mark* mark : order) {
    if (written == kMostLabels) break;
    if (mark->label.empty()) continue;
    if (marks.size() > kCrowd && told.count({mark->label, mark->hue}) != 0) continue;
    const double width = text_width(mark->label, kTextSize);
    const Position at{frame_.x(mark->at.x), frame_.y(mark->at.y)};
    const double near = radius + 3;
    const double side = radius * 0.7 + 2;
    // To the right, the left, below and above, then towards the corners.
    const std::array<Position, 8> corners = {{{at.x + near, at.y - height / 2},
                                              {at.x - near - width, at.y - height / 2},
                                              {at.x - width / 2, at.y + near},
                                              {at.x - width / 2, at.y - near - height},
                                              {at.x + side, at.y + side},
                                              {at.x + side, at.y - side - height},
                                              {at.x - side - width, at.y + side},
                                              {at.x - side - width, at.y - side - height}}};
    const auto box_at = [&](const Position& corner) {
      return Box{corner.x, corner.y, corner.x + width, corner.y + height};
    };
    const Position* chosen = nullptr;
    for (const bool off_lines : {true, false}) {
      for (const Position& corner : corners) {
        const Box box = box_at(corner);
        if (!all_.is_free(box) || (off_lines && all_.on_line(box))) continue;
        chosen = &corner;
        break;
      }
      if (chosen != nullptr) break;
    }
    if (chosen == nullptr) continue;
    write(mark->label, hue_class(mark->hue), box_at(*chosen));
    told.emplace(mark->label, mark->hue);
    ++written;
  }
}

}  // namespace roofline::chart
