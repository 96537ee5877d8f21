// Which library multiplies what, and its calls as C++: reasons as strings, plans that destroy
// themselves.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "backend/cpu/gemm_module.hpp"
#include "roofline/workload.hpp"

namespace roofline::cpu {

[[nodiscard]] std::optional<MatrixType> matrix_type(DType dtype);
[[nodiscard]] DType gemm_output(const Gemm& gemm);
/// Nothing where a type is not among those that the modules know.
[[nodiscard]] std::optional<GemmRequest> gemm_request(const Gemm& gemm);

struct GemmChoice {
  const GemmProvider* provider = nullptr;
  std::string instead_of;  ///< why it is not the first choice; empty when it is
  std::string problem;     ///< why there is no provider
};
/// OpenBLAS for fp64, oneDNN for the others, OpenBLAS for fp32 where oneDNN is missing.
[[nodiscard]] GemmChoice choose_gemm_library(DType input, GemmModules& modules);

/// Takes what a provider has to say when it refuses.
class ErrorText {
 public:
  [[nodiscard]] TextBuffer buffer() { return {text_.data(), text_.size()}; }
  [[nodiscard]] std::string str() const { return text_.data(); }

 private:
  std::array<char, 512> text_{};
};

struct PlanDeleter {
  const GemmProvider* provider;
  void operator()(void* plan) const { provider->destroy(plan); }
};
using PlanHandle = std::unique_ptr<void, PlanDeleter>;

/// All operands at once, in byte: results, one copy of the weights as the library wants them, and
/// one product's as they are generated. A double, for it may exceed any integer before it is
/// refused.
[[nodiscard]] double gemm_memory(const Gemm& gemm);

}  // namespace roofline::cpu
