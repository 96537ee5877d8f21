#include "cublaslt_numbers.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace fakegpu::lt {
namespace {

template <class T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

template <class T>
void write(T value, std::byte* to) {
  std::memcpy(to, &value, sizeof(value));
}

float from_bf16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

/// Sign, exponent of `exponent_bits` with its usual bias, and a significand; IEEE where `ieee`,
/// else the whole range is numbers but for all ones (E4M3).
float from_small(unsigned bits, int exponent_bits, int fraction_bits, bool ieee) {
  const unsigned fraction = bits & ((1U << fraction_bits) - 1);
  const unsigned exponent = (bits >> fraction_bits) & ((1U << exponent_bits) - 1);
  const bool negative = (bits >> (fraction_bits + exponent_bits)) != 0;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const unsigned top = (1U << exponent_bits) - 1;
  float value = 0;
  if (exponent == top && ieee) {
    value = fraction == 0 ? std::numeric_limits<float>::infinity()
                          : std::numeric_limits<float>::quiet_NaN();
  } else if (exponent == top && fraction == (1U << fraction_bits) - 1) {
    value = std::numeric_limits<float>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<float>(fraction), 1 - bias - fraction_bits);
  } else {
    value = std::ldexp(static_cast<float>(fraction | (1U << fraction_bits)),
                       static_cast<int>(exponent) - bias - fraction_bits);
  }
  return negative ? -value : value;
}

const float* half_table() {
  static const std::vector<float> table = [] {
    std::vector<float> out(65536);
    for (unsigned i = 0; i < 65536; ++i) out[i] = from_small(i, 5, 10, true);
    return out;
  }();
  return table.data();
}

const float* fp8_table(DataType type) {
  const auto make = [](int exponent, int fraction, bool ieee) {
    std::array<float, 256> out{};
    for (unsigned i = 0; i < 256; ++i) out[i] = from_small(i, exponent, fraction, ieee);
    return out;
  };
  static const std::array<float, 256> e4m3 = make(4, 3, false);
  static const std::array<float, 256> e5m2 = make(5, 2, true);
  return type == DataType::r_8f_e4m3 ? e4m3.data() : e5m2.data();
}

template <class T>
void widen_any(DataType type, const std::byte* from, std::size_t count, T* to) {
  const auto each = [&](std::size_t bytes, auto value_at) {
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<T>(value_at(from + i * bytes));
  };
  switch (type) {
    case DataType::r_64f:
      return each(8, read<double>);
    case DataType::r_32f:
      return each(4, read<float>);
    case DataType::r_32i:
      return each(4, read<std::int32_t>);
    case DataType::r_8i:
      return each(1, read<std::int8_t>);
    case DataType::r_16bf:
      return each(2, [](const std::byte* at) { return from_bf16(read<std::uint16_t>(at)); });
    case DataType::r_16f: {
      const float* const table = half_table();
      return each(2, [=](const std::byte* at) { return table[read<std::uint16_t>(at)]; });
    }
    default: {
      const float* const table = fp8_table(type);
      return each(1, [=](const std::byte* at) { return table[read<std::uint8_t>(at)]; });
    }
  }
}

std::uint16_t to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000;
  const std::uint32_t magnitude = bits & 0x7fffffff;
  constexpr std::uint32_t least_normal = 0x38800000;  // 2^-14
  constexpr std::uint32_t too_large = 0x477ff000;     // 65520, half way to what would be 2^16
  if (magnitude > 0x7f800000) return static_cast<std::uint16_t>(sign | 0x7e00);
  if (magnitude >= too_large) return static_cast<std::uint16_t>(sign | 0x7c00);
  if (magnitude < least_normal) {
    const float units = std::nearbyint(std::fabs(value) * 0x1p24F);
    return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(units));
  }
  const std::uint32_t rounded = (magnitude + 0xfff + (magnitude >> 13 & 1)) >> 13;
  return static_cast<std::uint16_t>(sign | (rounded - (112U << 10)));
}

std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace

void widen(DataType type, const std::byte* from, std::size_t count, float* to) {
  widen_any(type, from, count, to);
}

void widen(DataType type, const std::byte* from, std::size_t count, double* to) {
  widen_any(type, from, count, to);
}

double load(DataType type, const std::byte* from) {
  double value = 0;
  widen_any(type, from, 1, &value);
  return value;
}

void store(DataType type, double value, std::byte* to) {
  switch (type) {
    case DataType::r_64f:
      return write(value, to);
    case DataType::r_32f:
      return write(static_cast<float>(value), to);
    case DataType::r_16f:
      return write(to_half(static_cast<float>(value)), to);
    case DataType::r_16bf:
      return write(to_bf16(static_cast<float>(value)), to);
    case DataType::r_32i:
      return write(static_cast<std::int32_t>(static_cast<std::int64_t>(value)), to);
    default:
      return;  // nothing here has results of other types
  }
}

float round_to_tf32(float value) {
  if (!std::isfinite(value)) return value;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits + 0xfff + (bits >> 13 & 1)) & ~std::uint32_t{0x1fff});
}

}  // namespace fakegpu::lt
