// Quantities as people write them: `312TFLOP/s`, `2039GB/s`, `80GB`, `2GiB`, `1ms`.
// k, M, G, T, P, E are powers of 1000; Ki, Mi, Gi, Ti of 1024. The decimal mark is a point in every
// locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/count.hpp"
#include "roofline/units.hpp"

namespace roofline {

/// All throw InputError with one sentence that names `what` (`--bandwidth`), the text and an
/// accepted form. Negative, NaN, infinite and empty are refused; so are a comma as decimal mark,
/// bits for bytes, and magnitudes beyond 1e-30 .. 1e30 of the unit without prefix. Zero is refused
/// but as a number and as a count.
[[nodiscard]] Performance parse_performance(std::string_view text, std::string_view what);
[[nodiscard]] Bandwidth parse_bandwidth(std::string_view text, std::string_view what);
[[nodiscard]] Seconds parse_seconds(std::string_view text, std::string_view what);
[[nodiscard]] Frequency parse_frequency(std::string_view text, std::string_view what);
/// A plain number, or one with a FLOP/byte unit.
[[nodiscard]] Intensity parse_intensity(std::string_view text, std::string_view what);
/// An exact count: `1200`, `2400FLOP`, `1.5e12`, `16GiB`. `unit` is `FLOP` or `B`. Every digit
/// counts: refused when not whole, and never rounded.
[[nodiscard]] Count parse_count(std::string_view text, std::string_view unit,
                                std::string_view what);
/// A plain number above or equal to zero.
[[nodiscard]] double parse_number(std::string_view text, std::string_view what);

/// `4096x14336x4096`: `dimensions` positive whole numbers. Throws InputError for anything else.
[[nodiscard]] std::vector<std::uint64_t> parse_shape(std::string_view text, std::size_t dimensions,
                                                     std::string_view what);
/// `1:8192:x2` (geometric), `512:2048:+512` (arithmetic), `1,8,32`, `4096`; every value positive,
/// at most 4096 of them. Throws InputError.
[[nodiscard]] std::vector<std::uint64_t> parse_axis(std::string_view text, std::string_view what);

}  // namespace roofline
