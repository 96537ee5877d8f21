#include "report/prefixes.hpp"

#include <algorithm>

#include "report/format.hpp"
#include "roofline/percent.hpp"
#include "roofline/printable.hpp"

namespace roofline::report {
namespace {

std::optional<double> number_in(const Cell& cell) {
  if (const auto* count = std::get_if<std::uint64_t>(&cell)) return static_cast<double>(*count);
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  return std::nullopt;
}

bool is_scaled(Unit unit) {
  return unit == Unit::flop_per_s || unit == Unit::byte_per_s || unit == Unit::second ||
         unit == Unit::flop || unit == Unit::byte;
}

}  // namespace

void Prefixes::see(const Cell& cell, Unit unit) {
  const double value = number_in(cell).value_or(0);
  if (value <= 0) return;
  Range& range = ranges_[static_cast<std::size_t>(unit)];
  range.low = std::min(range.low, value);
  range.high = std::max(range.high, value);
}

void Prefixes::see(const Prefixes& other) {
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    ranges_[i].low = std::min(ranges_[i].low, other.ranges_[i].low);
    ranges_[i].high = std::max(ranges_[i].high, other.ranges_[i].high);
  }
}

std::optional<std::string_view> Prefixes::common(Unit unit) const {
  const Range& range = ranges_[static_cast<std::size_t>(unit)];
  if (range.high <= 0) return "";
  const std::string_view prefix = scale(range.low, unit).prefix;
  // Five digits are still read at a glance; more are not.
  if (range.high / prefix_factor(prefix) < 1e5) return prefix;
  return std::nullopt;
}

std::string Prefixes::text(const Cell& cell, Unit unit) const {
  const auto value = number_in(cell);
  if (!value) return printable(format(cell, unit));
  if (unit == Unit::share) return format_number(in_percent(*value));
  if (!is_scaled(unit)) return format_number(*value);
  if (const auto prefix = common(unit)) return format_number(*value / prefix_factor(*prefix));
  const Scaled scaled = scale(*value, unit);
  // A blank in place of the prefix keeps the digits of a column below each other.
  return format_number(scaled.value) + " " +
         (scaled.prefix.empty() ? " " : std::string(scaled.prefix));
}

std::string Prefixes::heading(Unit unit) const {
  if (unit == Unit::flop_per_byte) return "FLOP/B";
  const std::string_view prefix = is_scaled(unit) ? common(unit).value_or("") : "";
  return std::string(prefix) + std::string(symbol(unit));
}

}  // namespace roofline::report
