// What the library is told of our matrices, put to a column-major product that does as it is told.
#include "backend/cuda/gemm_layout.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace roofline::cuda {
namespace {

using Matrix = std::vector<double>;

/// Element (row, column) of op(matrix), by the library's own rules.
double at(const Matrix& data, const LtMatrix& matrix, lt::Operation op, std::uint64_t item,
          std::uint64_t row, std::uint64_t column) {
  if (op == lt::Operation::t) std::swap(row, column);
  EXPECT_LT(row, matrix.rows);
  EXPECT_LT(column, matrix.columns);
  const auto ld = static_cast<std::uint64_t>(matrix.leading_dimension);
  return data[item * static_cast<std::uint64_t>(matrix.stride) + column * ld + row];
}

Matrix column_major_product(const LtProblem& p, const Matrix& a, const Matrix& b) {
  const std::uint64_t k = p.op_a == lt::Operation::n ? p.a.columns : p.a.rows;
  Matrix out(static_cast<std::uint64_t>(p.batch * p.c.stride));
  for (std::uint64_t item = 0; item < static_cast<std::uint64_t>(p.batch); ++item) {
    for (std::uint64_t row = 0; row < p.c.rows; ++row) {
      for (std::uint64_t column = 0; column < p.c.columns; ++column) {
        double sum = 0;
        for (std::uint64_t i = 0; i < k; ++i) {
          sum += at(a, p.a, p.op_a, item, row, i) * at(b, p.b, p.op_b, item, i, column);
        }
        const auto ld = static_cast<std::uint64_t>(p.c.leading_dimension);
        out[item * static_cast<std::uint64_t>(p.c.stride) + column * ld + row] = sum;
      }
    }
  }
  return out;
}

Matrix numbered(std::uint64_t n, std::uint64_t step) {
  Matrix out(n);
  for (std::uint64_t i = 0; i < n; ++i) out[i] = static_cast<double>(i * step % 17) - 8;
  return out;
}

class Layouts : public testing::TestWithParam<std::pair<bool, bool>> {};

TEST_P(Layouts, MakeTheRowMajorProduct) {
  const auto [transpose_a, transpose_b] = GetParam();
  const Gemm g{.m = 3,
               .n = 5,
               .k = 4,
               .batch = 2,
               .input = DType::fp32,
               .transpose_a = transpose_a,
               .transpose_b = transpose_b};
  const Matrix a = numbered(24, 3);
  const Matrix b = numbered(40, 5);
  // The library's A is our B.
  const Matrix c = column_major_product(lt_problem(g), b, a);
  for (std::uint64_t item = 0; item < 2; ++item) {
    for (std::uint64_t row = 0; row < g.m; ++row) {
      for (std::uint64_t column = 0; column < g.n; ++column) {
        double sum = 0;
        for (std::uint64_t i = 0; i < g.k; ++i) {
          const std::uint64_t in_a = transpose_a ? i * g.m + row : row * g.k + i;
          const std::uint64_t in_b = transpose_b ? column * g.k + i : i * g.n + column;
          sum += a[item * g.m * g.k + in_a] * b[item * g.k * g.n + in_b];
        }
        EXPECT_EQ(c[(item * g.m + row) * g.n + column], sum) << item << row << column;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Layouts,
                         testing::Values(std::pair{false, false}, std::pair{false, true},
                                         std::pair{true, false}, std::pair{true, true}));

TEST(LtProblemTest, TypesAreThoseOfTheWorkload) {
  const auto of = [](DType input, std::optional<DType> accumulate = {}) {
    return lt_problem({.m = 16, .n = 16, .k = 16, .input = input, .accumulate = accumulate});
  };
  EXPECT_EQ(of(DType::fp32).compute, lt::ComputeType::c_32f);
  EXPECT_EQ(of(DType::tf32).compute, lt::ComputeType::c_32f_fast_tf32);
  EXPECT_EQ(of(DType::tf32).a.type, lt::DataType::r_32f);
  EXPECT_EQ(of(DType::fp16).compute, lt::ComputeType::c_32f);
  EXPECT_EQ(of(DType::fp16, DType::fp16).compute, lt::ComputeType::c_16f);
  EXPECT_EQ(of(DType::fp16, DType::fp16).scale, lt::DataType::r_16f);
  EXPECT_EQ(of(DType::fp64).scale, lt::DataType::r_64f);
  EXPECT_EQ(of(DType::int8).scale, lt::DataType::r_32i);
  EXPECT_EQ(of(DType::int8).c.type, lt::DataType::r_32i);
  EXPECT_FALSE(of(DType::bf16).scaled);
  EXPECT_TRUE(of(DType::fp8_e4m3).scaled);
  EXPECT_EQ(of(DType::fp8_e4m3).c.type, lt::DataType::r_16bf);
  // Ours are A in e5m2 and B in e4m3; the library's A is our B.
  EXPECT_EQ(of(DType::fp8_e5m2).a.type, lt::DataType::r_8f_e4m3);
  EXPECT_EQ(of(DType::fp8_e5m2).b.type, lt::DataType::r_8f_e5m2);
}

TEST(LtProblemTest, OnlyEightBitsFillUpM) {
  EXPECT_EQ(padded_m({.m = 1, .n = 16, .k = 16, .input = DType::fp8_e4m3}), 16U);
  EXPECT_EQ(padded_m({.m = 16, .n = 16, .k = 16, .input = DType::fp8_e4m3}), 16U);
  EXPECT_EQ(padded_m({.m = 17, .n = 16, .k = 16, .input = DType::fp8_e5m2}), 32U);
  EXPECT_EQ(padded_m({.m = 3, .n = 4, .k = 4, .input = DType::int8}), 4U);
  EXPECT_EQ(padded_m({.m = 3, .n = 4, .k = 4, .input = DType::bf16}), 3U);
}

TEST(LtProblemTest, RowsOfNoMultipleOf16BytesAreNamed) {
  EXPECT_EQ(unaligned_rows({.m = 1, .n = 64, .k = 64, .input = DType::bf16}), "");
  EXPECT_EQ(unaligned_rows({.m = 64, .n = 64, .k = 8, .input = DType::bf16}), "")
      << "8 elements of 2 bytes";
  // A is [m,k], B is [k,n], and so is C.
  EXPECT_EQ(unaligned_rows({.m = 3, .n = 64, .k = 100, .input = DType::bf16}),
            "k = 100 makes rows of 200 bytes, no multiple of 16");
  EXPECT_EQ(unaligned_rows({.m = 3, .n = 6, .k = 4, .input = DType::fp32}),
            "n = 6 makes rows of 24 bytes, no multiple of 16");
  EXPECT_EQ(unaligned_rows({.m = 3, .n = 5, .k = 7, .input = DType::fp64}),
            "k = 7 makes rows of 56 bytes, no multiple of 16, n = 5 makes rows of 40 bytes, no "
            "multiple of 16");
  EXPECT_EQ(unaligned_rows({.m = 3, .n = 4, .k = 8, .input = DType::fp32, .transpose_a = true}),
            "m = 3 makes rows of 12 bytes, no multiple of 16");
}

TEST(LtProblemTest, B107_SizesHave64Bits) {
  const LtProblem p = lt_problem({.m = 65'536, .n = 65'536, .k = 46'341, .input = DType::bf16});
  EXPECT_EQ(p.c.stride, 4'294'967'296);
  EXPECT_EQ(p.a.stride, std::int64_t{46'341} * 65'536);
}

}  // namespace
}  // namespace roofline::cuda
