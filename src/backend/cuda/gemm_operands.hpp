// The operands of a product on a GPU: in sets that are used in turn, filled by the generator with
// what the workload says, and what each element is by the generator on the host.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/cuda/buffer.hpp"
#include "backend/cuda/gemm_layout.hpp"
#include "backend/cuda/gemm_plan.hpp"
#include "backend/cuda/gpu.hpp"
#include "kernels/cuda/types.hpp"

namespace roofline::cuda {

/// Of one set, with the rows that are there to fill up m.
struct GemmBytes {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t c = 0;  ///< 0 where beta is 0
  std::uint64_t d = 0;

  [[nodiscard]] std::uint64_t set() const { return a + b + c + d; }
};
[[nodiscard]] GemmBytes gemm_bytes(const Gemm& gemm);
/// The same sum for any sizes, before it's known that they fit anywhere.
[[nodiscard]] double gemm_bytes_estimate(const Gemm& gemm);

/// Bytes of all sets and the workspace, where memory is no limit.
[[nodiscard]] Bytes gemm_footprint(const Gemm& gemm, Gpu& gpu);
/// So many that none is still in L2 when its turn comes, as memory allows.
[[nodiscard]] std::uint64_t gemm_sets(const Gemm& gemm, Gpu& gpu);

[[nodiscard]] Distribution distribution_of(DataPattern data);

class GemmOperands {
 public:
  GemmOperands() = default;
  /// Allocates and fills. What C holds, for beta, is random in every pattern.
  GemmOperands(const Gemm& gemm, Gpu& gpu, std::uint64_t sets);

  [[nodiscard]] std::uint64_t sets() const { return sets_.size(); }
  /// Of all sets.
  [[nodiscard]] std::uint64_t bytes() const { return sets_.size() * bytes_.set(); }
  [[nodiscard]] GemmAddresses at(std::uint64_t set) const;
  [[nodiscard]] Buffer& result(std::uint64_t set) { return sets_[set].d; }

 private:
  struct Set {
    Buffer a;
    Buffer b;
    Buffer c;
    Buffer d;
  };
  GemmBytes bytes_;
  std::vector<Set> sets_;
};

/// Elements by the generator: row of A and column of B at `i` along k, and C before the product.
class GemmReference {
 public:
  explicit GemmReference(const Gemm& gemm) : gemm_(gemm), m_(padded_m(gemm)) {}

  [[nodiscard]] double a(std::uint64_t item, std::uint64_t row, std::uint64_t i) const;
  [[nodiscard]] double b(std::uint64_t item, std::uint64_t i, std::uint64_t column) const;
  [[nodiscard]] double c(std::uint64_t item, std::uint64_t row, std::uint64_t column) const;
  /// Place of an entry in the result, in elements.
  [[nodiscard]] std::uint64_t index(std::uint64_t item, std::uint64_t row,
                                    std::uint64_t column) const;

 private:
  Gemm gemm_;
  std::uint64_t m_;  ///< rows that A and C have in memory
};

}  // namespace roofline::cuda
