// Conversions of the floating point of 8 bits and of tf32, bit by bit, on host and device alike.
// Knows no arithmetic.
#pragma once

#include "kernels/cuda/types.hpp"

namespace roofline::cuda {

/// How a small floating point is laid out below its sign.
struct SmallFormat {
  u32 fraction_bits;
  u32 bias;
  u32 largest;  ///< magnitude of the largest finite one
};
/// e4m3 has no infinity; magnitude 0x7f is no number.
inline constexpr SmallFormat kE4m3{3, 7, 0x7e};
inline constexpr SmallFormat kE5m2{2, 15, 0x7b};

enum class Rounding {
  toward_zero,
  to_nearest,  ///< ties to even
};

/// A float, by its bits, in 8; too large becomes the largest finite one. Not for NaN.
ROOFLINE_ON_BOTH constexpr u32 narrowed(u32 float_bits, SmallFormat to, Rounding rounding) {
  const u32 sign = float_bits >> 24 & 0x80U;
  const u32 exponent = float_bits >> 23 & 0xffU;
  const u32 fraction = float_bits & 0x7fffffU;
  const u32 least_normal = 128 - to.bias;  // as a float's exponent
  u32 units = 0;                           // the value in units of its last place,
  u32 dropped = 23 - to.fraction_bits;     // which so many bits stand below
  if (exponent >= least_normal) {
    const u32 above = exponent - least_normal + 1;
    if (above > 31) return sign | to.largest;
    units = above << 23 | fraction;  // a carry runs into the exponent
  } else {
    units = fraction | 0x800000U;
    dropped += least_normal - exponent;
    if (dropped > 25) return sign;
  }
  const u32 rest = units & ((1U << dropped) - 1);
  const u32 half = 1U << (dropped - 1);
  const u32 kept = units >> dropped;
  const bool up =
      rounding == Rounding::to_nearest && (rest > half || (rest == half && (kept & 1U) != 0));
  const u32 magnitude = kept + (up ? 1 : 0);
  return sign | (magnitude > to.largest ? to.largest : magnitude);
}

ROOFLINE_ON_BOTH constexpr Fp8E4m3 narrowed_e4m3(u32 float_bits, Rounding rounding) {
  return {static_cast<unsigned char>(narrowed(float_bits, kE4m3, rounding))};
}
ROOFLINE_ON_BOTH constexpr Fp8E5m2 narrowed_e5m2(u32 float_bits, Rounding rounding) {
  return {static_cast<unsigned char>(narrowed(float_bits, kE5m2, rounding))};
}
/// The ten upper bits of the fraction: toward zero.
ROOFLINE_ON_BOTH constexpr Tf32 truncated_tf32(u32 float_bits) { return {float_bits & ~0x1fffU}; }

/// Of finite values; what is none becomes 480 and 65536 and more.
[[nodiscard]] constexpr float widened(u32 bits, SmallFormat from) {
  const u32 magnitude = bits & 0x7fU;
  const u32 exponent = magnitude >> from.fraction_bits;
  const u32 fraction = magnitude & ((1U << from.fraction_bits) - 1);
  // The value in units of the smallest one, which is a power of two.
  auto value = static_cast<float>(
      exponent == 0 ? u64{fraction} : u64{fraction | 1U << from.fraction_bits} << (exponent - 1));
  for (u32 place = 0; place + 1 < from.bias + from.fraction_bits; ++place) value *= 0.5F;
  return (bits & 0x80U) != 0 ? -value : value;
}
[[nodiscard]] constexpr float to_float(Fp8E4m3 value) { return widened(value.bits, kE4m3); }
[[nodiscard]] constexpr float to_float(Fp8E5m2 value) { return widened(value.bits, kE5m2); }

}  // namespace roofline::cuda
