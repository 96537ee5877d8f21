#include "kernels/cuda/fp8_bits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "kernels/cuda/random_reference.hpp"

namespace {

using namespace roofline::cuda;

/// From the definitions of the OCP 8-bit specification: value of `bits` without its sign.
double value_of(unsigned magnitude, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(magnitude) >> fraction_bits;
  const int fraction = static_cast<int>(magnitude) & ((1 << fraction_bits) - 1);
  if (exponent == 0) return std::ldexp(fraction, 1 - bias - fraction_bits);
  return std::ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
}

struct Format {
  SmallFormat format;
  int exponent_bits;
  int fraction_bits;
  double largest;
};
constexpr Format kFormats[] = {{kE4m3, 4, 3, 448}, {kE5m2, 5, 2, 57344}};

TEST(Fp8Bits, EveryFiniteOneHasItsValue) {
  for (const Format& f : kFormats) {
    for (unsigned bits = 0; bits <= f.format.largest; ++bits) {
      const double expected = value_of(bits, f.exponent_bits, f.fraction_bits);
      EXPECT_EQ(static_cast<double>(widened(bits, f.format)), expected) << bits;
      EXPECT_EQ(static_cast<double>(widened(bits | 0x80U, f.format)), -expected) << bits;
    }
    EXPECT_EQ(static_cast<double>(widened(f.format.largest, f.format)), f.largest);
  }
}

TEST(Fp8Bits, EveryFiniteOneIsItsOwn) {
  for (const Format& f : kFormats) {
    for (unsigned bits = 0; bits <= f.format.largest; ++bits) {
      for (const unsigned sign : {0U, 0x80U}) {
        const u32 stored = std::bit_cast<u32>(widened(bits | sign, f.format));
        EXPECT_EQ(narrowed(stored, f.format, Rounding::to_nearest), bits | sign);
        EXPECT_EQ(narrowed(stored, f.format, Rounding::toward_zero), bits | sign);
      }
    }
  }
}

// Between two neighbours lies the middle, which goes to the even one; a float beside it does not.
TEST(Fp8Bits, BetweenNeighboursItGoesWhereItShould) {
  for (const Format& f : kFormats) {
    for (unsigned bits = 0; bits < f.format.largest; ++bits) {
      const float low = widened(bits, f.format);
      const float high = widened(bits + 1, f.format);
      const float middle = (low + high) / 2;
      const auto nearest = [&](float value) {
        return narrowed(std::bit_cast<u32>(value), f.format, Rounding::to_nearest);
      };
      EXPECT_EQ(nearest(middle), bits + bits % 2) << bits;
      EXPECT_EQ(nearest(std::nextafter(middle, low)), bits);
      EXPECT_EQ(nearest(std::nextafter(middle, high)), bits + 1);
      for (const float value : {low, middle, std::nextafter(high, low)}) {
        EXPECT_EQ(narrowed(std::bit_cast<u32>(value), f.format, Rounding::toward_zero), bits);
      }
    }
  }
}

TEST(Fp8Bits, TooLargeIsTheLargestAndTooSmallIsZero) {
  for (const Format& f : kFormats) {
    for (const float large : {1e5F, 1e30F, 3.4e38F}) {
      EXPECT_EQ(narrowed(std::bit_cast<u32>(large), f.format, Rounding::to_nearest),
                f.format.largest);
      EXPECT_EQ(narrowed(std::bit_cast<u32>(-large), f.format, Rounding::to_nearest),
                f.format.largest | 0x80U);
    }
    const float smallest = widened(1, f.format);
    for (const float small : {0.0F, smallest / 4, 1e-30F, 1e-40F})
      EXPECT_EQ(narrowed(std::bit_cast<u32>(small), f.format, Rounding::to_nearest), 0U) << small;
  }
}

TEST(Tf32Bits, HaveTenBitsOfFraction) {
  EXPECT_EQ(std::bit_cast<float>(truncated_tf32(std::bit_cast<u32>(1 + 0x1p-10F)).bits),
            1 + 0x1p-10F);
  EXPECT_EQ(std::bit_cast<float>(truncated_tf32(std::bit_cast<u32>(1 + 0x1p-11F)).bits), 1.0F);
}

// Random operands of products: signs of both kinds, most of the encodings, and no sum of a few
// thousand products that leaves the range of fp16.
TEST(RandomReference, SmallFloatsUseWhatTheyHave) {
  constexpr u64 kSeed = 5;
  std::vector<bool> seen(256);
  double largest = 0;
  for (u64 i = 0; i < 100'000; ++i) {
    const Fp8E4m3 value = random_e4m3(kSeed, i, Distribution::uniform);
    seen[value.bits] = true;
    largest = std::max(largest, std::fabs(static_cast<double>(to_float(value))));
  }
  // Magnitudes below 1, of either sign.
  EXPECT_GE(std::count(seen.begin(), seen.end(), true), 2 * 0x38 - 4);
  EXPECT_LT(largest, 1.0);
}

TEST(RandomReference, IntegersAreSmallAndAllOfThemOccur) {
  std::vector<int> counts(7);
  for (u64 i = 0; i < 7000; ++i) {
    const float value = random_fp32(9, i, Distribution::integers);
    ASSERT_EQ(value, std::floor(value));
    ASSERT_LE(std::fabs(value), 3.0F);
    ++counts[static_cast<std::size_t>(value + 3)];
    // Every type holds the same numbers.
    EXPECT_EQ(to_float(random_e5m2(9, i, Distribution::integers)), value);
    EXPECT_EQ(to_float(random_e4m3(9, i, Distribution::integers)), value);
    EXPECT_EQ(to_float(random_fp16(9, i, Distribution::integers)), value);
    EXPECT_EQ(to_float(random_bf16(9, i, Distribution::integers)), value);
    EXPECT_EQ(static_cast<float>(random_fp64(9, i, Distribution::integers)), value);
    EXPECT_EQ(static_cast<float>(random_int8(9, i, Distribution::integers)), value);
    EXPECT_EQ(static_cast<float>(random_int32(9, i, Distribution::integers)), value);
    EXPECT_EQ(static_cast<float>(random_int4(9, i, Distribution::integers)), value);
  }
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
}

}  // namespace
