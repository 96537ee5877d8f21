// A figure in the characters of a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "chart/figure.hpp"

namespace roofline::chart {

struct TextOptions {
  std::size_t width = 100;
  bool unicode = true;  ///< else plain ASCII
  bool colour = false;  ///< types apart by ANSI colours
};

[[nodiscard]] std::string to_text(const Figure& figure, const TextOptions& options);

}  // namespace roofline::chart
