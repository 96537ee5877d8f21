#include "roofline/quantity_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "quoted.hpp"

namespace roofline {
namespace {

struct Unit {
  std::string_view spelling;
  std::uint64_t factor;
};

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// Quantities outside of this are slips, and would not survive the ratios and products that are
/// made of them.
constexpr double kLargest = 1e30;
constexpr double kSmallest = 1e-30;

struct Split {
  double value;
  std::string_view number;  ///< the text of `value`
  std::string_view unit;
};

/// The leading number and what follows it. `example` is a form that would have been accepted.
Split split(std::string_view whole, std::string_view what, std::string_view example) {
  const std::string_view text = trim(whole);
  const std::string form = "; write for example " + std::string(example);
  if (text.empty()) refuse(what, whole, "is empty" + form);
  if (text.front() == '-') refuse(what, whole, "is negative" + form);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range) refuse(what, whole, "is out of range" + form);
  if (error != std::errc{}) refuse(what, whole, "does not start with a number" + form);
  if (!std::isfinite(value)) refuse(what, whole, "is not a finite number" + form);
  const std::string_view number{text.data(), static_cast<std::size_t>(rest - text.data())};
  const std::string_view unit = trim(text.substr(number.size()));
  if (!unit.empty() && unit.front() == ',') {
    refuse(what, whole,
           "uses a comma; the decimal mark is a point and thousands are not separated" + form);
  }
  return {value, number, unit};
}

bool is_bits(std::string_view unit) {
  constexpr std::string_view kEndings[] = {"b", "bit", "bits", "b/s", "bit/s", "bits/s", "bps"};
  return std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](std::string_view ending) { return unit.ends_with(ending); });
}

constexpr Unit kPrefixes[] = {
    {"", 1},
    {"k", 1'000},
    {"K", 1'000},
    {"M", 1'000'000},
    {"G", 1'000'000'000},
    {"T", 1'000'000'000'000},
    {"P", 1'000'000'000'000'000},
    {"E", 1'000'000'000'000'000'000},
    {"Ki", std::uint64_t{1} << 10},
    {"Mi", std::uint64_t{1} << 20},
    {"Gi", std::uint64_t{1} << 30},
    {"Ti", std::uint64_t{1} << 40},
};

std::optional<std::uint64_t> prefix_factor(std::string_view prefix) {
  for (const Unit& entry : kPrefixes) {
    if (entry.spelling == prefix) return entry.factor;
  }
  return std::nullopt;
}

/// The factor of `unit` when it is a prefix and one of `spellings`.
template <std::size_t N>
std::optional<std::uint64_t> unit_factor(std::string_view unit,
                                         const std::array<std::string_view, N>& spellings) {
  for (const std::string_view spelling : spellings) {
    if (!unit.ends_with(spelling)) continue;
    if (const auto factor = prefix_factor(unit.substr(0, unit.size() - spelling.size())))
      return factor;
  }
  return std::nullopt;
}

template <std::size_t N>
double parse_scaled(std::string_view text, std::string_view what, std::string_view example,
                    const std::array<std::string_view, N>& spellings) {
  const Split parts = split(text, what, example);
  const std::string form = "; write for example " + std::string(example);
  if (parts.unit.empty()) refuse(what, text, "needs a unit" + form);
  const auto factor = unit_factor(parts.unit, spellings);
  if (!factor) refuse(what, text, "has an unknown unit " + quoted(parts.unit) + form);
  return parts.value * static_cast<double>(*factor);
}

double positive(double value, std::string_view text, std::string_view what) {
  if (value == 0) refuse(what, text, "is zero; give a positive value");
  if (!(value >= kSmallest && value <= kLargest)) {
    refuse(what, text,
           "is out of range; give a value between 1e-30 and 1e30 in units without prefix");
  }
  return value;
}

constexpr std::array<std::string_view, 6> kPerformanceUnits{"FLOP/s", "FLOPs/s", "FLOPS",
                                                            "flop/s", "OP/s",    "OPS"};
constexpr std::array<std::string_view, 1> kBandwidthUnits{"B/s"};
constexpr std::array<std::string_view, 5> kWorkUnits{"FLOP", "FLOPs", "flop", "OP", "OPs"};
constexpr std::array<std::string_view, 1> kByteUnits{"B"};

/// A decimal number as it was written: mantissa * 10^exponent.
struct Decimal {
  std::uint64_t mantissa = 0;
  int exponent = 0;
};

/// `number` has been read by from_chars before, so that its form is known to be right.
Decimal decimal_of(std::string_view number, std::string_view text, std::string_view what) {
  Decimal out;
  const std::size_t e = number.find_first_of("eE");
  if (e != std::string_view::npos) {
    std::string_view exponent = number.substr(e + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    std::from_chars(exponent.data(), exponent.data() + exponent.size(), out.exponent);
  }
  // Zeros at the end are held back: they cost digits only when another digit follows.
  int zeros = 0;
  bool after_point = false;
  for (const char c : number.substr(0, e)) {
    if (c == '.') {
      after_point = true;
      continue;
    }
    if (after_point) --out.exponent;
    ++zeros;
    if (c == '0') continue;
    for (; zeros > 0; --zeros) {
      const std::uint64_t digit = zeros == 1 ? static_cast<std::uint64_t>(c - '0') : 0;
      const bool overflow =
          __builtin_mul_overflow(out.mantissa, std::uint64_t{10}, &out.mantissa) ||
          __builtin_add_overflow(out.mantissa, digit, &out.mantissa);
      if (overflow) refuse(what, text, "has more digits than 64 bits hold; use fewer");
    }
  }
  out.exponent += zeros;
  return out;
}

/// Exact: a count that a double would round is either kept whole or refused.
Count exact_count(Decimal number, std::uint64_t factor, std::string_view text,
                  std::string_view what) {
  __extension__ using Wide = unsigned __int128;
  if (number.mantissa == 0) return Count{0};
  constexpr Wide kLimit = Wide{1} << 64;
  Wide value = Wide{number.mantissa} * factor;
  int exponent = number.exponent;
  for (; exponent < 0 && value % 10 == 0; ++exponent) value /= 10;
  if (exponent < 0) refuse(what, text, "is not a whole number; leave out the fraction");
  for (; exponent > 0 && value < kLimit; --exponent) value *= 10;
  if (value >= kLimit) refuse(what, text, "does not fit 64 bits; use a smaller count");
  return Count{static_cast<std::uint64_t>(value)};
}

}  // namespace

Performance parse_performance(std::string_view text, std::string_view what) {
  return flop_per_s(
      positive(parse_scaled(text, what, "312TFLOP/s", kPerformanceUnits), text, what));
}

Bandwidth parse_bandwidth(std::string_view text, std::string_view what) {
  if (is_bits(split(text, what, "2039GB/s").unit)) {
    refuse(what, text, "is in bits per second; write bytes, for example 2039GB/s");
  }
  return byte_per_s(positive(parse_scaled(text, what, "2039GB/s", kBandwidthUnits), text, what));
}

Seconds parse_seconds(std::string_view text, std::string_view what) {
  const std::string_view example = "1.5ms";
  const Split parts = split(text, what, example);
  struct TimeUnit {
    std::string_view spelling;
    double factor;
  };
  // The micro sign and the Greek letter look alike and are both typed.
  constexpr TimeUnit units[] = {{"s", 1},    {"ms", 1e-3}, {"us", 1e-6},      {"ns", 1e-9},
                                {"min", 60}, {"h", 3600},  {"\u00B5s", 1e-6}, {"\u03BCs", 1e-6}};
  for (const TimeUnit& unit : units) {
    if (unit.spelling == parts.unit) return second(positive(parts.value * unit.factor, text, what));
  }
  const std::string why =
      parts.unit.empty() ? "needs a unit" : "has an unknown unit " + quoted(parts.unit);
  refuse(what, text, why + "; write for example " + std::string(example));
}

Frequency parse_frequency(std::string_view text, std::string_view what) {
  constexpr std::array<std::string_view, 1> units{"Hz"};
  return hertz(positive(parse_scaled(text, what, "1410MHz", units), text, what));
}

Intensity parse_intensity(std::string_view text, std::string_view what) {
  const Split parts = split(text, what, "153");
  if (!parts.unit.empty() && parts.unit != "FLOP/byte" && parts.unit != "FLOP/B" &&
      parts.unit != "flop/byte") {
    refuse(what, text,
           "has an unknown unit " + quoted(parts.unit) + "; write for example 153FLOP/byte");
  }
  return flop_per_byte(positive(parts.value, text, what));
}

Count parse_count(std::string_view text, std::string_view unit, std::string_view what) {
  const bool bytes = unit == "B";
  const std::string form = std::string("; write for example ") + (bytes ? "16GiB" : "1.5e12");
  const Split parts = split(text, what, bytes ? "16GiB" : "1.5e12");
  std::uint64_t factor = 1;
  if (!parts.unit.empty()) {
    if (bytes && is_bits(parts.unit)) refuse(what, text, "is in bits; write bytes" + form);
    const auto found =
        bytes ? unit_factor(parts.unit, kByteUnits) : unit_factor(parts.unit, kWorkUnits);
    if (!found) refuse(what, text, "has an unknown unit " + quoted(parts.unit) + form);
    factor = *found;
  }
  return exact_count(decimal_of(parts.number, text, what), factor, text, what);
}

double parse_number(std::string_view text, std::string_view what) {
  const Split parts = split(text, what, "0.5");
  if (!parts.unit.empty()) refuse(what, text, "is not a plain number; write for example 0.5");
  if (parts.value > kLargest) refuse(what, text, "is out of range; give a number of at most 1e30");
  return parts.value;
}

}  // namespace roofline
