#include "kernels/cuda/random_reference.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "kernels/cuda/random_bits.hpp"

namespace {

using namespace roofline::cuda;

constexpr u64 kSeed = 0x0123456789abcdefULL;

std::array<u32, 4> words(u64 seed, u64 counter, u64 upper) {
  const Philox block = philox(seed, counter, upper);
  return {block.word[0], block.word[1], block.word[2], block.word[3]};
}

// The known answers for philox4x32-10 that its authors publish with Random123.
TEST(RandomBits, PhiloxGivesItsAuthorsAnswers) {
  EXPECT_EQ(words(0, 0, 0), (std::array<u32, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(words(~0ULL, ~0ULL, ~0ULL),
            (std::array<u32, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(words(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e),
            (std::array<u32, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomBits, ExtremeWordsStayInside) {
  EXPECT_EQ(uniform_fp32(0x80000000U), -1.0F);
  EXPECT_EQ(uniform_fp32(0x7fffffffU), 1 - 0x1p-24F);
  EXPECT_EQ(uniform_fp64(0x8000000000000000ULL), -1.0);
  EXPECT_EQ(uniform_fp64(0x7fffffffffffffffULL), 1 - 0x1p-53);
  EXPECT_EQ(scale_fp32(0), 0x1p-8F);
  EXPECT_EQ(scale_fp32(~0U), (2 - 0x1p-23F) * 0x1p-8F);
  EXPECT_GT(open_unit_fp32(0), 0.0F);
  EXPECT_LT(open_unit_fp32(~0U), 1.0F);
  EXPECT_LT(unit_fp32(~0U), 1.0F);
  EXPECT_GT(open_unit_fp64(0), 0.0);
  EXPECT_LT(open_unit_fp64(~0ULL), 1.0);
  EXPECT_LT(unit_fp64(~0ULL), 1.0);
}

TEST(RandomBits, TruncationGoesTowardZeroByLessThanAPlace) {
  for (u64 i = 0; i < 20'000; ++i) {
    const float value = random_fp32(kSeed, i, Distribution::uniform) / (i % 2 == 0 ? 1 : 4096);
    const float half = to_float(truncated_half(std::bit_cast<u32>(value)));
    const float bf16 = to_float(truncated_bf16(std::bit_cast<u32>(value)));
    for (const float rounded : {half, bf16}) {
      EXPECT_LE(std::fabs(rounded), std::fabs(value));
      EXPECT_EQ(std::signbit(rounded), std::signbit(value));
    }
    EXPECT_LT(std::fabs(value - half), std::fmax(std::fabs(value) * 0x1p-10F, 0x1p-24F));
    EXPECT_LT(std::fabs(value - bf16), std::fabs(value) * 0x1p-7F);
  }
}

TEST(RandomReference, ElementsDependOnSeedAndPlaceOnly) {
  EXPECT_EQ(random_fp32(kSeed, 17, Distribution::uniform), uniform_fp32(philox(kSeed, 4).word[1]));
  EXPECT_EQ(random_fp64(kSeed, 17, Distribution::uniform),
            uniform_fp64(u64{philox(kSeed, 8).word[3]} << 32 | philox(kSeed, 8).word[2]));
  EXPECT_NE(random_fp32(kSeed, 17, Distribution::uniform),
            random_fp32(kSeed + 1, 17, Distribution::uniform));
  // Far away, where 32 bits of an index are not enough.
  EXPECT_NE(random_fp32(kSeed, 17, Distribution::uniform),
            random_fp32(kSeed, 17 + (1ULL << 34), Distribution::uniform));
}

struct Moments {
  double mean = 0;
  double square = 0;
  double lowest = 1e9;
  double highest = -1e9;
};

template <class Value>
Moments moments(Value&& value) {
  constexpr int kCount = 200'000;
  Moments out;
  for (int i = 0; i < kCount; ++i) {
    const auto x = static_cast<double>(value(static_cast<u64>(i)));
    out.mean += x / kCount;
    out.square += x * x / kCount;
    out.lowest = std::fmin(out.lowest, x);
    out.highest = std::fmax(out.highest, x);
  }
  return out;
}

// Bounds: four standard errors of 200000 draws.
TEST(RandomReference, UniformIsUniform) {
  const auto check = [](const Moments& m, double last_place) {
    EXPECT_NEAR(m.mean, 0, 4 * 0.577 / 447);
    EXPECT_NEAR(m.square, 1.0 / 3, 4 * 0.298 / 447);
    EXPECT_GE(m.lowest, -1);
    EXPECT_LT(m.highest, 1);
    EXPECT_GE(m.highest, 1 - std::fmax(last_place, 1e-4));
  };
  const auto uniform = Distribution::uniform;
  check(moments([&](u64 i) { return random_fp64(kSeed, i, uniform); }), 0x1p-53);
  check(moments([&](u64 i) { return random_fp32(kSeed, i, uniform); }), 0x1p-24);
  check(moments([&](u64 i) { return to_float(random_fp16(kSeed, i, uniform)); }), 0x1p-11);
  check(moments([&](u64 i) { return to_float(random_bf16(kSeed, i, uniform)); }), 0x1p-8);
}

TEST(RandomReference, NormalIsNormal) {
  const auto check = [](const Moments& m, double deviation) {
    EXPECT_NEAR(m.mean, 0, 4 * deviation / 447);
    EXPECT_NEAR(m.square / deviation / deviation, 1, 4 * 1.414 / 447 + 0.002);
    EXPECT_GT(m.highest, 3.5 * deviation);
  };
  const auto normal = Distribution::normal;
  check(moments([&](u64 i) { return random_fp64(kSeed, i, normal); }), 1);
  check(moments([&](u64 i) { return random_fp32(kSeed, i, normal); }), 1);
  check(moments([&](u64 i) { return to_float(random_fp16(kSeed, i, normal)); }), 1);
  check(moments([&](u64 i) { return random_int8(kSeed, i, normal); }), 32);
}

TEST(RandomReference, IntegersUseTheirWholeRange) {
  std::set<int> bytes;
  std::set<int> nibbles;
  for (u64 i = 0; i < 20'000; ++i) {
    bytes.insert(random_int8(kSeed, i, Distribution::uniform));
    nibbles.insert(random_int4(kSeed, i, Distribution::uniform));
    const auto small = random_int4(kSeed, i, Distribution::normal);
    EXPECT_GE(small, -8);
    EXPECT_LE(small, 7);
  }
  EXPECT_EQ(bytes.size(), 256U);
  EXPECT_EQ(*bytes.begin(), -128);
  EXPECT_EQ(nibbles.size(), 16U);
  EXPECT_EQ(*nibbles.begin(), -8);
}

TEST(RandomReference, ConstantsAreConstant) {
  EXPECT_EQ(random_fp32(kSeed, 5, Distribution::zeros), 0.0F);
  EXPECT_EQ(random_fp64(kSeed, 5, Distribution::ones), 1.0);
  EXPECT_EQ(random_fp16(kSeed, 5, Distribution::ones).bits, 0x3c00U);
  EXPECT_EQ(random_bf16(kSeed, 5, Distribution::ones).bits, 0x3f80U);
  EXPECT_EQ(random_int4(kSeed, 5, Distribution::ones), 1);
  EXPECT_EQ(random_int8(kSeed, 5, Distribution::zeros), 0);
}

TEST(RandomReference, ScalesArePositiveAndOfOneBinade) {
  for (u64 i = 0; i < 10'000; ++i) {
    const float scale = to_float(random_fp16(kSeed, i, Distribution::scale));
    EXPECT_GE(scale, 0x1p-8F);
    EXPECT_LE(scale, 0x1p-7F);
  }
}

// Low bits that are always zero would draw less power than real data.
TEST(RandomReference, MantissasAreFull) {
  u32 seen32 = 0;
  u32 seen16 = 0;
  for (u64 i = 0; i < 1000; ++i) {
    seen32 |= std::bit_cast<u32>(random_fp32(kSeed, i, Distribution::uniform));
    seen16 |= random_fp16(kSeed, i, Distribution::uniform).bits;
  }
  EXPECT_EQ(seen32 & 0x7fffffU, 0x7fffffU);
  EXPECT_EQ(seen16 & 0x3ffU, 0x3ffU);
}

}  // namespace
