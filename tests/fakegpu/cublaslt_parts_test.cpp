// The parts of the simulated cuBLASLt that can be looked at alone.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "cublaslt_multiply.hpp"
#include "cublaslt_numbers.hpp"
#include "random.hpp"

namespace fakegpu::lt {
namespace {

struct Sizes {
  std::size_t m;
  std::size_t n;
  std::size_t k;
};

/// Whole numbers, so that sums are exact in any order.
template <class T>
std::vector<T> numbers(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<T> out(count);
  for (T& value : out) value = static_cast<T>(static_cast<int>(random.bits() % 7) - 3);
  return out;
}

template <class T>
void expect_product(const Sizes& size, bool transpose_a, bool transpose_b) {
  const std::size_t lda = (transpose_a ? size.k : size.m) + 3;
  const std::size_t ldb = (transpose_b ? size.n : size.k) + 1;
  const auto a = numbers<T>(lda * (transpose_a ? size.m : size.k), 1);
  const auto b = numbers<T>(ldb * (transpose_b ? size.k : size.n), 2);
  const auto c = numbers<T>(size.m * size.n, 3);
  std::vector<T> expected = c;
  for (std::size_t i = 0; i < size.m; ++i) {
    for (std::size_t j = 0; j < size.n; ++j) {
      for (std::size_t p = 0; p < size.k; ++p) {
        expected[j * size.m + i] += (transpose_a ? a[i * lda + p] : a[p * lda + i]) *
                                    (transpose_b ? b[p * ldb + j] : b[j * ldb + p]);
      }
    }
  }
  std::vector<T> plain = c;
  std::vector<T> usual = c;
  const View<T> left{a.data(), lda, transpose_a};
  const View<T> right{b.data(), ldb, transpose_b};
  multiply_plain(size.m, size.n, size.k, left, right, plain.data());
  multiply(size.m, size.n, size.k, left, right, usual.data());
  EXPECT_EQ(plain, expected);
  EXPECT_EQ(usual, expected);
}

// Sizes around the plain loops' blocks of 512 rows and a depth of 64.
TEST(Multiply, IsRightAroundTheEdgesOfItsBlocks) {
  for (const Sizes& size : {Sizes{1, 1, 1}, Sizes{5, 3, 7}, Sizes{512, 2, 64}, Sizes{513, 2, 65},
                            Sizes{40, 9, 130}, Sizes{1030, 3, 5}}) {
    for (const int way : {0, 1, 2, 3}) {
      expect_product<float>(size, way % 2 == 1, way / 2 == 1);
      expect_product<double>(size, way % 2 == 1, way / 2 == 1);
    }
  }
}

// fp16 and bf16: every finite value comes back as it went, and what lies between goes to the
// nearest, ties to even.
TEST(Numbers, OfSixteenBitsComeBack) {
  for (const DataType type : {DataType::r_16f, DataType::r_16bf}) {
    for (unsigned bits = 0; bits < 65536; ++bits) {
      const auto in = static_cast<std::uint16_t>(bits);
      std::byte raw[2];
      std::memcpy(raw, &in, 2);
      const double value = load(type, raw);
      if (std::isnan(value)) continue;
      std::byte back[2];
      store(type, value, back);
      EXPECT_EQ(std::memcmp(raw, back, 2), 0) << bits;
    }
  }
}

TEST(Numbers, BetweenTwoGoToTheNearer) {
  for (const DataType type : {DataType::r_16f, DataType::r_16bf}) {
    const unsigned infinity = type == DataType::r_16f ? 0x7c00 : 0x7f80;
    for (unsigned bits = 0; bits + 1 < infinity; bits += 7) {
      double value[2];
      for (unsigned i = 0; i < 2; ++i) {
        const auto in = static_cast<std::uint16_t>(bits + i);
        std::byte raw[2];
        std::memcpy(raw, &in, 2);
        value[i] = load(type, raw);
      }
      const auto rounded = [&](double share) {
        std::byte out[2];
        store(type, value[0] + share * (value[1] - value[0]), out);
        std::uint16_t got = 0;
        std::memcpy(&got, out, 2);
        return got;
      };
      ASSERT_EQ(rounded(0.4375), bits);
      ASSERT_EQ(rounded(0.5625), bits + 1);
      ASSERT_EQ(rounded(0.5), bits + bits % 2) << "a tie";
    }
  }
}

// IEEE 754 binary16 and binary32, and the OCP FP8 specification.
TEST(Numbers, HaveTheRangesOfTheirFormats) {
  const auto value_of = [](DataType type, std::uint16_t bits) {
    std::byte raw[2];
    std::memcpy(raw, &bits, 2);
    return load(type, raw);
  };
  EXPECT_EQ(value_of(DataType::r_16f, 0x7bff), 65504);
  EXPECT_EQ(value_of(DataType::r_16f, 0x0001), 0x1p-24);
  EXPECT_TRUE(std::isinf(value_of(DataType::r_16f, 0xfc00)));
  EXPECT_EQ(value_of(DataType::r_8f_e4m3, 0x7e), 448);
  EXPECT_EQ(value_of(DataType::r_8f_e4m3, 0xfe), -448);
  EXPECT_EQ(value_of(DataType::r_8f_e4m3, 0x08), 0x1p-6);
  EXPECT_EQ(value_of(DataType::r_8f_e4m3, 0x01), 0x1p-9);
  EXPECT_TRUE(std::isnan(value_of(DataType::r_8f_e4m3, 0x7f)));
  EXPECT_EQ(value_of(DataType::r_8f_e5m2, 0x7b), 57344);
  EXPECT_EQ(value_of(DataType::r_8f_e5m2, 0x01), 0x1p-16);
  EXPECT_TRUE(std::isinf(value_of(DataType::r_8f_e5m2, 0x7c)));
  EXPECT_EQ(value_of(DataType::r_8i, 0x80), -128);
}

TEST(Numbers, OfTf32HaveTenBitsBehindThePoint) {
  EXPECT_EQ(round_to_tf32(1 + 0x1p-10F), 1 + 0x1p-10F);
  EXPECT_EQ(round_to_tf32(1 + 0x1p-11F), 1.0F) << "a tie";
  EXPECT_EQ(round_to_tf32(1 + 0x1.8p-10F), 1 + 0x1p-9F) << "a tie";
  EXPECT_EQ(round_to_tf32(-(1 + 0x1.1p-11F)), -(1 + 0x1p-10F));
  EXPECT_EQ(round_to_tf32(0x1p-120F), 0x1p-120F) << "the range is that of fp32";
}

}  // namespace
}  // namespace fakegpu::lt
