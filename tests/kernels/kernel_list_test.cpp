// kernels.def as the host sees it.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <type_traits>

#include "kernels/cuda/kernels.hpp"

namespace {

using namespace roofline::cuda;

static_assert(std::is_same_v<Signature<Family::stream_fp64>,
                             void(double*, const double*, const double*, double, u64, u32, u64*)>);
static_assert(std::is_same_v<Signature<Family::empty>, void()>);
static_assert(find_kernel("matvec_int4_bf16_r16")->family == Family::matvec_bf16);
static_assert(find_kernel("stream_update_fp32_u4_cs")->effect == Effect::in_place);
static_assert(find_kernel("stream_triad_fp32_u4_cs")->effect == Effect::pure);
static_assert(find_kernel("fill_int4")->effect == Effect::generator);
static_assert(find_kernel("roofline_empty") == nullptr);

TEST(KernelList, EveryKernelStandsOnceAndKnowsItsEntry) {
  std::set<std::string_view> names;
  for (const KernelEntry& kernel : kKernels) {
    EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
    EXPECT_EQ(kernel.entry, "roofline_" + std::string(kernel.name));
    EXPECT_EQ(kernel.max_block % 32, 0U);
    EXPECT_LE(kernel.max_block, 1024U);
  }
}

TEST(KernelList, MatvecsComeForEveryWeightAndRows) {
  for (const char* weight :
       {"bf16_bf16", "int8_bf16", "int4_bf16", "fp16_fp16", "int8_fp16", "int4_fp16"}) {
    for (const char* rows : {"1", "2", "4", "8", "16"}) {
      const std::string name = std::string("matvec_") + weight + "_r" + rows;
      EXPECT_NE(find_kernel(name), nullptr) << name;
    }
  }
}

}  // namespace
