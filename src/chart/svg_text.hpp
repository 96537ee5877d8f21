// Texts that are too long for their place: in several lines, or with their middle left out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "chart/figure.hpp"

namespace roofline::chart {

/// The letters of a text and the room that it has, in pixels.
struct TextRoom {
  double width = 0;
  double size = 11;
  bool bold = false;
  std::size_t lines = 1000;
};

/// What fits into `width`, with an ellipsis where something had to go: in the middle, since names
/// that begin alike end differently.
[[nodiscard]] std::string shortened(const std::string& text, double width, double size);

/// Broken between words, within one only where it is longer than a line; of a text that needs more
/// lines than there are, the middle is left out.
[[nodiscard]] std::vector<std::string> lines_within(const std::string& text, const TextRoom& room);

/// The lines of a text from `start` down, `advance` apart; all of it as a tooltip where something
/// had to go. `start.y` ends one line below the last.
[[nodiscard]] std::string text_block(const std::string& text, const TextRoom& room,
                                     std::string_view classes, double advance, Position& start);

}  // namespace roofline::chart
