#include "chart/svg_labels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace roofline::chart {
namespace {

/// More labels than that are no help to anyone.
constexpr std::size_t kMostLabels = 60;
/// Of so many marks a label that is there already says nothing new.
constexpr std::size_t kCrowd = 24;
/// Among so many marks a label at a distance is not found back to its mark.
constexpr std::size_t kMostLed = 40;
/// Marks that may ask for room: in a crowd the first ones have it all.
constexpr std::size_t kMostTries = 3000;
/// Marks of a higher rank go without a label rather than have one that a line strikes through.
constexpr int kMustBeTold = 0;

constexpr double kHeight = kAscent + kDescent;

/// Letters are taken for a line's where they touch it.
Box grown(const Box& box) { return {box.left - 1, box.top - 1.5, box.right + 1, box.bottom + 1}; }

std::string hue_class(Hue hue) { return "halo h" + std::to_string(hue % kHueCount); }

}  // namespace

/// A label at a distance, and the line that leads to it.
struct LabelLayer::Led {
  Spot spot;
  Position from;
  Position to;
};

LabelLayer::LabelLayer(const Frame& frame)
    : frame_(frame),
      all_(frame.area, 14),
      words_(frame.area, 14),
      thin_(frame.area, 14),
      leaders_(frame.area, 14) {}

void LabelLayer::add_lines(const Panel& panel) {
  for (const Line& line : panel.lines) {
    for (std::size_t i = 1; i < line.path.size(); ++i) {
      const Position from{frame_.x(line.path[i - 1].x), frame_.y(line.path[i - 1].y)};
      const Position to{frame_.x(line.path[i].x), frame_.y(line.path[i].y)};
      all_.add_line(from, to);
      words_.add_line(from, to);
    }
  }
  for (const Ridge& ridge : panel.ridges) {
    if (ridge.label.empty()) continue;
    const double x = frame_.x(ridge.at.x);
    thin_.add_line({x, frame_.y(ridge.at.y)}, {x, frame_.area.bottom});
  }
}

void LabelLayer::block_mark(Position at, double radius) {
  all_.block({at.x - radius, at.y - radius, at.x + radius, at.y + radius});
}

std::string LabelLayer::take_svg() { return std::exchange(svg_, {}); }

void LabelLayer::write(const std::string& label, const std::string& classes, const Spot& spot) {
  const Box& box = spot.box;
  all_.block(box);
  words_.block(box);
  const double x = spot.anchor == Anchor::start ? box.left
                   : spot.anchor == Anchor::end ? box.right
                                                : (box.left + box.right) / 2;
  svg_ += text_element({x, box.bottom - kDescent}, label, classes, spot.anchor);
}

std::optional<LabelLayer::Spot> LabelLayer::beside(Position at, double width, double radius,
                                                   bool off_lines) const {
  const double near = radius + 3;
  const double side = radius * 0.7 + 2;
  const auto spot = [&](double left, double top, Anchor anchor) {
    return Spot{{left, top, left + width, top + kHeight}, anchor};
  };
  // To the right, the left, below and above, then towards the corners.
  const std::array<Spot, 8> spots = {spot(at.x + near, at.y - kHeight / 2, Anchor::start),
                                     spot(at.x - near - width, at.y - kHeight / 2, Anchor::end),
                                     spot(at.x - width / 2, at.y + near, Anchor::middle),
                                     spot(at.x - width / 2, at.y - near - kHeight, Anchor::middle),
                                     spot(at.x + side, at.y + side, Anchor::start),
                                     spot(at.x + side, at.y - side - kHeight, Anchor::start),
                                     spot(at.x - side - width, at.y + side, Anchor::end),
                                     spot(at.x - side - width, at.y - side - kHeight, Anchor::end)};
  for (const bool off_thin_lines : {true, false}) {
    for (const Spot& one : spots) {
      if (!all_.is_free(one.box) || (off_lines && all_.on_line(grown(one.box)))) continue;
      if (!off_thin_lines || !thin_.on_line(one.box)) return one;
    }
  }
  return std::nullopt;
}

std::optional<LabelLayer::Led> LabelLayer::farther(Position at, double width, double radius) const {
  constexpr std::array<double, 6> kRings = {14, 24, 36, 50, 66, 84};
  constexpr double kMain = 0.7071;
  constexpr double kFlat = 0.9239;
  constexpr double kSteep = 0.3827;
  constexpr std::array<Position, 16> kWays = {{{kMain, kMain},
                                               {-kMain, -kMain},
                                               {kMain, -kMain},
                                               {-kMain, kMain},
                                               {0, 1},
                                               {0, -1},
                                               {1, 0},
                                               {-1, 0},
                                               {kSteep, kFlat},
                                               {-kSteep, -kFlat},
                                               {kSteep, -kFlat},
                                               {-kSteep, kFlat},
                                               {kFlat, kSteep},
                                               {-kFlat, -kSteep},
                                               {kFlat, -kSteep},
                                               {-kFlat, kSteep}}};
  // The corner of the mark's own box, and a little more.
  const double beyond_own = radius * 1.42 + 1.5;
  for (const double ring : kRings) {
    for (const Position& way : kWays) {
      const Position to{at.x + way.x * (radius + ring), at.y + way.y * (radius + ring)};
      // The line ends at the side or the corner of the label that is nearest to the mark.
      const double left = to.x - width * (way.x > 0 ? 0 : way.x < 0 ? 1 : 0.5);
      const double top = to.y - kHeight * (way.x != 0 ? 0.5 : way.y > 0 ? 0 : 1);
      const Anchor anchor = way.x > 0 ? Anchor::start : way.x < 0 ? Anchor::end : Anchor::middle;
      const Led led{{{left, top, left + width, top + kHeight}, anchor},
                    {at.x + way.x * (radius + 1), at.y + way.y * (radius + 1)},
                    {to.x - way.x, to.y - way.y}};
      const Box& box = led.spot.box;
      if (!all_.is_free(box) || all_.on_line(grown(box)) || thin_.on_line(box)) continue;
      // It passes no other mark, no word and none of its own kind.
      bool open = true;
      for (double step = beyond_own; step < radius + ring - 1 && open; step += 1.5) {
        const Position here{at.x + way.x * step, at.y + way.y * step};
        const Box dot{here.x - 1, here.y - 1, here.x + 1, here.y + 1};
        open = all_.is_free(dot) && !leaders_.on_line(dot);
      }
      if (open) return led;
    }
  }
  return std::nullopt;
}

bool LabelLayer::label_mark(const Mark& mark, const MarkLabels& how, bool crowded) {
  const double width = text_width(mark.label, kTextSize);
  const Position at{frame_.x(mark.at.x), frame_.y(mark.at.y)};
  auto spot = beside(at, width, how.radius, true);
  if (!spot && how.leaders && !crowded) {
    if (const auto led = farther(at, width, how.radius)) {
      svg_ += path_element(path_data({led->from, led->to}),
                           "l th h" + std::to_string(mark.hue % kHueCount));
      leaders_.add_line(led->from, led->to);
      thin_.add_line(led->from, led->to);
      spot = led->spot;
    }
  }
  const bool on_lines = !how.never_on_lines && (!crowded || mark.rank <= kMustBeTold);
  if (!spot && on_lines) spot = beside(at, width, how.radius, false);
  if (spot) write(mark.label, hue_class(mark.hue), *spot);
  return spot.has_value();
}

void LabelLayer::label_marks(const std::vector<const Mark*>& marks, const MarkLabels& how) {
  std::vector<const Mark*> order = marks;
  std::stable_sort(order.begin(), order.end(),
                   [](const Mark* a, const Mark* b) { return a->rank < b->rank; });
  if (order.size() > kMostTries) order.resize(kMostTries);
  const bool crowded = marks.size() > kMostLed;
  std::size_t written = 0;
  std::set<std::pair<std::string, Hue>> told;
  for (const Mark* mark : order) {
    if (written == kMostLabels) break;
    if (mark->label.empty()) continue;
    if (marks.size() > kCrowd && told.count({mark->label, mark->hue}) != 0) continue;
    if (!label_mark(*mark, how, crowded)) continue;
    told.emplace(mark->label, mark->hue);
    ++written;
  }
}

}  // namespace roofline::chart
