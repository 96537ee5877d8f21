// SI prefixes of a table: one for all values of a unit where that leaves them readable, named in
// the heading; else every cell carries its own.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "report/columns.hpp"

namespace roofline::report {

class Prefixes {
 public:
  void see(const Cell& cell, Unit unit);
  /// All that another has seen.
  void see(const Prefixes& other);

  /// A cell under a heading that names the unit.
  [[nodiscard]] std::string text(const Cell& cell, Unit unit) const;
  /// The unit as the heading names it.
  [[nodiscard]] std::string heading(Unit unit) const;
  /// That of all values of the unit; nothing where each has its own.
  [[nodiscard]] std::optional<std::string_view> common(Unit unit) const;

 private:
  struct Range {
    double low = std::numeric_limits<double>::max();
    double high = 0;
  };

  std::array<Range, kUnitCount> ranges_{};
};

}  // namespace roofline::report
