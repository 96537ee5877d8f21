// Conversions of 16-bit floating point, bit by bit: what the host and the emulator compute with,
// and what the device's instructions are held against. Knows no arithmetic.
#pragma once

#include <bit>

#include "kernels/cuda/types.hpp"

namespace roofline::cuda {

[[nodiscard]] constexpr float to_float(Bf16 value) {
  return std::bit_cast<float>(u32{value.bits} << 16);
}

[[nodiscard]] constexpr float to_float(Half value) {
  // Under the wrong exponent bias, which the factor puts right, for subnormals too.
  const float magnitude = std::bit_cast<float>((u32{value.bits} & 0x7fffU) << 13) * 0x1p112F;
  const u32 infinite = (value.bits & 0x7c00U) == 0x7c00U ? 0x7f800000U : 0;
  const u32 sign = (u32{value.bits} & 0x8000U) << 16;
  return std::bit_cast<float>(std::bit_cast<u32>(magnitude) | infinite | sign);
}

/// To nearest, ties to even. Not for NaN.
[[nodiscard]] constexpr Bf16 nearest_bf16(float value) {
  const u32 bits = std::bit_cast<u32>(value);
  return {static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16)};
}

/// To nearest, ties to even; too large becomes infinity. Not for NaN.
[[nodiscard]] constexpr Half nearest_half(float value) {
  const u32 bits = std::bit_cast<u32>(value);
  const u32 sign = bits >> 16 & 0x8000U;
  const u32 exponent = bits >> 23 & 0xffU;
  const u32 fraction = bits & 0x7fffffU;
  // The value in units of its last place, which `dropped` bits stand below.
  u32 units = 0;
  u32 dropped = 13;
  if (exponent >= 113) {  // normal in binary16; a carry runs into the exponent
    units = (exponent - 112) << 23 | fraction;
  } else if (exponent >= 102) {  // subnormal, or half of the smallest
    units = fraction | 0x800000U;
    dropped = 126 - exponent;
  }
  const u32 rest = units & ((1U << dropped) - 1);
  const u32 half = 1U << (dropped - 1);
  const u32 kept = units >> dropped;
  const u32 up = rest > half || (rest == half && (kept & 1U) != 0) ? 1 : 0;
  const u32 magnitude = exponent == 0xff || kept + up > 0x7c00U ? 0x7c00U : kept + up;
  return {static_cast<std::uint16_t>(sign | magnitude)};
}

}  // namespace roofline::cuda
