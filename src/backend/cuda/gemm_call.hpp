// A product that can be enqueued at will: operands, the library's plan and the algorithm chosen for
// it. What a GEMM, a projection of many rows and the launch floor of the library have in common.
#pragma once

#include <cstdint>

#include "backend/cuda/gemm_operands.hpp"
#include "backend/cuda/gemm_plan.hpp"
#include "backend/cuda/gpu.hpp"
#include "roofline/record.hpp"

namespace roofline::cuda {

struct GemmCallSettings {
  std::uint64_t sets = 1;
  bool search = true;  ///< false: the library's first suggestion, whatever --algo says
};

class GemmCall {
 public:
  /// Allocates, fills, asks the library and times its algorithms. Throws backend::Refused where it
  /// has none, LtError and CudaError.
  GemmCall(const Gemm& gemm, Gpu& gpu, const GemmCallSettings& settings);

  void enqueue(std::uint64_t launch);
  [[nodiscard]] std::uint64_t sets() const { return operands_.sets(); }
  /// Of the first set of operands and of the last.
  [[nodiscard]] Verification check();
  [[nodiscard]] const Facts& facts() const { return facts_; }

 private:
  void choose(bool search);
  void state_facts();

  Gemm gemm_;
  Gpu& gpu_;
  GemmOperands operands_;
  GemmPlan plan_;
  GemmChoice choice_;
  Facts facts_;  ///< the session they come from may be gone when they are asked for
};

/// Runs a step of a product. When the library says that a kernel of it failed, the context is asked
/// what it knows of that, and its answer goes with the library's.
template <class Step>
auto with_context_asked(Context& context, Step&& step) {
  try {
    return step();
  } catch (const LtError& error) {
    if (error.status() != lt::kExecutionFailed && error.status() != lt::kInternalError) throw;
    try {
      context.synchronize();
    } catch (const CudaError& sticky) {
      throw CudaError(sticky.code(), error.call(),
                      "cuBLASLt says " + lt_status_name(error.status()));
    }
    throw;
  }
}

}  // namespace roofline::cuda
