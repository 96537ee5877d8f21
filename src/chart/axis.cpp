#include "chart/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/format.hpp"

namespace roofline::chart {
namespace {

/// As doubles print them: 1e-3 itself, where pow(10, -3) may be its neighbour.
double power_of_ten(int exponent) {
  return exponent < 0 ? 1 / std::pow(10.0, -exponent) : std::pow(10.0, exponent);
}

int floor_log10(double value) {
  const int guess = static_cast<int>(std::floor(std::log10(value)));
  // log10 of 1000 may be a hair below 3.
  return power_of_ten(guess + 1) <= value ? guess + 1 : guess;
}

std::string tick_text(const Axis& axis, double value) {
  if (axis.capacity) {
    if (value >= 1 && value < 0x1p63) {
      return report::format_capacity(static_cast<std::uint64_t>(value));
    }
    return fmt::format("{:g} B", value);
  }
  switch (axis.unit) {
    case report::Unit::flop_per_s:
    case report::Unit::byte_per_s:
    case report::Unit::byte:
    case report::Unit::second: {
      const report::Scaled scaled = report::scale(value, axis.unit);
      return fmt::format("{:g} {}{}", scaled.value, scaled.prefix, report::symbol(axis.unit));
    }
    case report::Unit::share:
      return fmt::format("{:g} %", value * 100);
    default:
      return axis.scaling == Scaling::log2 ? fmt::format("{:.0f}", value)
                                           : fmt::format("{:g}", value);
  }
}

std::vector<Tick> decade_ticks(const Axis& axis, std::size_t most) {
  std::vector<Tick> out;
  const int first = floor_log10(axis.low);
  const int last = floor_log10(axis.high);
  const int span = last - first + 1;
  const int step = std::max(1, (span + static_cast<int>(most) - 1) / static_cast<int>(most));
  const bool narrow = std::log10(axis.high / axis.low) < 2.2;
  for (int exponent = first; exponent <= last; ++exponent) {
    for (int digit = 1; digit <= (step == 1 ? 9 : 1); ++digit) {
      const double at = digit * power_of_ten(exponent);
      // The ends themselves are ticks, whatever rounding does to them.
      if (at < axis.low * (1 - 1e-9) || at > axis.high * (1 + 1e-9)) continue;
      const bool told =
          digit == 1 ? (exponent % step + step) % step == 0 : narrow && (digit == 2 || digit == 5);
      out.push_back({at, told ? tick_text(axis, at) : "", digit == 1});
    }
  }
  return out;
}

std::vector<Tick> octave_ticks(const Axis& axis, std::size_t most) {
  std::vector<Tick> out;
  const int first = static_cast<int>(std::ceil(std::log2(axis.low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log2(axis.high) + 1e-9));
  const int span = std::max(1, last - first + 1);
  const int step = std::max(1, (span + static_cast<int>(most) - 1) / static_cast<int>(most));
  for (int exponent = first; exponent <= last; ++exponent) {
    const bool told = ((exponent - first) % step) == 0;
    const double at = std::exp2(exponent);
    out.push_back({at, told ? tick_text(axis, at) : "", told});
  }
  return out;
}

std::vector<Tick> linear_ticks(const Axis& axis, std::size_t most) {
  std::vector<Tick> out;
  const double rough = (axis.high - axis.low) / static_cast<double>(std::max<std::size_t>(most, 2));
  if (!plottable(rough)) return out;
  const double decade = power_of_ten(floor_log10(rough));
  double step = decade * 10;
  for (const double nice : {1.0, 2.0, 5.0}) {
    if (nice * decade >= rough * (1 - 1e-9)) {
      step = nice * decade;
      break;
    }
  }
  const double first = std::ceil(axis.low / step - 1e-9);
  for (double i = first; i * step <= axis.high + step * 1e-9; ++i) {
    const double at = i * step + 0.0;  // never a negative zero
    out.push_back({at, tick_text(axis, at), true});
  }
  return out;
}

}  // namespace

bool plottable(double value) { return value > 1e-100 && value < 1e100; }

void Extent::include(double value) {
  if (!plottable(value)) return;
  low_ = empty_ ? value : std::min(low_, value);
  high_ = empty_ ? value : std::max(high_, value);
  empty_ = false;
}

Axis log_axis(std::string title, report::Unit unit, double low, double high) {
  Axis out{.title = std::move(title), .unit = unit};
  const double below = power_of_ten(floor_log10(low));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (digit * below <= low * (1 + 1e-9)) out.low = digit * below;
  }
  const double above = power_of_ten(floor_log10(high));
  for (const double digit : {10.0, 5.0, 2.0, 1.0}) {
    if (digit * above >= high * (1 - 1e-9)) out.high = digit * above;
  }
  if (!(out.high > out.low)) out.high = out.low * 10;
  return out;
}

double fraction(const Axis& axis, double value) {
  if (axis.scaling == Scaling::linear) return (value - axis.low) / (axis.high - axis.low);
  return std::log(value / axis.low) / std::log(axis.high / axis.low);
}

std::vector<Tick> ticks(const Axis& axis, std::size_t most) {
  switch (axis.scaling) {
    case Scaling::linear:
      return linear_ticks(axis, most);
    case Scaling::log2:
      return octave_ticks(axis, most);
    case Scaling::log10:
      break;
  }
  return decade_ticks(axis, most);
}

}  // namespace roofline::chart
