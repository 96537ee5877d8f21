#include "roofline/quantity_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "roofline/error.hpp"

namespace roofline {
namespace {

struct Unit {
  std::string_view spelling;
  double factor;
};

[[noreturn]] void refuse(std::string_view what, std::string_view text, const std::string& why) {
  throw InputError(std::string(what) + ": '" + std::string(text) + "' " + why);
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

struct Split {
  double value;
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
  const std::string_view unit = trim({rest, static_cast<std::size_t>(end - rest)});
  if (!unit.empty() && unit.front() == ',') {
    refuse(what, whole, "uses a comma; the decimal mark is a point and thousands are not separated" + form);
  }
  return {value, unit};
}

std::optional<double> prefix_factor(std::string_view prefix) {
  constexpr Unit prefixes[] = {{"", 1},       {"k", 1e3},      {"K", 1e3},      {"M", 1e6},
                               {"G", 1e9},    {"T", 1e12},     {"P", 1e15},     {"E", 1e18},
                               {"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40}};
  for (const Unit& entry : prefixes) {
    if (entry.spelling == prefix) return entry.factor;
  }
  return std::nullopt;
}

/// The factor of `unit` when it is a prefix and one of `spellings`.
template <std::size_t N>
std::optional<double> unit_factor(std::string_view unit, const std::array<std::string_view, N>& spellings) {
  for (const std::string_view spelling : spellings) {
    if (!unit.ends_with(spelling)) continue;
    if (const auto factor = prefix_factor(unit.substr(0, unit.size() - spelling.size()))) return factor;
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
  if (!factor) refuse(what, text, "has an unknown unit '" + std::string(parts.unit) + "'" + form);
  const double value = parts.value * *factor;
  if (!std::isfinite(value)) refuse(what, text, "is out of range" + form);
  return value;
}

double positive(double value, std::string_view text, std::string_view what) {
  if (value <= 0) refuse(what, text, "is zero; give a positive value");
  return value;
}

std::uint64_t parse_whole(std::string_view part, std::string_view whole, std::string_view what) {
  std::uint64_t value = 0;
  const char* const end = part.data() + part.size();
  const auto [rest, error] = std::from_chars(part.data(), end, value);
  const std::string quoted = "'" + std::string(part) + "'";
  if (error == std::errc::result_out_of_range) refuse(what, whole, "has " + quoted + ", which does not fit 64 bits");
  if (error != std::errc{} || rest != end) {
    refuse(what, whole, "has " + quoted + " where a positive whole number is needed");
  }
  if (value == 0) refuse(what, whole, "has a 0; every size must be at least 1");
  return value;
}

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t at = text.find(separator);
    out.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + 1);
  }
}

constexpr std::size_t kMaxAxisValues = 4096;

std::vector<std::uint64_t> parse_range(const std::vector<std::string_view>& parts, std::string_view text,
                                       std::string_view what) {
  const std::uint64_t first = parse_whole(parts[0], text, what);
  const std::uint64_t last = parse_whole(parts[1], text, what);
  const std::string_view step_text = parts[2];
  if (step_text.size() < 2 || (step_text.front() != 'x' && step_text.front() != '+')) {
    refuse(what, text, "needs a step such as x2 or +512 after the second colon");
  }
  const bool geometric = step_text.front() == 'x';
  const std::uint64_t step = parse_whole(step_text.substr(1), text, what);
  if (geometric && step < 2) refuse(what, text, "has a step of x1, which never ends; use x2 or more");
  if (last < first) refuse(what, text, "runs backwards; write the smaller bound first");
  std::vector<std::uint64_t> out;
  std::uint64_t value = first;
  while (value <= last) {
    if (out.size() == kMaxAxisValues) {
      refuse(what, text, "has more than " + std::to_string(kMaxAxisValues) + " values; use a larger step");
    }
    out.push_back(value);
    const bool overflow = geometric ? __builtin_mul_overflow(value, step, &value)
                                    : __builtin_add_overflow(value, step, &value);
    if (overflow) break;
  }
  return out;
}

constexpr std::array<std::string_view, 6> kPerformanceUnits{"FLOP/s", "FLOPs/s", "FLOPS", "flop/s", "OP/s", "OPS"};
constexpr std::array<std::string_view, 1> kBandwidthUnits{"B/s"};

}  // namespace

Performance parse_performance(std::string_view text, std::string_view what) {
  return flop_per_s(positive(parse_scaled(text, what, "312TFLOP/s", kPerformanceUnits), text, what));
}

Bandwidth parse_bandwidth(std::string_view text, std::string_view what) {
  if (trim(text).ends_with("b/s")) refuse(what, text, "is in bits per second; write bytes, for example 2039GB/s");
  return byte_per_s(positive(parse_scaled(text, what, "2039GB/s", kBandwidthUnits), text, what));
}

Seconds parse_seconds(std::string_view text, std::string_view what) {
  const std::string_view example = "1.5ms";
  const Split parts = split(text, what, example);
  constexpr Unit units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"min", 60}, {"h", 3600}};
  for (const Unit& unit : units) {
    if (unit.spelling == parts.unit) return second(positive(parts.value * unit.factor, text, what));
  }
  const std::string why = parts.unit.empty() ? "needs a unit" : "has an unknown unit '" + std::string(parts.unit) + "'";
  refuse(what, text, why + "; write for example " + std::string(example));
}

Frequency parse_frequency(std::string_view text, std::string_view what) {
  constexpr std::array<std::string_view, 1> units{"Hz"};
  return hertz(positive(parse_scaled(text, what, "1410MHz", units), text, what));
}

Intensity parse_intensity(std::string_view text, std::string_view what) {
  const Split parts = split(text, what, "153");
  if (!parts.unit.empty() && parts.unit != "FLOP/byte" && parts.unit != "FLOP/B" && parts.unit != "flop/byte") {
    refuse(what, text, "has an unknown unit '" + std::string(parts.unit) + "'; write for example 153FLOP/byte");
  }
  return flop_per_byte(positive(parts.value, text, what));
}

Count parse_count(std::string_view text, std::string_view unit, std::string_view what) {
  const std::string example = unit == "B" ? "16GiB" : "1.5e12";
  // Plain digits stay exact; a fraction or a prefix goes through a double and must come out whole.
  const std::string_view digits = trim(text);
  std::uint64_t exact = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exact);
  const std::string_view after = trim({rest, static_cast<std::size_t>(digits.data() + digits.size() - rest)});
  if (error == std::errc{} && (after.empty() || after == unit)) return Count{exact};
  const Split parts = split(text, what, example);
  double factor = 1;
  if (!parts.unit.empty()) {
    const auto found = unit_factor(parts.unit, std::array<std::string_view, 1>{unit});
    if (!found) refuse(what, text, "has an unknown unit '" + std::string(parts.unit) + "'; write for example " + example);
    factor = *found;
  }
  const double value = parts.value * factor;
  if (!(value < 0x1p64)) refuse(what, text, "does not fit 64 bits; use a smaller count");
  if (value != std::floor(value)) refuse(what, text, "is not a whole number");
  return Count{static_cast<std::uint64_t>(value)};
}

double parse_number(std::string_view text, std::string_view what) {
  const Split parts = split(text, what, "0.5");
  if (!parts.unit.empty()) refuse(what, text, "is not a plain number; write for example 0.5");
  return parts.value;
}

std::vector<std::uint64_t> parse_shape(std::string_view text, std::size_t dimensions, std::string_view what) {
  std::vector<std::uint64_t> out;
  const std::vector<std::string_view> parts = split_at(text, 'x');
  if (parts.size() != dimensions) {
    const std::string example = dimensions == 3 ? "4096x14336x4096" : dimensions == 2 ? "4096x14336" : "4096";
    refuse(what, text, "has " + std::to_string(parts.size()) + " sizes where " + std::to_string(dimensions) +
                           " are needed; write for example " + example);
  }
  for (const std::string_view part : parts) out.push_back(parse_whole(part, text, what));
  return out;
}

std::vector<std::uint64_t> parse_axis(std::string_view text, std::string_view what) {
  const std::vector<std::string_view> range = split_at(text, ':');
  if (range.size() == 3) return parse_range(range, text, what);
  if (range.size() != 1) refuse(what, text, "is no range; write first:last:x2 or first:last:+512");
  std::vector<std::uint64_t> out;
  for (const std::string_view part : split_at(text, ',')) out.push_back(parse_whole(part, text, what));
  if (out.size() > kMaxAxisValues) refuse(what, text, "has too many values");
  return out;
}

}  // namespace roofline
