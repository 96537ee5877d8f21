// The chain as the kernels split it computes what the chain as a whole does.
#include "backend/cuda/elementwise_chain.hpp"

#include <gtest/gtest.h>

namespace roofline::cuda {
namespace {

double input(std::uint64_t index) { return 0.3 + 0.1 * static_cast<double>(index); }

/// By the definition of the workload: operation j multiplies where j is even and adds where it is
/// odd, with input j + 1 as long as there is one, and its constant else.
double whole_chain(const Elementwise& e, const std::vector<double>& constants) {
  double value = input(0);
  for (std::uint64_t op = 0; op < e.ops; ++op) {
    const double operand = op + 1 < e.inputs ? input(op + 1) : constants[op];
    value = op % 2 == 0 ? value * operand : value + operand;
  }
  return value;
}

TEST(ElementwiseChain, SplitOrFusedItIsTheSame) {
  for (const std::uint64_t ops : {1U, 2U, 5U, 8U, 17U}) {
    for (const std::uint64_t fused : {1U, 2U, 3U, 5U, 100U}) {
      for (std::uint64_t inputs = 1; inputs <= ops + 1; ++inputs) {
        const Elementwise e{.elements = 1,
                            .ops = ops,
                            .ops_per_kernel = fused,
                            .inputs = inputs,
                            .dtype = DType::fp64};
        const auto constants = chain_constants(e);
        const auto passes = chain_passes(e);
        const ChainValue got = chain_reference(e, passes, constants, input);
        EXPECT_DOUBLE_EQ(got.value, whole_chain(e, constants));
        std::uint64_t covered = 0;
        std::uint64_t brought = 1;
        for (const ChainPass& pass : passes) {
          EXPECT_EQ(pass.begin, covered);
          covered = pass.end;
          // The kernel takes inputs for its first operations, so they must be the next ones.
          if (pass.new_inputs > 0) {
            EXPECT_EQ(pass.begin + 1, brought);
          }
          brought += pass.new_inputs;
          EXPECT_LE(pass.new_inputs, most_new_inputs(e));
        }
        EXPECT_EQ(covered, ops);
        EXPECT_EQ(brought, inputs);  // every input is read once
      }
    }
  }
}

TEST(ElementwiseChain, ArraysAreThoseAliveAtOnce) {
  EXPECT_EQ(chain_arrays({.elements = 1, .ops = 4, .ops_per_kernel = 4, .inputs = 2}), 3U);
  EXPECT_EQ(chain_arrays({.elements = 1, .ops = 4, .ops_per_kernel = 2, .inputs = 2}), 4U);
  EXPECT_EQ(chain_arrays({.elements = 1, .ops = 4, .ops_per_kernel = 1, .inputs = 2}), 5U);
}

TEST(ElementwiseChain, TheBoundCoversRoundingInTheStoredType) {
  // One addition, stored as bf16: half a step of the result, and a little for the sum itself.
  const Elementwise e{
      .elements = 1, .ops = 2, .ops_per_kernel = 2, .inputs = 1, .dtype = DType::bf16};
  const ChainValue got = chain_reference(e, chain_passes(e), chain_constants(e), input);
  EXPECT_GT(got.bound, got.value * 0x1p-9);
  EXPECT_LT(got.bound, got.value * 0x1p-7);
}

TEST(ElementwiseChain, ConstantsAreExactInFp32) {
  for (const double constant : chain_constants({.elements = 1, .ops = 100})) {
    EXPECT_EQ(static_cast<double>(static_cast<float>(constant)), constant);
    EXPECT_GE(constant, 0.5);
    EXPECT_LT(constant, 1.0);
  }
}

}  // namespace
}  // namespace roofline::cuda
