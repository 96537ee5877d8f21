// Quantities for people: three significant digits and an SI prefix. Rates and traffic are in powers
// of 1000 (GB), capacities in powers of 1024 (GiB), and each says which. The same in every locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/columns.hpp"
#include "roofline/units.hpp"

namespace roofline::report {

/// `1.44 TFLOP/s`, `21.3 GB/s`, `441 us`, `137 GFLOP`, `101 MB`, `153 FLOP/byte`.
[[nodiscard]] std::string format(Performance value);
[[nodiscard]] std::string format(Bandwidth value);
[[nodiscard]] std::string format(Seconds value);
[[nodiscard]] std::string format(Flops value);
[[nodiscard]] std::string format(Bytes value);
[[nodiscard]] std::string format(Intensity value);

/// `32 GiB`, `1.5 MiB`, `512 B`: capacities and buffer sizes.
[[nodiscard]] std::string format_capacity(std::uint64_t bytes);
/// `84.0 %` of a ratio of 0.84; what is not 0 never reads `0 %`.
[[nodiscard]] std::string format_percent(double ratio);
[[nodiscard]] std::string format_percent(double ratio, int digits);
/// Three significant digits, never an exponent between 0.001 and a million: `153`, `0.653`, `7.96`.
[[nodiscard]] std::string format_number(double value);
[[nodiscard]] std::string format_number(double value, int digits);
/// The fewest significant digits, three at least, with which two figures that are compared do not
/// read the same; three where no digits tell them apart.
[[nodiscard]] int digits_apart(double a, double b);
/// All digits in groups of three, apart by spaces: `137 438 953 472`.
[[nodiscard]] std::string format_exact(std::uint64_t value);

/// A value and the SI prefix it is shown with: 1.44e12 is 1.44 and `T`.
struct Scaled {
  double value = 0;
  std::string_view prefix;
};
/// The prefix that leaves three digits or fewer before the point, once rounded to three digits in
/// all. Only seconds go below 1 (`m`, `u`, `n`), and they never go above.
[[nodiscard]] Scaled scale(double value, Unit unit);
/// 1 for an empty prefix, 1e12 for `T`.
[[nodiscard]] double prefix_factor(std::string_view prefix);

/// A cell in the style of its column, unit included; `-` when unknown.
[[nodiscard]] std::string format(const Cell& cell, Unit unit);

}  // namespace roofline::report
