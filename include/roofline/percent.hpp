// A ratio as people are shown it. Files keep the number.
#pragma once

#include <cmath>
#include <limits>

namespace roofline {

/// 0 where no more is left than a few roundings of equal figures leave.
[[nodiscard]] inline double in_percent(double ratio) {
  constexpr double kRoundings = 16 * std::numeric_limits<double>::epsilon();
  return std::abs(ratio) <= kRoundings ? 0 : ratio * 100;
}

}  // namespace roofline
