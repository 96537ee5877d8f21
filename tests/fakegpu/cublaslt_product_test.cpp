// The simulated cuBLASLt multiplies: every type, layout and scalar, against sums of small whole
// numbers, which are exact; and what happens to memory that is not there.
#include "cublaslt_fixture.hpp"

namespace fakegpu {
namespace {

using lt::ComputeType;
using lt::DataType;

/// One of every type, by name.
std::vector<Product> types() {
  std::vector<Product> out{
      fp32_product(),
      product_of(ComputeType::c_32f_fast_tf32, DataType::r_32f, DataType::r_32f, DataType::r_32f),
      product_of(ComputeType::c_64f, DataType::r_64f, DataType::r_64f, DataType::r_64f),
      product_of(ComputeType::c_32f, DataType::r_32f, DataType::r_16f, DataType::r_16f),
      product_of(ComputeType::c_32f, DataType::r_32f, DataType::r_16f, DataType::r_32f),
      product_of(ComputeType::c_16f, DataType::r_16f, DataType::r_16f, DataType::r_16f),
      bf16_product(),
      product_of(ComputeType::c_32f, DataType::r_32f, DataType::r_16bf, DataType::r_32f),
      int8_product(),
      fp8_product(DataType::r_8f_e4m3, DataType::r_8f_e4m3, DataType::r_16bf),
      fp8_product(DataType::r_8f_e5m2, DataType::r_8f_e4m3, DataType::r_16f),
      fp8_product(DataType::r_8f_e4m3, DataType::r_8f_e5m2, DataType::r_32f)};
  const char* const names[] = {
      "fp32", "tf32",         "fp64", "fp16",         "fp16_to_fp32",      "fp16_in_fp16",
      "bf16", "bf16_to_fp32", "int8", "e4m3_to_bf16", "e5m2_e4m3_to_fp16", "e4m3_e5m2_to_fp32"};
  for (std::size_t i = 0; i < out.size(); ++i) out[i].name = names[i];
  return out;
}

bool eight_bits(const Product& product) { return bytes_of(product.a) == 1; }

class EveryType : public CublasLt, public testing::WithParamInterface<Product> {
 protected:
  EveryType() { begin(); }

  void expect_right(const Product& product) {
    const Prepared prepared = prepare(product);
    const auto suggested = suggest(prepared, 1);
    ASSERT_EQ(suggested.size(), 1U);
    ASSERT_EQ(multiply(prepared, &suggested[0].algo), lt::kSuccess);
    EXPECT_EQ(read(prepared), expected(prepared));
  }
};

TEST_P(EveryType, IsMultiplied) {
  Product product = GetParam();
  product.m = eight_bits(product) ? 32 : 13;
  product.n = eight_bits(product) ? 16 : 5;
  product.k = eight_bits(product) ? 48 : 27;
  expect_right(product);
}

TEST_P(EveryType, HasScalarsAndAnOldResult) {
  Product product = GetParam();
  product.alpha = 2;
  product.beta = -1;
  expect_right(product);
}

TEST_P(EveryType, MayHaveGapsBetweenColumns) {
  Product product = GetParam();
  product.pad = 16;
  product.beta = 1;
  expect_right(product);
}

TEST_P(EveryType, ComesInBatches) {
  Product product = GetParam();
  product.batch = 3;
  product.n = 16;
  product.beta = 1;
  expect_right(product);
}

TEST_P(EveryType, IsTransposedWhereThatIsPossible) {
  if (eight_bits(GetParam())) return;
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      Product product = GetParam();
      product.m = 7;
      product.n = 11;
      product.k = 20;
      product.transpose_a = transpose_a;
      product.transpose_b = transpose_b;
      expect_right(product);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(CublasLt, EveryType, testing::ValuesIn(types()),
                         [](const auto& one) { return one.param.name; });

class Products : public CublasLt {
 protected:
  Products() { begin(); }
};

TEST_F(Products, OfFp8AreScaled) {
  Product product = fp8_product(DataType::r_8f_e4m3, DataType::r_8f_e4m3, DataType::r_32f);
  product.scale_a = 0.5F;
  product.scale_b = 8;
  product.beta = 1;
  const Prepared prepared = prepare(product);
  ASSERT_EQ(multiply(prepared), lt::kSuccess);
  EXPECT_EQ(read(prepared), expected(prepared));
}

TEST_F(Products, DoNotReadWhatBetaLeavesOut) {
  Prepared prepared = prepare(bf16_product());
  const std::vector<std::uint16_t> nan(64, 0x7fc0);
  ASSERT_EQ(cu.cuMemcpyHtoD(prepared.c.device, nan.data(), 128), CUDA_SUCCESS);
  ASSERT_EQ(multiply(prepared), lt::kSuccess);
  EXPECT_EQ(read(prepared), expected(prepared));
  prepared.c.device = 0;  // nor is it needed
  EXPECT_EQ(multiply(prepared), lt::kSuccess);
  EXPECT_EQ(cu.cuCtxSynchronize(), CUDA_SUCCESS);
}

TEST_F(Products, MayReplaceTheOldResult) {
  Product product = bf16_product();
  product.beta = 1;
  Prepared prepared = prepare(product);
  const std::vector<double> once = expected(prepared);
  prepared.d.device = prepared.c.device;
  ASSERT_EQ(multiply(prepared), lt::kSuccess);
  EXPECT_EQ(read(prepared), once);
  ASSERT_EQ(multiply(prepared), lt::kSuccess);
  std::vector<double> twice;
  for (std::size_t i = 0; i < once.size(); ++i) {
    twice.push_back(2 * once[i] - prepared.c.values[i]);
  }
  EXPECT_EQ(read(prepared), twice) << "each is added to the last";
}

/// One element of each operand, the others zero, and the bits of the first result.
class Rounding : public CublasLt {
 protected:
  template <class In, class Out>
  Out first_of(const Product& product, In a, In b) {
    Prepared prepared = prepare(product);
    for (const auto& [matrix, first] : {std::pair{&prepared.a, a}, std::pair{&prepared.b, b}}) {
      std::vector<In> values(matrix->values.size());
      values[0] = first;
      EXPECT_EQ(cu.cuMemcpyHtoD(matrix->device, values.data(), values.size() * sizeof(In)),
                CUDA_SUCCESS);
    }
    EXPECT_EQ(multiply(prepared), lt::kSuccess);
    Out out{};
    EXPECT_EQ(cu.cuMemcpyDtoH(&out, prepared.d.device, sizeof(out)), CUDA_SUCCESS);
    return out;
  }
};

TEST_F(Rounding, OfBf16IsToTheNearest) {
  begin();
  // 1.0078125 squared is 1.01568604: between 1.015625 (0x3f82) and 1.0234375.
  EXPECT_EQ((first_of<std::uint16_t, std::uint16_t>(bf16_product(), 0x3f81, 0x3f81)), 0x3f82);
  // 1.5 * 1.0078125 = 1.51171875, half way between 0x3fc1 and 0x3fc2.
  EXPECT_EQ((first_of<std::uint16_t, std::uint16_t>(bf16_product(), 0x3fc0, 0x3f81)), 0x3fc2);
}

TEST_F(Rounding, OfFp16OverflowsToInfinity) {
  begin();
  const Product fp16 =
      product_of(ComputeType::c_32f, DataType::r_32f, DataType::r_16f, DataType::r_16f);
  EXPECT_EQ((first_of<std::uint16_t, std::uint16_t>(fp16, 0x7800, 0x3c01)), 0x7801);
  EXPECT_EQ((first_of<std::uint16_t, std::uint16_t>(fp16, 0x7800, 0x4400)), 0x7c00);
  EXPECT_EQ((first_of<std::uint16_t, std::uint16_t>(fp16, 0x0400, 0x3800)), 0x0200)
      << "below the least normal number";
}

TEST_F(Rounding, OfTf32LeavesTenBits) {
  begin();
  const auto once = [&](ComputeType compute) {
    return first_of<float, float>(
        product_of(compute, DataType::r_32f, DataType::r_32f, DataType::r_32f), 1.0F + 0x1p-12F,
        1.0F);
  };
  EXPECT_EQ(once(ComputeType::c_32f), 1.0F + 0x1p-12F);
  EXPECT_EQ(once(ComputeType::c_32f_fast_tf32), 1.0F);
}

TEST_F(Rounding, OfFp8IsThatOfItsFormats) {
  begin();
  const Product e4m3 = fp8_product(DataType::r_8f_e4m3, DataType::r_8f_e4m3, DataType::r_32f);
  EXPECT_EQ((first_of<std::uint8_t, float>(e4m3, 0x7e, 0x38)), 448.0F);
  EXPECT_EQ((first_of<std::uint8_t, float>(e4m3, 0x01, 0x38)), 0x1p-9F);
  const Product mixed = fp8_product(DataType::r_8f_e5m2, DataType::r_8f_e4m3, DataType::r_32f);
  EXPECT_EQ((first_of<std::uint8_t, float>(mixed, 0x7b, 0x38)), 57344.0F);
}

TEST_F(Products, OfIntegersAreExact) {
  Product product = int8_product();
  product.m = product.n = 4;
  product.k = 4096;
  const Prepared prepared = prepare(product);
  const std::vector<std::int8_t> most(16'384, -128);
  ASSERT_EQ(cu.cuMemcpyHtoD(prepared.a.device, most.data(), most.size()), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuMemcpyHtoD(prepared.b.device, most.data(), most.size()), CUDA_SUCCESS);
  ASSERT_EQ(multiply(prepared), lt::kSuccess);
  EXPECT_EQ(read(prepared)[0], 4096.0 * 128 * 128);
}

TEST_F(Products, BeyondTheEndOfAnOperandAreIllegal) {
  for (const char* const which : {"a", "b", "c", "d", "scale"}) {
    begin();
    Product product = fp8_product(DataType::r_8f_e4m3, DataType::r_8f_e4m3, DataType::r_32f);
    product.beta = 1;
    product.scale_a = 1;
    Prepared prepared = prepare(product);
    PreparedMatrix* const matrices[] = {&prepared.a, &prepared.b, &prepared.c, &prepared.d};
    for (PreparedMatrix* const matrix : matrices) {
      const std::string name(1, static_cast<char>('a' + (matrix - &prepared.a)));
      if (name != which) continue;
      const std::int64_t ld = 32;  // twice what was allocated
      ASSERT_EQ(lt_api.layout_set(matrix->layout, lt::LayoutAttribute::leading_dimension, &ld, 8),
                lt::kSuccess);
    }
    if (std::string(which) == "scale") {
      const CUdeviceptr gone = allocate(4);
      ASSERT_EQ(cu.cuMemFree(gone), CUDA_SUCCESS);
      set(prepared.descriptor, lt::DescAttribute::b_scale_pointer, &gone, 8);
    }
    EXPECT_EQ(multiply(prepared), lt::kSuccess) << which << ": seen later";
    EXPECT_EQ(cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS) << which;
    EXPECT_EQ(multiply(prepared), lt::kExecutionFailed) << which;
    ASSERT_EQ(cu.cuDevicePrimaryCtxReset(0), CUDA_SUCCESS);
  }
}

TEST_F(Products, OfAWrongLeadingDimensionAreWrong) {
  Product product = bf16_product();
  product.pad = 8;
  const Prepared prepared = prepare(product);
  const std::int64_t wrong = 8;  // as if there were no gaps
  ASSERT_EQ(lt_api.layout_set(prepared.b.layout, lt::LayoutAttribute::leading_dimension, &wrong, 8),
            lt::kSuccess);
  EXPECT_EQ(multiply(prepared), lt::kSuccess);
  EXPECT_EQ(cu.cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_NE(read(prepared), expected(prepared));
}

}  // namespace
}  // namespace fakegpu
