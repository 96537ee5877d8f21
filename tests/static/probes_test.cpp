// What is known of NVIDIA's machine code holds for this nvcc and each of its architectures.
#include <gtest/gtest.h>

#include "cubin.hpp"

namespace {

using gates::Cubin;
using gates::KernelCode;
using gates::Op;

class Probes : public testing::Test {
 protected:
  void SetUp() override {
#ifndef ROOFLINE_HAS_CUDA
    GTEST_SKIP() << "this build found no CUDA toolkit";
#else
    cubins_ = gates::read_cubins(ROOFLINE_PROBES_KEPT);
    ASSERT_FALSE(cubins_.empty());
#endif
  }

  /// Of every architecture.
  template <class Check>
  void each(const std::string& probe, Check&& check) {
    for (const Cubin& cubin : cubins_) {
      SCOPED_TRACE(probe + " on sm_" + std::to_string(cubin.sm));
      const KernelCode* kernel = cubin.find(probe);
      ASSERT_NE(kernel, nullptr);
      check(*kernel);
    }
  }

  std::vector<Cubin> cubins_;
};

TEST_F(Probes, AccessesAreCountedByTheirWidth) {
  for (const auto& [probe, wide] :
       {std::pair{"probe_32", 0U}, std::pair{"probe_64", 0U}, std::pair{"probe_128", 1U}}) {
    each(probe, [wide = wide](const KernelCode& kernel) {
      EXPECT_EQ(kernel.of(Op::load_global), 1U);
      EXPECT_EQ(kernel.of(Op::store_global), 1U);
      EXPECT_EQ(kernel.of128(Op::load_global), wide);
      EXPECT_EQ(kernel.of128(Op::store_global), wide);
      EXPECT_EQ(kernel.of(Op::load_local) + kernel.of(Op::store_local), 0U);
    });
  }
}

TEST_F(Probes, SharedMemoryAndBarriersAreSeen) {
  each("probe_shared", [](const KernelCode& kernel) {
    EXPECT_EQ(kernel.of128(Op::store_shared), 1U);
    EXPECT_EQ(kernel.of128(Op::load_shared), 1U);
    EXPECT_EQ(kernel.of(Op::barrier), 1U);
  });
}

TEST_F(Probes, ShufflesAreSeen) {
  each("probe_shuffle", [](const KernelCode& kernel) { EXPECT_EQ(kernel.of(Op::shuffle), 1U); });
}

TEST_F(Probes, ArithmeticIsSeen) {
  each("probe_fma", [](const KernelCode& kernel) {
    EXPECT_EQ(kernel.of(Op::fma), 7U);
    EXPECT_EQ(kernel.of(Op::matrix_product), 0U);
  });
  each("probe_product",
       [](const KernelCode& kernel) { EXPECT_EQ(kernel.of(Op::matrix_product), 1U); });
}

TEST_F(Probes, LocalMemoryIsSeen) {
  each("probe_local", [](const KernelCode& kernel) {
    EXPECT_GE(kernel.of(Op::store_local), 16U);
    EXPECT_GE(kernel.of(Op::load_local), 1U);
    EXPECT_EQ(kernel.frame_bytes, 256U);
  });
  each("probe_32", [](const KernelCode& kernel) {
    EXPECT_EQ(kernel.frame_bytes, 0U);
    EXPECT_GE(kernel.registers, 4U);
    EXPECT_LE(kernel.registers, 32U);
  });
}

}  // namespace
