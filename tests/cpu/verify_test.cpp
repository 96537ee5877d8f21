#include "backend/cpu/verify.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "backend/cpu/random.hpp"

namespace roofline::cpu {
namespace {

TEST(Comparison, WithinTheBoundIsRightAndNanNeverIs) {
  Comparison c;
  c.add(0, 1.0, 1.25, 0.5);
  c.add(1, 2.0, 2.0, 0.0);
  EXPECT_EQ(c.wrong, 0U);
  EXPECT_DOUBLE_EQ(c.worst, 0.5);
  c.add(7, std::nan(""), 0.0, 1e9);
  c.add(9, 3.0, 2.0, 0.5);
  EXPECT_EQ(c.wrong, 2U);
  EXPECT_EQ(c.first_wrong, 7U);
  EXPECT_EQ(c.compared, 4U);
}

TEST(Comparison, MergedPartsKeepTheEarliestFault) {
  Comparison first;
  first.add(20, 1, 2, 0);
  Comparison second;
  second.add(10, 5, 6, 0);
  first.merge(second);
  EXPECT_EQ(first.wrong, 2U);
  EXPECT_EQ(first.first_wrong, 10U);
  EXPECT_EQ(first.got, 5);
}

TEST(Comparison, NothingComparedIsNotVerified) {
  EXPECT_EQ(verdict({}, "x").state, VerificationState::unverified);
}

template <class T>
void stream_faults() {
  const std::vector<T> b{T{1.25}, T{-0.5}, T{0.375}};
  const std::vector<T> c{static_cast<T>(0.1), static_cast<T>(0.7), static_cast<T>(-0.3)};
  const T s = static_cast<T>(0.9);
  const auto check = [&](StreamKind kind, const std::vector<T>& a) {
    return check_stream<T>(kind, {a.data(), b.data(), c.data(), s, 0, a.size()}).wrong;
  };
  std::vector<T> a(3);
  for (std::size_t i = 0; i < 3; ++i) a[i] = s * b[i];
  EXPECT_EQ(check(StreamKind::scale, a), 0U);
  EXPECT_NE(check(StreamKind::add, a), 0U);
  a[1] = std::nextafter(a[1], T{10});
  EXPECT_EQ(check(StreamKind::scale, a), 1U);  // one unit in the last place is seen
  for (std::size_t i = 0; i < 3; ++i) a[i] = std::fma(s, c[i], b[i]);
  EXPECT_EQ(check(StreamKind::triad, a), 0U);  // rounded once
  for (std::size_t i = 0; i < 3; ++i) {
    const volatile T product = s * c[i];
    a[i] = b[i] + product;
  }
  EXPECT_EQ(check(StreamKind::triad, a), 0U);  // rounded twice
  a[2] += static_cast<T>(1e-5);
  EXPECT_EQ(check(StreamKind::triad, a), 1U);
}

TEST(CheckStream, AllowsRoundingAndNoMore) {
  stream_faults<float>();
  stream_faults<double>();
}

TEST(CheckBytes, EveryByteCounts) {
  std::vector<std::byte> a(1000, std::byte{3});
  std::vector<std::byte> b = a;
  EXPECT_EQ(check_bytes(a.data(), b.data(), 1000, 0).wrong, 0U);
  a[999] = std::byte{4};
  EXPECT_EQ(check_bytes(a.data(), b.data(), 1000, 5000).first_wrong, 5999U);
}

TEST(CheckPattern, FollowsThePhaseOfTheArray) {
  std::vector<std::byte> a(10000);
  const std::uint64_t pattern = 0x0706050403020100ULL;
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::byte>((i + 3) % 8);
  EXPECT_EQ(check_pattern(a.data(), pattern, a.size(), 3).wrong, 0U);
  EXPECT_NE(check_pattern(a.data(), pattern, a.size(), 0).wrong, 0U);
  a[9999] ^= std::byte{1};
  const Comparison c = check_pattern(a.data(), pattern, a.size(), 3);
  EXPECT_EQ(c.wrong, 1U);
  EXPECT_EQ(c.first_wrong, 10002U);
}

TEST(WordSum, OfBytesByHand) {
  const unsigned char bytes[] = {1, 0, 0, 0, 0, 0, 0, 1, 2, 3};
  std::byte text[10];
  std::memcpy(text, bytes, 10);
  EXPECT_EQ(word_sum(text, 10), 1 + (1ULL << 56) + 2 + (3ULL << 8));
}

TEST(SampleEntries, CornersAndNoPlaceOutside) {
  const auto entries = sample_entries(1000, 3000, 256);
  EXPECT_EQ(entries.size(), 260U);
  const std::set<std::pair<std::uint64_t, std::uint64_t>> places(entries.begin(), entries.end());
  for (const auto& corner : std::set<std::pair<std::uint64_t, std::uint64_t>>{
           {0, 0}, {0, 2999}, {999, 0}, {999, 2999}}) {
    EXPECT_EQ(places.count(corner), 1U);
  }
  for (const auto& [row, column] : entries) {
    EXPECT_LT(row, 1000U);
    EXPECT_LT(column, 3000U);
  }
}

TEST(SampleEntries, SmallResultsAreComparedWhole) {
  const auto entries = sample_entries(5, 7, 256);
  const std::set<std::pair<std::uint64_t, std::uint64_t>> places(entries.begin(), entries.end());
  EXPECT_EQ(places.size(), 35U);
  EXPECT_EQ(sample_entries(1, 1, 64).size(), 1U);
}

TEST(ProductBound, HoldsFloatSumsAndCatchesAMissingProduct) {
  constexpr std::uint64_t kTerms = 4096;
  double exact = 0;
  double squares = 0;
  float sum = 0;
  for (std::uint64_t i = 0; i < kTerms; ++i) {
    const float a = random_fp32(5, i);
    const float b = random_fp32(6, i);
    exact += static_cast<double>(a) * static_cast<double>(b);
    squares += std::pow(static_cast<double>(a) * static_cast<double>(b), 2);
    sum += a * b;
  }
  const double bound = product_bound(kTerms, squares, exact, DType::fp32, DType::fp32);
  EXPECT_LE(std::fabs(static_cast<double>(sum) - exact), bound);
  // The mean product has a magnitude of 1/4: one that is left out is seen, and so is a tenth of
  // one.
  EXPECT_LT(bound, 0.025);
  EXPECT_EQ(product_bound(kTerms, 1e6, 123, DType::int32, DType::int32), 0);
}

/// Near 0 numbers are a fixed step apart, and rounding costs half of one: 2^-25 of fp16.
TEST(ProductBound, HasRoomForTheStepsNearZero) {
  const double bound = product_bound(1, 1e-14, 1.7e-6, DType::fp32, DType::fp16);
  EXPECT_GE(bound, 0x1p-25);
  EXPECT_LE(bound, 0x1p-23);
}

TEST(Poison, UnwrittenEntriesAreFound) {
  for (const DType dtype : {DType::fp64, DType::fp32, DType::bf16, DType::int32}) {
    const std::size_t bytes = storage_bits(dtype) / 8;
    std::vector<std::byte> array(10 * bytes);
    EXPECT_FALSE(find_unwritten(array.data(), dtype, 10)) << name(dtype);
    poison({array.data() + 6 * bytes, bytes}, dtype);
    EXPECT_EQ(find_unwritten(array.data(), dtype, 10), 6U) << name(dtype);
  }
  const float infinite = std::numeric_limits<float>::infinity();
  std::byte bytes[4];
  std::memcpy(bytes, &infinite, 4);
  EXPECT_TRUE(find_unwritten(bytes, DType::fp32, 1));
  const std::int32_t minus_one = -1;
  std::memcpy(bytes, &minus_one, 4);
  EXPECT_FALSE(find_unwritten(bytes, DType::int32, 1));
}

TEST(Random, RangesAndFullMantissas) {
  std::uint32_t bits_seen = 0;
  double sum = 0;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    const float x = random_fp32(1, i);
    EXPECT_GE(x, -1);
    EXPECT_LT(x, 1);
    sum += static_cast<double>(x);
    bits_seen |= std::bit_cast<std::uint32_t>(x);
    EXPECT_LT(random_uint7(1, i), 128);
    EXPECT_GE(random_int8(1, i), -127);
    const double y = random_fp64(1, i);
    EXPECT_GE(y, -1);
    EXPECT_LT(y, 1);
  }
  EXPECT_EQ(bits_seen & 0x7fffffU, 0x7fffffU);
  EXPECT_LT(std::fabs(sum / 10000), 0.03);
  EXPECT_NE(random_bits(1, 0), random_bits(2, 0));
}

TEST(Bf16, RoundsToNearestEven) {
  EXPECT_EQ(from_bf16(to_bf16(1.0F)), 1.0F);
  EXPECT_EQ(from_bf16(to_bf16(1.0F + 0x1p-8F)), 1.0F);                // tie, to even
  EXPECT_EQ(from_bf16(to_bf16(1.0F + 3 * 0x1p-8F)), 1.0F + 0x1p-6F);  // tie, to even
  EXPECT_EQ(from_bf16(to_bf16(1.0F + 0x1.8p-8F)), 1.0F + 0x1p-7F);
  EXPECT_EQ(from_bf16(to_bf16(-3.14159F)), -3.140625F);
}

}  // namespace
}  // namespace roofline::cpu
