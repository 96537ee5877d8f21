// One product as cuBLASLt knows it: description, layouts, the algorithms that it suggests, and the
// call itself. Knows neither what the operands hold nor which algorithm is the best.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "backend/cuda/lt_objects.hpp"
#include "roofline/fact.hpp"

namespace roofline::cuda {

/// Device addresses of our matrices. c is read where beta isn't 0; it may be d.
struct GemmAddresses {
  CUdeviceptr a = 0;
  CUdeviceptr b = 0;
  CUdeviceptr c = 0;
  CUdeviceptr d = 0;
};

class GemmPlan {
 public:
  /// The session must outlive it. Throws LtError.
  GemmPlan(const Gemm& gemm, Context& context, const LtSession& session);

  [[nodiscard]] const LtProblem& problem() const { return problem_; }
  /// What the library suggests, the likely best first; at most `most`, and none that wants more
  /// workspace than there is. Throws backend::Refused when there is none at all.
  [[nodiscard]] std::vector<lt::HeuristicResult> suggestions(int most) const;
  /// The product is not offered, with what of its sizes may be why.
  [[nodiscard]] backend::Refused refused(const std::string& why) const;
  /// Into the context's stream. Throws LtError.
  void enqueue(const lt::Algo& algo, const GemmAddresses& at) const;

 private:
  LtProblem problem_;
  Context& context_;
  const LtSession& session_;
  LtDescription description_;
  LtLayout a_;
  LtLayout b_;
  LtLayout c_;
  std::array<std::byte, 8> alpha_{};  ///< as problem_.scale stores it
  std::array<std::byte, 8> beta_{};
  std::string unaligned_;
};

/// alpha or beta as the type that the library takes it in holds it.
[[nodiscard]] double held_factor(lt::DataType type, double value);

/// algo_id, algo_tile, algo_stages, split_k, reduction_scheme, swizzle, cluster_shape,
/// workspace_byte, algo_waves: what the library tells of an algorithm.
[[nodiscard]] Facts algorithm_facts(const LtApi& api, const lt::HeuristicResult& algorithm);

}  // namespace roofline::cuda
