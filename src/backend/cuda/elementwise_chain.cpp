#include "backend/cuda/elementwise_chain.hpp"

#include <algorithm>
#include <random>

namespace roofline::cuda {

std::vector<ChainPass> chain_passes(const Elementwise& e) {
  std::vector<ChainPass> out;
  for (std::uint64_t begin = 0; begin < e.ops; begin += e.ops_per_kernel) {
    const std::uint64_t left = e.ops - begin;
    const std::uint64_t end = begin + std::min(left, e.ops_per_kernel);
    // Input j comes with operation j - 1.
    const std::uint64_t inputs_end = std::min(end, e.inputs - 1);
    out.push_back({begin, end, inputs_end > begin ? inputs_end - begin : 0});
    if (left <= e.ops_per_kernel) break;
  }
  return out;
}

std::uint64_t most_new_inputs(const Elementwise& e) {
  return std::min({e.ops, e.ops_per_kernel, e.inputs - 1});
}

std::uint64_t chain_arrays(const Elementwise& e) {
  const std::uint64_t passes = e.ops / e.ops_per_kernel + (e.ops % e.ops_per_kernel != 0 ? 1 : 0);
  return e.inputs + 1 + std::min<std::uint64_t>(passes - 1, 2);
}

std::vector<double> chain_constants(const Elementwise& e) {
  std::mt19937_64 random(31);  // the same in every run
  std::vector<double> out(e.ops);
  for (double& constant : out) {
    // 23 bits after the leading one: exact in fp32.
    constant = 0.5 + static_cast<double>(random() >> 41U) * 0x1p-24;
  }
  return out;
}

}  // namespace roofline::cuda
