#include "backend/cpu/verify.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/cpu/bf16.hpp"

namespace roofline::cpu {

Comparison check_pattern(const std::byte* got, std::uint64_t pattern, std::size_t n,
                         std::uint64_t first) {
  Comparison out;
  std::byte expected[4096];
  for (std::size_t i = 0; i < sizeof expected; ++i) {
    expected[i] = static_cast<std::byte>(pattern >> ((first + i) % 8 * 8));
  }
  for (std::size_t at = 0; at < n; at += sizeof expected) {
    const std::size_t count = std::min(n - at, sizeof expected);
    out.merge(check_bytes(got + at, expected, count, first + at));
  }
  return out;
}

double load_element(const std::byte* array, DType dtype, std::uint64_t index) {
  const auto load = [&]<class T>(T value) {
    std::memcpy(&value, array + index * sizeof(T), sizeof(T));
    return value;
  };
  switch (dtype) {
    case DType::fp64:
      return load(double{});
    case DType::fp32:
      return static_cast<double>(load(float{}));
    case DType::bf16:
      return static_cast<double>(from_bf16(load(std::uint16_t{})));
    case DType::int32:
      return load(std::int32_t{});
    case DType::int8:
      return load(std::int8_t{});
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

void poison(std::span<std::byte> bytes, DType dtype) {
  std::memset(bytes.data(), info(dtype).integer ? 0x80 : 0xff, bytes.size());
}

std::optional<std::uint64_t> find_unwritten(const std::byte* array, DType dtype, std::uint64_t n) {
  // No sum of int8 products comes near: that takes 132 000 terms of the largest magnitude.
  constexpr double kPoisonInt32 = -2139062144;
  constexpr double kPoisonInt8 = -128;
  for (std::uint64_t i = 0; i < n; ++i) {
    const double value = load_element(array, dtype, i);
    const bool unwritten = info(dtype).integer
                               ? value == (dtype == DType::int8 ? kPoisonInt8 : kPoisonInt32)
                               : !(std::fabs(value) < std::numeric_limits<double>::infinity());
    if (unwritten) return i;
  }
  return std::nullopt;
}

}  // namespace roofline::cpu
