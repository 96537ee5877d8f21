// bfloat16 as the upper half of a float.
#pragma once

#include <bit>
#include <cstdint>

namespace roofline::cpu {

/// Round to nearest, ties to even. Not for NaN.
[[nodiscard]] constexpr std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

[[nodiscard]] constexpr float from_bf16(std::uint16_t value) {
  return std::bit_cast<float>(std::uint32_t{value} << 16);
}

}  // namespace roofline::cpu
