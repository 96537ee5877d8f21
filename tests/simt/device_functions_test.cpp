// Device functions on their own: 16-bit conversions against the toolkit's, and the matrix product
// against a plain one with the fragment layout of the PTX ISA.
#include <gtest/gtest.h>

#include "kernels/cuda/packed.cuh"
// The toolkit's headers come behind the dialect.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <bit>
#include <cmath>
#include <vector>

#include "simt/kernel_run.hpp"

namespace simt {
namespace {

using roofline::cuda::Bf16;
using roofline::cuda::Half;
using roofline::cuda::u32;
namespace device = roofline::cuda::device;

u32 bits(float value) { return std::bit_cast<u32>(value); }

TEST(Conversions, WideningIsTheToolkits) {
  for (u32 i = 0; i < 0x10000; ++i) {
    const auto stored = static_cast<std::uint16_t>(i);
    const float from_half = __half2float(std::bit_cast<__half>(stored));
    const float from_bf16 = __bfloat162float(std::bit_cast<__nv_bfloat16>(stored));
    if (std::isnan(from_half)) {
      EXPECT_TRUE(std::isnan(device::widen(Half{stored})));
    } else {
      ASSERT_EQ(bits(device::widen(Half{stored})), bits(from_half)) << i;
    }
    if (std::isnan(from_bf16)) {
      EXPECT_TRUE(std::isnan(device::widen(Bf16{stored})));
    } else {
      ASSERT_EQ(bits(device::widen(Bf16{stored})), bits(from_bf16)) << i;
    }
  }
}

// Every kind of float: all exponents, significands at and around the ties of both types.
std::vector<float> floats() {
  std::vector<float> all{0.0F,     -0.0F,     INFINITY, -INFINITY, 65504.0F,
                         65519.9F, 65520.0F,  0x1p-24F, 0x1p-25F,  0x1.000002p-25F,
                         3.0e38F,  0x1p-126F, 0x1p-149F};
  Random random(7);
  for (u32 exponent = 0; exponent < 255; ++exponent) {
    for (const u32 tie : {0x0U, 0x1000U, 0x3000U, 0x8000U, 0x18000U, 0x7FF000U, 0x7F8000U}) {
      for (const u32 off : {0U, 1U, 0x7FFFFFU}) {
        all.push_back(std::bit_cast<float>(exponent << 23 | ((tie + off) & 0x7FFFFFU)));
      }
    }
    for (int i = 0; i < 50; ++i) {
      const auto random_bits = static_cast<u32>(random.bits());
      all.push_back(std::bit_cast<float>((random_bits & 0x807FFFFFU) | exponent << 23));
    }
  }
  return all;
}

TEST(Conversions, NarrowingIsTheToolkits) {
  for (const float value : floats()) {
    Half half;
    device::narrow(value, &half);
    ASSERT_EQ(half.bits, std::bit_cast<std::uint16_t>(__float2half_rn(value))) << value;
    Bf16 bf16;
    device::narrow(value, &bf16);
    ASSERT_EQ(bf16.bits, std::bit_cast<std::uint16_t>(__float2bfloat16_rn(value))) << value;
  }
}

// ---- mma.m16n8k16 ----

using Matrix = std::vector<std::vector<float>>;

Matrix random_matrix(std::size_t rows, std::size_t columns, Random& random) {
  Matrix m(rows, std::vector<float>(columns));
  for (auto& row : m) {
    for (float& value : row) value = static_cast<float>(random.integer(-16, 16)) / 8;
  }
  return m;
}

template <class A>
u32 pair_of(float low, float high) {
  A first;
  A second;
  device::narrow(low, &first);
  device::narrow(high, &second);
  return u32{first.bits} | u32{second.bits} << 16;
}

// PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type", in its own words:
// groupID = lane >> 2, threadID_in_group = lane % 4.
// A: row = groupID for a0 a1 a4 a5, groupID + 8 for a2 a3 a6 a7;
//    col = threadID_in_group * 2 + (i & 1) for i < 4, + 8 for i >= 4.
// B: row = threadID_in_group * 2 + (i & 1) for i < 2, + 8 for i >= 2; col = groupID.
// C: row = groupID for c0 c1, groupID + 8 for c2 c3; col = threadID_in_group * 2 + (i & 1).
template <class A>
void expect_product() {
  Random random(3);
  const Matrix a = random_matrix(16, 16, random);
  const Matrix b = random_matrix(16, 8, random);
  const Matrix c = random_matrix(16, 8, random);
  Matrix d(16, std::vector<float>(8));
  launch({.block = {64}}, [&] {  // two warps, of which each makes all of it
    const u32 lane = threadIdx.x % 32;
    const u32 group = lane >> 2;
    const u32 in_group = lane % 4;
    const auto a_at = [&](u32 i) {
      const u32 row = i % 4 < 2 ? group : group + 8;
      return a[row][in_group * 2 + (i & 1) + (i >= 4 ? 8 : 0)];
    };
    const auto b_at = [&](u32 i) { return b[in_group * 2 + (i & 1) + (i >= 2 ? 8 : 0)][group]; };
    device::Left left;
    for (u32 p = 0; p < 4; ++p) left.pair[p] = pair_of<A>(a_at(2 * p), a_at(2 * p + 1));
    device::Right right;
    for (u32 p = 0; p < 2; ++p) right.pair[p] = pair_of<A>(b_at(2 * p), b_at(2 * p + 1));
    device::Sum sum;
    for (u32 i = 0; i < 4; ++i) {
      sum.element[i] = c[i < 2 ? group : group + 8][in_group * 2 + (i & 1)];
    }
    device::multiply_add<A, 8>(sum, left, right);
    if (threadIdx.x >= 32) return;
    for (u32 i = 0; i < 4; ++i) {
      d[i < 2 ? group : group + 8][in_group * 2 + (i & 1)] = sum.element[i];
    }
  });
  for (u32 row = 0; row < 16; ++row) {
    for (u32 column = 0; column < 8; ++column) {
      double exact = c[row][column];
      for (u32 k = 0; k < 16; ++k) exact += double{a[row][k]} * b[k][column];
      EXPECT_EQ(d[row][column], exact) << row << ", " << column;
    }
  }
}

TEST(MatrixProduct, HasTheFragmentsOfPtxInFp16) { expect_product<Half>(); }
TEST(MatrixProduct, HasTheFragmentsOfPtxInBf16) { expect_product<Bf16>(); }

}  // namespace
}  // namespace simt
