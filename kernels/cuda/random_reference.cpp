#include "kernels/cuda/random_reference.hpp"

#include <bit>
#include <cmath>
#include <numbers>

#include "kernels/cuda/random_bits.hpp"

namespace roofline::cuda {
namespace {

u32 word_at(u64 seed, u64 index) { return philox(seed, index / 4).word[index % 4]; }

u64 long_word_at(u64 seed, u64 index) {
  return u64{word_at(seed, 2 * index + 1)} << 32 | word_at(seed, 2 * index);
}

/// Box and Muller, in double: `unit` in (0, 1), `turns` in [0, 1).
double normal(double unit, double turns, bool cosine) {
  const double angle = 2 * std::numbers::pi * turns;
  return std::sqrt(-2 * std::log(unit)) * (cosine ? std::cos(angle) : std::sin(angle));
}

float normal_fp32(u64 seed, u64 index) {
  const u64 pair = index / 2 * 2;
  return static_cast<float>(normal(open_unit_fp32(word_at(seed, pair)),
                                   unit_fp32(word_at(seed, pair + 1)), index % 2 == 0));
}

Rounding rounding_of(Distribution distribution) {
  return distribution == Distribution::uniform ? Rounding::toward_zero : Rounding::to_nearest;
}

int integer(u64 seed, u64 index, Distribution distribution, int bits) {
  const int most = (1 << (bits - 1)) - 1;
  const int deviation = (most + 1) / 4;
  switch (distribution) {
    case Distribution::uniform:
      return static_cast<std::int32_t>(word_at(seed, index)) >> (32 - bits);
    case Distribution::normal:
      return clamped(normal_fp32(seed, index) * static_cast<float>(deviation), most);
    case Distribution::zeros:
      return 0;
    case Distribution::integers:
      return small_integer(word_at(seed, index));
    default:
      return 1;
  }
}

}  // namespace

double random_fp64(u64 seed, u64 index, Distribution distribution) {
  switch (distribution) {
    case Distribution::uniform:
      return uniform_fp64(long_word_at(seed, index));
    case Distribution::normal: {
      const u64 pair = index / 2 * 2;
      return normal(open_unit_fp64(long_word_at(seed, pair)),
                    unit_fp64(long_word_at(seed, pair + 1)), index % 2 == 0);
    }
    default:
      return static_cast<double>(random_fp32(seed, index, distribution));
  }
}

float random_fp32(u64 seed, u64 index, Distribution distribution) {
  switch (distribution) {
    case Distribution::uniform:
      return uniform_fp32(word_at(seed, index));
    case Distribution::normal:
      return normal_fp32(seed, index);
    case Distribution::zeros:
      return 0;
    case Distribution::ones:
      return 1;
    case Distribution::integers:
      return static_cast<float>(small_integer(word_at(seed, index)));
    default:
      return scale_fp32(word_at(seed, index));
  }
}

Half random_fp16(u64 seed, u64 index, Distribution distribution) {
  const float value = random_fp32(seed, index, distribution);
  return distribution == Distribution::uniform ? truncated_half(std::bit_cast<u32>(value))
                                               : nearest_half(value);
}

Bf16 random_bf16(u64 seed, u64 index, Distribution distribution) {
  const float value = random_fp32(seed, index, distribution);
  return distribution == Distribution::uniform ? truncated_bf16(std::bit_cast<u32>(value))
                                               : nearest_bf16(value);
}

Tf32 random_tf32(u64 seed, u64 index, Distribution distribution) {
  return truncated_tf32(std::bit_cast<u32>(random_fp32(seed, index, distribution)));
}

Fp8E4m3 random_e4m3(u64 seed, u64 index, Distribution distribution) {
  return narrowed_e4m3(std::bit_cast<u32>(random_fp32(seed, index, distribution)),
                       rounding_of(distribution));
}

Fp8E5m2 random_e5m2(u64 seed, u64 index, Distribution distribution) {
  return narrowed_e5m2(std::bit_cast<u32>(random_fp32(seed, index, distribution)),
                       rounding_of(distribution));
}

std::int32_t random_int32(u64 seed, u64 index, Distribution distribution) {
  return integer(seed, index, distribution, static_cast<int>(kInt32Bits));
}

std::int8_t random_int8(u64 seed, u64 index, Distribution distribution) {
  return static_cast<std::int8_t>(integer(seed, index, distribution, 8));
}

std::int8_t random_int4(u64 seed, u64 index, Distribution distribution) {
  return static_cast<std::int8_t>(integer(seed, index, distribution, 4));
}

}  // namespace roofline::cuda
