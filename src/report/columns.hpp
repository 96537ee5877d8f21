// The one table of the columns that a point has: key, heading, unit, where the value comes from and
// what it means. Tables, exports and the list of columns read it; how a value looks is format.hpp's
// business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "roofline/record.hpp"

namespace roofline::report {

enum class Unit {
  text,
  flag,
  count,
  flop,
  byte,
  second,
  flop_per_s,
  byte_per_s,
  flop_per_byte,
  share,   ///< a part of a whole: people read it in %
  factor,  ///< how many times: people read it as it is
  watt,
  celsius,
};
inline constexpr std::size_t kUnitCount = 13;
/// `FLOP/s`, `B/s`, `s`, `%` ...; empty where a value has no unit.
[[nodiscard]] std::string_view symbol(Unit unit);

/// monostate is unknown. Numbers are in the base SI unit.
using Cell = std::variant<std::monostate, bool, std::uint64_t, double, std::string>;

/// Whether cells of it are numbers: no texts and no flags.
[[nodiscard]] bool has_numbers(Unit unit);
/// Nothing for what is unknown or no number.
[[nodiscard]] std::optional<double> number_of(const Cell& cell);

struct Column {
  std::string_view key;  ///< path in a point's JSON, dots for nesting: `traffic_byte.total`
  std::string_view heading;
  Unit unit;
  Cell (*get)(const Record& record);
  std::string_view description;
  /// Of text that is one of a list: all of it. Nothing for other text, and for numbers.
  std::vector<std::string_view> (*words)() = nullptr;
};

[[nodiscard]] std::span<const Column> columns();
/// Nothing for a key that no column has.
[[nodiscard]] const Column* find_column(std::string_view key);

}  // namespace roofline::report
