// The random generator that fill kernels and their host reference share: Philox-4x32-10 (Salmon,
// Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011), a bijection of a
// counter, so that every element is computed from its place alone.
#pragma once

#include "kernels/cuda/types.hpp"

namespace roofline::cuda {

struct Philox {
  u32 word[4];
};

/// Ten rounds over the counter, whose upper half is `upper`, with the key `seed`.
ROOFLINE_ON_BOTH constexpr Philox philox(u64 seed, u64 counter, u64 upper = 0) {
  u32 key0 = static_cast<u32>(seed);
  u32 key1 = static_cast<u32>(seed >> 32);
  u32 x0 = static_cast<u32>(counter);
  u32 x1 = static_cast<u32>(counter >> 32);
  u32 x2 = static_cast<u32>(upper);
  u32 x3 = static_cast<u32>(upper >> 32);
  for (int round = 0; round < 10; ++round) {
    const u64 left = u64{0xD2511F53U} * x0;
    const u64 right = u64{0xCD9E8D57U} * x2;
    const u32 next0 = static_cast<u32>(right >> 32) ^ x1 ^ key0;
    const u32 next2 = static_cast<u32>(left >> 32) ^ x3 ^ key1;
    x1 = static_cast<u32>(right);
    x3 = static_cast<u32>(left);
    x0 = next0;
    x2 = next2;
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  return {{x0, x1, x2, x3}};
}

// Elements take a word each, index / 4 is the counter; fp64 takes two, index / 2 is the counter.

/// In [-1, 1), a multiple of 2^-24: every bit of a significand can be set.
ROOFLINE_ON_BOTH constexpr float uniform_fp32(u32 word) {
  return static_cast<float>(static_cast<std::int32_t>(word) >> 7) * 0x1p-24F;
}

/// In [-1, 1), a multiple of 2^-53.
ROOFLINE_ON_BOTH constexpr double uniform_fp64(u64 words) {
  return static_cast<double>(static_cast<std::int64_t>(words) >> 10) * 0x1p-53;
}

/// In [2^-8, 2^-7), a multiple of 2^-31.
ROOFLINE_ON_BOTH constexpr float scale_fp32(u32 word) {
  return (static_cast<float>(word >> 9) * 0x1p-23F + 1) * 0x1p-8F;
}

/// A whole number from -3 to 3.
ROOFLINE_ON_BOTH constexpr int small_integer(u32 word) {
  return static_cast<int>(u64{word} * 7 >> 32) - 3;
}

/// For Box and Muller's transform: in (0, 1), for the logarithm, and in [0, 1), for the angle.
ROOFLINE_ON_BOTH constexpr float open_unit_fp32(u32 word) {
  return static_cast<float>(word >> 9) * 0x1p-23F + 0x1p-24F;
}
ROOFLINE_ON_BOTH constexpr float unit_fp32(u32 word) {
  return static_cast<float>(word >> 8) * 0x1p-24F;
}
ROOFLINE_ON_BOTH constexpr double open_unit_fp64(u64 words) {
  return static_cast<double>(words >> 12) * 0x1p-52 + 0x1p-53;
}
ROOFLINE_ON_BOTH constexpr double unit_fp64(u64 words) {
  return static_cast<double>(words >> 11) * 0x1p-53;
}

/// Rounded toward zero, so that nothing in (-1, 1) becomes 1.
ROOFLINE_ON_BOTH constexpr Bf16 truncated_bf16(u32 float_bits) {
  return {static_cast<std::uint16_t>(float_bits >> 16)};
}

/// A float of [-1, 1), by its bits; rounded toward zero.
ROOFLINE_ON_BOTH constexpr Half truncated_half(u32 float_bits) {
  const u32 sign = float_bits >> 16 & 0x8000U;
  const u32 exponent = float_bits >> 23 & 0xffU;
  const u32 fraction = float_bits & 0x7fffffU;
  u32 magnitude = 0;
  if (exponent >= 113) {  // normal in binary16
    magnitude = (exponent - 112) << 10 | fraction >> 13;
  } else if (exponent >= 103) {  // subnormal
    magnitude = (fraction | 0x800000U) >> (126 - exponent);
  }
  return {static_cast<std::uint16_t>(sign | magnitude)};
}

/// Bits that a random int32 has: a float holds each, and sums of some stay in range.
inline constexpr u32 kInt32Bits = 24;

/// `value` rounded to an integer of [-most - 1, most].
ROOFLINE_ON_BOTH constexpr int clamped(float value, int most) {
  const auto low = static_cast<float>(-most - 1);
  const auto high = static_cast<float>(most);
  const float inside = value < low ? low : value > high ? high : value;
  return static_cast<int>(inside + (inside < 0 ? -0.5F : 0.5F));
}

}  // namespace roofline::cuda
