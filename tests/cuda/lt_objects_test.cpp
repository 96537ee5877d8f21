// Descriptors made through the real cuBLASLt, which needs no GPU for them, wherever one is.
#include "backend/cuda/lt_objects.hpp"

#include <gtest/gtest.h>

namespace roofline::cuda {
namespace {

class RealLibrary : public testing::Test {
 protected:
  void SetUp() override {
    library_ = load_cublaslt("", 13);
    if (!library_.problem.empty()) GTEST_SKIP() << library_.problem;
  }
  [[nodiscard]] const LtApi& api() const { return library_.api; }

  template <class T>
  T description(const LtDescription& from, lt::DescAttribute attribute) {
    T value{};
    std::size_t written = 0;
    EXPECT_EQ(api().desc_get.result(from.get(), attribute, &value, sizeof value, &written),
              lt::kSuccess);
    EXPECT_EQ(written, sizeof value);
    return value;
  }
  template <class T>
  T layout(const LtLayout& from, lt::LayoutAttribute attribute) {
    T value{};
    std::size_t written = 0;
    EXPECT_EQ(api().layout_get.result(from.get(), attribute, &value, sizeof value, &written),
              lt::kSuccess);
    return value;
  }

 private:
  CublasLtLibrary library_;
};

TEST_F(RealLibrary, TakesWhatWeSayOfAProduct) {
  const Gemm g{
      .m = 48, .n = 32, .k = 64, .batch = 3, .input = DType::fp8_e5m2, .transpose_b = true};
  const LtProblem problem = lt_problem(g);
  constexpr CUdeviceptr kOne = 0x7f00'0000'1000;
  const LtDescription made = make_description(api(), problem, kOne);
  EXPECT_EQ(description<std::int32_t>(made, lt::DescAttribute::transpose_a), 1);
  EXPECT_EQ(description<std::int32_t>(made, lt::DescAttribute::transpose_b), 0);
  EXPECT_EQ(description<std::int32_t>(made, lt::DescAttribute::compute_type),
            static_cast<std::int32_t>(lt::ComputeType::c_32f));
  EXPECT_EQ(description<CUdeviceptr>(made, lt::DescAttribute::a_scale_pointer), kOne);
  EXPECT_EQ(description<CUdeviceptr>(made, lt::DescAttribute::b_scale_pointer), kOne);
  const LtLayout a = make_layout(api(), problem.a, problem.batch);
  EXPECT_EQ(layout<std::uint64_t>(a, lt::LayoutAttribute::rows), 64U);
  EXPECT_EQ(layout<std::uint64_t>(a, lt::LayoutAttribute::columns), 32U);
  EXPECT_EQ(layout<std::int64_t>(a, lt::LayoutAttribute::leading_dimension), 64);
  EXPECT_EQ(layout<std::int32_t>(a, lt::LayoutAttribute::batch_count), 3);
  EXPECT_EQ(layout<std::int64_t>(a, lt::LayoutAttribute::strided_batch_offset), 64 * 32);
  EXPECT_EQ(layout<std::uint32_t>(a, lt::LayoutAttribute::type),
            static_cast<std::uint32_t>(lt::DataType::r_8f_e4m3));
  EXPECT_NE(make_preference(api(), 64 << 20).get(), nullptr);
}

TEST_F(RealLibrary, RefusesAValueOfAWrongSize) {
  const LtDescription made = make_description(api(), lt_problem({.m = 1, .n = 1, .k = 1}), 0);
  const std::int8_t small = 1;
  EXPECT_THROW(api().desc_set(made.get(), lt::DescAttribute::transpose_a, &small, sizeof small),
               LtError);
}

}  // namespace
}  // namespace roofline::cuda
