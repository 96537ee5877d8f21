// Axes: which values they span, where their ticks are and what those say. The same in every locale.
#pragma once

#include <string>
#include <vector>

#include "chart/figure.hpp"

namespace roofline::chart {

/// Grows by values that can stand on an axis; others are passed over.
class Extent {
 public:
  void include(double value);
  [[nodiscard]] bool empty() const { return empty_; }
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

 private:
  double low_ = 0;
  double high_ = 0;
  bool empty_ = true;
};

/// Whether it can stand on a logarithmic axis: above 0, and no further from 1 than any quantity
/// is.
[[nodiscard]] bool plottable(double value);

/// From `low` to `high`, both moved outwards to a 1, 2 or 5 of their decade.
[[nodiscard]] Axis log_axis(std::string title, report::Unit unit, double low, double high);

/// 0 at the low end of the axis, 1 at the high one; a value beyond lies outside of that.
[[nodiscard]] double fraction(const Axis& axis, double value);

struct Tick {
  double at = 0;
  std::string text = {};  ///< empty for a minor one
  bool major = true;
};
/// From low to high; at most about `most` with a text.
[[nodiscard]] std::vector<Tick> ticks(const Axis& axis, std::size_t most = 12);

}  // namespace roofline::chart
