// Operand values by their place: any element can be computed again on its own, so a reference needs
// no second copy of an array. Mantissas are full, because data with many zero bits draws less power
// and clocks higher.
#pragma once

#include <cstdint>

#include "kernels/cpu/bf16.hpp"

namespace roofline::cpu {

/// SplitMix64 (Steele, Lea, Flood 2014) of a counter.
[[nodiscard]] constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = (seed << 40) + (index + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// Uniform in [-1, 1).
[[nodiscard]] constexpr double random_fp64(std::uint64_t seed, std::uint64_t index) {
  return static_cast<double>(static_cast<std::int64_t>(random_bits(seed, index)) >> 10) * 0x1p-53;
}
[[nodiscard]] constexpr float random_fp32(std::uint64_t seed, std::uint64_t index) {
  return static_cast<float>(static_cast<std::int64_t>(random_bits(seed, index)) >> 39) * 0x1p-24F;
}
[[nodiscard]] constexpr std::uint16_t random_bf16(std::uint64_t seed, std::uint64_t index) {
  return to_bf16(random_fp32(seed, index));
}
/// -127 .. 127
[[nodiscard]] constexpr std::int8_t random_int8(std::uint64_t seed, std::uint64_t index) {
  return static_cast<std::int8_t>(static_cast<int>(((random_bits(seed, index) >> 32) * 255) >> 32) -
                                  127);
}
/// 0 .. 127: seven bits, for without VNNI the products of two pairs of full bytes saturate.
[[nodiscard]] constexpr std::uint8_t random_uint7(std::uint64_t seed, std::uint64_t index) {
  return static_cast<std::uint8_t>(random_bits(seed, index) >> 57);
}

}  // namespace roofline::cpu
