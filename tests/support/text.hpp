// Looking at texts that are printed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "report/grid.hpp"

namespace roofline::test {

inline bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// In columns of a terminal.
inline std::size_t widest_line(std::string_view text) {
  std::size_t widest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    widest = std::max(widest, report::display_width(text.substr(at, end - at)));
    at = end + 1;
  }
  return widest;
}

}  // namespace roofline::test
