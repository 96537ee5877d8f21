#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "chart/svg_labels.hpp"

namespace roofline::chart {
namespace {

constexpr double kGap = 4;
/// Of slopes, whose neighbours run along with them.
constexpr double kSlopeGap = 6;
/// Of a label beyond the marks that lie on the roof.
constexpr double kSecondRow = 11;
/// Labels keep so far from a roof's ends.
constexpr double kEnd = 4;
/// Between the places that are tried.
constexpr double kStep = 6;

/// Across a line, upwards, in pixels.
struct Reach {
  double low = 0;
  double high = 0;
};

Position above(const RoofTrack& track, const RoofSlot& slot) {
  // Upwards from the roof, seen along it.
  const Position up{track.direction.y, -track.direction.x};
  return {track.from.x + track.direction.x * slot.along + up.x * slot.off,
          track.from.y + track.direction.y * slot.along + up.y * slot.off};
}

/// The boxes of a strip along a roof; small ones, since the strip may be slanted.
std::vector<Box> boxes_along(const RoofTrack& track, double along, double width,
                             const Reach& reach) {
  std::vector<Box> out;
  constexpr double kBox = 4;
  const auto count = static_cast<int>(std::ceil(width / kBox));
  for (int i = 0; i < count; ++i) {
    Box box{1e9, 1e9, -1e9, -1e9};
    for (const double at : {i * kBox, std::min((i + 1) * kBox, width)}) {
      for (const double off : {reach.low, reach.high}) {
        const Position corner = above(track, {along + at, off});
        box = {std::min(box.left, corner.x), std::min(box.top, corner.y),
               std::max(box.right, corner.x), std::max(box.bottom, corner.y)};
      }
    }
    out.push_back(box);
  }
  return out;
}

std::optional<RoofTrack> track_of(const Line& line, const Frame& frame) {
  const Position from{frame.x(line.path.front().x), frame.y(line.path.front().y)};
  const Position to{frame.x(line.path.back().x), frame.y(line.path.back().y)};
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  if (!(length > 0)) return std::nullopt;
  return RoofTrack{from,
                   {(to.x - from.x) / length, (to.y - from.y) / length},
                   length,
                   std::abs(to.y - from.y) < 1e-9};
}

}  // namespace

struct LabelLayer::RoofText {
  RoofTrack track;
  std::string text;
  double width = 0;

  /// The places along the roof, best ones first. A text that is longer than a flat roof begins left
  /// of it; of a slope it has none.
  [[nodiscard]] std::vector<double> places() const {
    const double room = track.length - 2 * kEnd - width;
    if (room <= 0) return track.flat ? std::vector<double>{kEnd + room} : std::vector<double>{};
    std::vector<double> out;
    const auto steps = static_cast<int>(std::ceil(room / kStep));
    for (int i = 0; i <= steps; ++i) out.push_back(kEnd + room * i / steps);
    // Flat roofs are told at their right end, slopes at their left one.
    if (track.flat) std::reverse(out.begin(), out.end());
    return out;
  }
  [[nodiscard]] std::array<double, 2> sides(double gap) const { return {gap, -gap - kAscent + 1}; }
  [[nodiscard]] double gap() const { return track.flat ? kGap : kSlopeGap; }
  [[nodiscard]] std::vector<Box> boxes(const RoofSlot& slot) const {
    return boxes_along(track, slot.along, width, {slot.off - kDescent, slot.off + kAscent});
  }
};

bool LabelLayer::is_clear(const RoofText& text, const RoofSlot& slot) const {
  const std::vector<Box> own = text.boxes(slot);
  const bool free =
      std::all_of(own.begin(), own.end(), [&](const Box& box) { return all_.is_free(box); });
  if (!free) return false;
  // Nor may another line lie between a label and its roof.
  const Reach reach{std::min(slot.off - kDescent, 1.0), std::max(slot.off + kAscent, -1.0)};
  const std::vector<Box> whole = boxes_along(text.track, slot.along, text.width, reach);
  return std::none_of(whole.begin(), whole.end(),
                      [&](const Box& box) { return all_.on_line(box, &text.track.from); });
}

std::optional<RoofSlot> LabelLayer::clear_slot(const RoofText& text, double gap) const {
  for (const double along : text.places()) {
    for (const double off : text.sides(gap)) {
      if (is_clear(text, {along, off})) return RoofSlot{along, off};
    }
  }
  // In front of a flat roof, above the slope that leads up to it.
  const RoofSlot front{-text.width - 10, -kDescent};
  if (text.track.flat && is_clear(text, front)) return front;
  return std::nullopt;
}

std::optional<RoofSlot> LabelLayer::least_covering_slot(const RoofText& text) const {
  std::optional<RoofSlot> best;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const double along : text.places()) {
    for (const double off : text.sides(text.gap())) {
      std::size_t covered = 0;
      bool readable = true;
      for (const Box& box : text.boxes({along, off})) {
        readable = readable && words_.is_free(box) && !words_.on_line(box, &text.track.from);
        covered += all_.covered(box);
      }
      if (!readable || covered >= least) continue;
      least = covered;
      best = RoofSlot{along, off};
    }
  }
  return best;
}

void LabelLayer::write_along(const RoofText& text, const RoofSlot& slot,
                             const std::string& classes) {
  for (const Box& box : text.boxes(slot)) {
    all_.block(box);
    words_.block(box);
  }
  const Position& direction = text.track.direction;
  const double angle = std::atan2(direction.y, direction.x) * 180 / std::numbers::pi;
  svg_ += text_element(above(text.track, slot), text.text, classes, Anchor::start,
                       text.track.flat ? 0 : angle);
}

void LabelLayer::label_roof(const Line& line) {
  const auto track = track_of(line, frame_);
  if (!track) return;
  const std::string classes = "halo h" + std::to_string(line.hue % kHueCount);
  const auto text_of = [&](const std::string& label) {
    return RoofText{*track, label, text_width(label, kTextSize)};
  };
  const RoofText full = text_of(line.label);
  const RoofText brief = text_of(line.brief.empty() ? line.label : line.brief);
  const double near = full.gap();
  for (const double gap : {near, near + kSecondRow}) {
    for (const RoofText* text : {&full, &brief}) {
      const auto slot = clear_slot(*text, gap);
      if (slot) return write_along(*text, *slot, classes);
    }
  }
  // Marks are drawn over what is left.
  if (const auto slot = least_covering_slot(brief)) write_along(brief, *slot, classes);
}

void LabelLayer::label_roofs(const Panel& panel) {
  for (const Line& line : panel.lines) {
    if (line.roof && !line.label.empty() && line.path.size() > 1) label_roof(line);
  }
}

void LabelLayer::label_guides(const std::vector<Guide>& guides) {
  for (const Guide& guide : guides) {
    const double x = frame_.x(guide.at);
    thin_.add_line({x, frame_.area.top}, {x, frame_.area.bottom});
    if (guide.label.empty()) continue;
    const double width = text_width(guide.label, kTextSize);
    const double height = kAscent + kDescent;
    const double top = frame_.area.top + 2;
    for (int row = 0; row < 4; ++row) {
      const double y = top + row * (height + 2);
      const Box right{x + 4, y, x + 4 + width, y + height};
      const Box left{x - 4 - width, y, x - 4, y + height};
      const Box* const fit = all_.is_free(left) ? &left : all_.is_free(right) ? &right : nullptr;
      if (fit == nullptr) continue;
      write(guide.label, "halo h" + std::to_string(kInk),
            {*fit, fit == &left ? Anchor::end : Anchor::start});
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
      write(ridge.label, "halo h" + std::to_string(ridge.hue % kHueCount),
            {*fit, fit == &left ? Anchor::end : Anchor::start});
      break;
    }
  }
}

}  // namespace roofline::chart
