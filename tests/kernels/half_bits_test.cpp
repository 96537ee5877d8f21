#include "kernels/cuda/half_bits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using roofline::cuda::Bf16;
using roofline::cuda::Half;
using roofline::cuda::nearest_bf16;
using roofline::cuda::nearest_half;
using roofline::cuda::to_float;

/// IEEE 754 binary16, from its definition.
double half_value(unsigned bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  const int exponent = static_cast<int>(bits >> 10 & 0x1fU);
  const double fraction = bits & 0x3ffU;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  if (exponent == 31) return sign * std::numeric_limits<double>::infinity();
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

bool is_nan_half(unsigned bits) { return (bits & 0x7fffU) > 0x7c00U; }

Half half(unsigned bits) { return {static_cast<std::uint16_t>(bits)}; }

TEST(HalfBits, EveryHalfHasItsValue) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    if (is_nan_half(bits)) {
      EXPECT_TRUE(std::isnan(to_float(half(bits)))) << bits;
    } else {
      EXPECT_EQ(static_cast<double>(to_float(half(bits))), half_value(bits)) << bits;
      EXPECT_EQ(std::signbit(to_float(half(bits))), (bits & 0x8000U) != 0) << bits;
    }
  }
}

TEST(HalfBits, EveryHalfIsItsOwnNearest) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    if (is_nan_half(bits)) continue;
    EXPECT_EQ(nearest_half(to_float(half(bits))).bits, bits);
  }
}

// Between two neighbours lies the middle, which goes to the even one; a float beside it does not.
TEST(HalfBits, TheMiddleGoesToTheEvenOne) {
  for (unsigned bits = 0; bits < 0x7c00; ++bits) {
    const double next = bits + 1 == 0x7c00 ? 65536 : half_value(bits + 1);
    const auto middle = static_cast<float>((half_value(bits) + next) / 2);
    const unsigned even = bits % 2 == 0 ? bits : bits + 1;
    EXPECT_EQ(nearest_half(middle).bits, even);
    EXPECT_EQ(nearest_half(-middle).bits, even | 0x8000U);
    EXPECT_EQ(nearest_half(std::nextafter(middle, 0.0F)).bits, bits);
    EXPECT_EQ(nearest_half(std::nextafter(middle, 1e9F)).bits, bits + 1);
  }
}

TEST(HalfBits, WhatIsTooLargeBecomesInfinity) {
  EXPECT_EQ(nearest_half(65504).bits, 0x7bffU);
  EXPECT_EQ(nearest_half(1e9F).bits, 0x7c00U);
  EXPECT_EQ(nearest_half(-std::numeric_limits<float>::infinity()).bits, 0xfc00U);
  EXPECT_EQ(nearest_half(1e-30F).bits, 0U);
  EXPECT_EQ(nearest_half(-1e-30F).bits, 0x8000U);
}

TEST(HalfBits, Bf16IsTheUpperHalfRounded) {
  EXPECT_EQ(to_float(Bf16{0x3f80}), 1.0F);
  EXPECT_EQ(to_float(Bf16{0xc308}), -136.0F);
  // 1, 1 + 2^-7: the middle is 1 + 2^-8.
  EXPECT_EQ(nearest_bf16(1 + 0x1p-8F).bits, 0x3f80U);
  EXPECT_EQ(nearest_bf16(1 + 0x1p-8F + 0x1p-23F).bits, 0x3f81U);
  EXPECT_EQ(nearest_bf16(1 + 3 * 0x1p-8F).bits, 0x3f82U);
  EXPECT_EQ(nearest_bf16(-1 - 0x1p-8F - 0x1p-20F).bits, 0xbf81U);
}

}  // namespace
