// What a result's entries should be, how far off they may lie, and what no entry may be.
#include "backend/cuda/gemm_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "kernels/cuda/random_reference.hpp"

namespace roofline::cuda {
namespace {

template <class T>
std::span<const std::byte> bytes(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

TEST(GemmCheck, PoisonIsFoundInEveryType) {
  for (const DType type :
       {DType::fp64, DType::fp32, DType::tf32, DType::fp16, DType::bf16, DType::int32}) {
    std::vector<std::byte> data(1024, std::byte{0});
    EXPECT_FALSE(first_unwritten(data, type)) << name(type);
    const std::size_t size = storage_bits(type) / 8;
    std::memset(data.data() + 37 * size, poison_byte(type), size);
    EXPECT_EQ(first_unwritten(data, type), 37U) << name(type);
  }
}

TEST(GemmCheck, InfinitiesAreNoResults) {
  EXPECT_EQ(first_unwritten(bytes(std::vector<float>{1, 2, INFINITY}), DType::fp32), 2U);
  EXPECT_EQ(first_unwritten(bytes(std::vector<double>{-INFINITY}), DType::fp64), 0U);
  EXPECT_EQ(first_unwritten(bytes(std::vector<std::uint16_t>{0x7bff, 0x7c00}), DType::fp16), 1U);
  EXPECT_FALSE(first_unwritten(bytes(std::vector<std::int32_t>{-1}), DType::int32));
}

TEST(GemmCheck, EntriesAreProductsOfWhatTheGeneratorGives) {
  // By hand: seeds are the operands' own, so the entry is taken apart by linearity.
  Gemm g{.m = 3, .n = 4, .k = 5, .input = DType::fp64};
  const double plain = expected_entry(g, 0, 2, 1).value;
  g.alpha = -2;
  EXPECT_DOUBLE_EQ(expected_entry(g, 0, 2, 1).value, -2 * plain);
  g.beta = 0.5;
  const double with_c = expected_entry(g, 0, 2, 1).value;
  const GemmReference reference(g);
  EXPECT_DOUBLE_EQ(with_c, -2 * plain + 0.5 * reference.c(0, 2, 1));
  EXPECT_NE(reference.c(0, 2, 1), 0);
}

TEST(GemmCheck, TransposedOperandsAreReadAcross) {
  Gemm g{.m = 3, .n = 4, .k = 5, .input = DType::fp32};
  Gemm t = g;
  t.transpose_a = true;
  EXPECT_EQ(GemmReference(t).a(0, 0, 2), GemmReference(g).a(0, 1, 1));  // 2 * 3 + 0 = 1 * 5 + 1
  t = g;
  t.transpose_b = true;
  EXPECT_EQ(GemmReference(t).b(0, 2, 1), GemmReference(g).b(0, 1, 3));  // 1 * 5 + 2 = 1 * 4 + 3
}

/// The bound is above what rounding does and below what a wrong element does.
TEST(GemmCheck, BoundsAreBetweenRoundingAndAWrongProduct) {
  struct Row {
    DType input;
    double relative_rounding;  ///< of a typical entry
  };
  for (const auto& [input, rounding] :
       {Row{DType::fp64, 1e-16}, Row{DType::fp32, 6e-8}, Row{DType::tf32, 1e-7},
        Row{DType::bf16, 4e-3}, Row{DType::fp16, 5e-4}, Row{DType::fp8_e4m3, 4e-3}}) {
    const Gemm g{.m = 8, .n = 16, .k = 4096, .input = input};
    double squares = 0;
    double bound = 0;
    for (std::uint64_t i = 0; i < 16; ++i) {
      const ExpectedEntry entry = expected_entry(g, 0, i % 8, i);
      squares += entry.value * entry.value;
      bound = std::max(bound, entry.bound);
    }
    const double typical = std::sqrt(squares / 16);
    EXPECT_GT(bound, rounding * typical) << name(input);
    EXPECT_LT(bound, 0.1 * typical) << name(input);
  }
}

/// Were fp32 products made of tf32 operands, the entries would be off by more than allowed.
TEST(GemmCheck, Tf32IsNotTakenForFp32) {
  const Gemm g{.m = 16, .n = 16, .k = 1024, .input = DType::fp32};
  const GemmReference reference(g);
  int caught = 0;
  for (std::uint64_t place = 0; place < 16; ++place) {
    double sum = 0;
    for (std::uint64_t i = 0; i < g.k; ++i) {
      const auto rounded = [](double value) {
        return static_cast<double>(std::bit_cast<float>(
            truncated_tf32(std::bit_cast<u32>(static_cast<float>(value))).bits));
      };
      sum += rounded(reference.a(0, place, i)) * rounded(reference.b(0, i, place));
    }
    const ExpectedEntry entry = expected_entry(g, 0, place, place);
    caught += std::fabs(sum - entry.value) > entry.bound ? 1 : 0;
  }
  EXPECT_GE(caught, 12);
}

TEST(GemmCheck, IntegersAreExact) {
  const ExpectedEntry entry =
      expected_entry({.m = 4, .n = 4, .k = 64, .input = DType::int8, .transpose_b = true}, 0, 1, 2);
  EXPECT_EQ(entry.bound, 0);
  EXPECT_EQ(entry.value, std::trunc(entry.value));
  EXPECT_NE(entry.value, 0);
}

TEST(GemmCheck, OnesAddUpToK) {
  const ExpectedEntry entry = expected_entry(
      {.m = 4, .n = 4, .k = 5000, .input = DType::bf16, .data = DataPattern::ones}, 0, 0, 0);
  EXPECT_EQ(entry.value, 5000);
  EXPECT_GE(entry.bound, 8);  // bf16 holds 4992 and 5024
  EXPECT_LT(entry.bound, 100);
}

}  // namespace
}  // namespace roofline::cuda
