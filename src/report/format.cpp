#include "report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "roofline/percent.hpp"

namespace roofline::report {
namespace {

struct Prefix {
  std::string_view name;
  int exponent;
};
constexpr Prefix kPrefixes[] = {{"n", -9}, {"u", -6}, {"m", -3}, {"", 0},   {"k", 3},
                                {"M", 6},  {"G", 9},  {"T", 12}, {"P", 15}, {"E", 18}};

/// Decimal exponent after rounding to three digits: 999.6 is 1.00e3.
int exponent_of(double value, int digits = 3) {
  const std::string text = fmt::format("{:.{}e}", value, digits - 1);
  return std::atoi(text.c_str() + text.find('e') + 1);
}

double power_of_ten(int exponent) {
  // pow() of small whole exponents is exact only up to 22, and so are doubles.
  double out = 1;
  for (int i = 0; i < std::abs(exponent); ++i) out *= 10;
  return out;
}

std::string with_unit(double value, Unit unit) {
  const Scaled scaled = scale(value, unit);
  const bool counted = unit == Unit::flop || unit == Unit::byte;
  const bool whole = counted && scaled.prefix.empty() && value == std::floor(value);
  const std::string number = whole ? fmt::format("{:.0f}", value) : format_number(scaled.value);
  return fmt::format("{} {}{}", number, scaled.prefix, symbol(unit));
}

double as_number(const Cell& cell) {
  if (const auto* count = std::get_if<std::uint64_t>(&cell)) return static_cast<double>(*count);
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  return 0;
}

}  // namespace

double prefix_factor(std::string_view prefix) {
  for (const Prefix& known : kPrefixes) {
    if (known.name != prefix) continue;
    const double power = power_of_ten(known.exponent);
    return known.exponent < 0 ? 1 / power : power;
  }
  return 1;
}

Scaled scale(double value, Unit unit) {
  if (value == 0 || !std::isfinite(value)) return {value, ""};
  const bool time = unit == Unit::second;
  const int lowest = time ? -9 : 0;
  const int highest = time ? 0 : 18;
  const int exponent = exponent_of(value);
  const Prefix* best = nullptr;
  for (const Prefix& prefix : kPrefixes) {
    if (prefix.exponent < lowest || prefix.exponent > highest) continue;
    if (best == nullptr || prefix.exponent <= exponent) best = &prefix;
  }
  const double power = power_of_ten(best->exponent);
  return {best->exponent < 0 ? value * power : value / power, best->name};
}

std::string format_number(double value) { return format_number(value, 3); }

std::string format_number(double value, int digits) {
  if (value == 0) return "0";
  if (!std::isfinite(value)) return "-";
  const int exponent = exponent_of(value, digits);
  if (exponent < -3 || exponent >= 6) return fmt::format("{:.{}e}", value, digits - 1);
  return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent));
}

int digits_apart(double a, double b) {
  constexpr int kLeast = 3;
  constexpr int kMost = 12;
  for (int digits = kLeast; digits <= kMost; ++digits)
    if (format_number(a, digits) != format_number(b, digits)) return digits;
  return kLeast;
}

std::string format_percent(double ratio) { return format_percent(ratio, 3); }

std::string format_percent(double ratio, int digits) {
  return format_number(in_percent(ratio), digits) + " %";
}

std::string format_exact(std::uint64_t value) {
  const std::string digits = std::to_string(value);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) out += ' ';
    out += digits[i];
  }
  return out;
}

std::string format_capacity(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // 1023.6 rounds to 1024, which is 1 of the next unit.
  while (value >= 1023.5 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  const bool whole = value == std::floor(value);
  return fmt::format("{} {}", whole ? fmt::format("{:.0f}", value) : format_number(value),
                     kUnits[unit]);
}

std::string format(Performance value) { return with_unit(in_flop_per_s(value), Unit::flop_per_s); }
std::string format(Bandwidth value) { return with_unit(in_byte_per_s(value), Unit::byte_per_s); }
std::string format(Seconds value) { return with_unit(in_second(value), Unit::second); }
std::string format(Flops value) { return with_unit(in_flop(value), Unit::flop); }
std::string format(Bytes value) { return with_unit(in_byte(value), Unit::byte); }
std::string format(Intensity value) {
  return format_number(in_flop_per_byte(value)) + " FLOP/byte";
}

std::string format(const Cell& cell, Unit unit) {
  if (std::holds_alternative<std::monostate>(cell)) return "-";
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* flag = std::get_if<bool>(&cell)) return *flag ? "yes" : "no";
  const double value = as_number(cell);
  switch (unit) {
    case Unit::share:
      return format_percent(value);
    case Unit::factor:
      return format_number(value);
    case Unit::flop_per_byte:
      return format(flop_per_byte(value));
    case Unit::watt:
    case Unit::celsius:
      return format_number(value) + " " + std::string(symbol(unit));
    case Unit::count:
      if (const auto* count = std::get_if<std::uint64_t>(&cell)) return format_exact(*count);
      return format_number(value);
    default:
      break;
  }
  return with_unit(value, unit);
}

}  // namespace roofline::report
