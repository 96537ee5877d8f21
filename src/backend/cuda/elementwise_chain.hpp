// A chain of elementwise operations as the GPU runs it: which operations each kernel takes and what
// comes out, in float64, with the error that the kernels' rounding allows. Plain arithmetic.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "backend/comparison.hpp"
#include "roofline/workload.hpp"

namespace roofline::cuda {

inline constexpr std::uint64_t kMostChainOps = 1'000'000;

/// Operations begin .. end - 1 in one kernel. It reads what the kernel before it left (the first:
/// input 0) and `new_inputs` more, from input begin + 1 on, one for each of its first operations;
/// the others take constants. Even operations multiply, odd ones add.
struct ChainPass {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t new_inputs = 0;
};
[[nodiscard]] std::vector<ChainPass> chain_passes(const Elementwise& e);
[[nodiscard]] std::uint64_t most_new_inputs(const Elementwise& e);

/// Inputs, result, and as many intermediates as are alive at once.
[[nodiscard]] std::uint64_t chain_arrays(const Elementwise& e);

/// Of each operation, in [0.5, 1): values shrink, and the additions keep them from vanishing. Exact
/// in fp32 unless the chain is in fp64.
[[nodiscard]] std::vector<double> chain_constants(const Elementwise& e);

struct ChainValue {
  double value = 0;
  double bound = 0;
};

/// What a chain makes of one element of each input, and how far the kernels may be off: a rounding
/// for each operation in the type they compute in, and one for each result they store.
template <class InputOf>
[[nodiscard]] ChainValue chain_reference(const Elementwise& e, const std::vector<ChainPass>& passes,
                                         const std::vector<double>& constants, InputOf&& input_of) {
  const double u = e.dtype == DType::fp64 ? 0x1p-52 : 0x1p-24;  // fp64: the reference rounds too
  const bool narrow = e.dtype == DType::fp16 || e.dtype == DType::bf16;
  const double stored = narrow ? backend::unit_roundoff(e.dtype) : 0;
  // Below its normal numbers the steps of fp16 are all of this size.
  const double step = e.dtype == DType::fp16 ? 0x1p-25 : 0;
  ChainValue out{input_of(0), 0};
  for (const ChainPass& pass : passes) {
    for (std::uint64_t op = pass.begin; op < pass.end; ++op) {
      const bool takes_input = op - pass.begin < pass.new_inputs;
      const double operand = takes_input ? input_of(op + 1) : constants[op];
      const bool multiplies = op % 2 == 0;
      out.value = multiplies ? out.value * operand : out.value + operand;
      if (multiplies) out.bound *= std::fabs(operand);
      out.bound += 1.01 * u * (std::fabs(out.value) + out.bound);
    }
    out.bound += stored * (std::fabs(out.value) + out.bound) * 1.01 + step;
  }
  return out;
}

}  // namespace roofline::cuda
