// The operands of a matvec on a GPU: weights and scales in sets that are used in turn, activations,
// outputs; how large each is, and what each element is by the generator.
#pragma once

#include <cstdint>

#include "backend/cuda/buffer.hpp"
#include "backend/cuda/gpu.hpp"
#include "kernels/cuda/matvec_launch.hpp"
#include "roofline/workload.hpp"

namespace roofline::cuda {

/// Weights along d_in that share a scale in kernels that have scales.
inline constexpr std::uint64_t kScaleGroup = 128;
/// Rows that one launch takes; more are taken in turns, each of which reads all weights.
inline constexpr std::uint64_t kRowsOfLaunch = 16;

[[nodiscard]] DType weight_type(const Projection& p);
/// int8 and int4.
[[nodiscard]] bool has_scales(const Projection& p);

struct MatvecBytes {
  std::uint64_t weights = 0;
  std::uint64_t scales = 0;
  std::uint64_t set = 0;  ///< both, each filled up to 256 bytes
  std::uint64_t activations = 0;
  std::uint64_t outputs = 0;
};
[[nodiscard]] MatvecBytes matvec_bytes(const Projection& p);

/// Sets in turn: one for weights that shall be met in L2, so many that none is, else.
[[nodiscard]] std::uint64_t matvec_sets(const Projection& p, Gpu& gpu);

/// Launch of `rows` of its rows (1 .. kRowsOfLaunch).
[[nodiscard]] MatvecLaunch matvec_launch_for(const Projection& p, std::uint64_t rows, Gpu& gpu);

class MatvecOperands {
 public:
  MatvecOperands() = default;
  /// Allocates and fills.
  MatvecOperands(const Projection& p, Gpu& gpu, std::uint64_t sets);

  [[nodiscard]] const void* weights(std::uint64_t set) const;
  [[nodiscard]] const void* scales(std::uint64_t set) const;
  [[nodiscard]] Buffer& outputs() { return outputs_; }
  [[nodiscard]] const Buffer& outputs() const { return outputs_; }
  [[nodiscard]] const Buffer& activations() const { return activations_; }
  [[nodiscard]] float* partial() const { return partial_.as<float>(); }

 private:
  MatvecBytes bytes_;
  Buffer weights_;
  Buffer activations_;
  Buffer outputs_;
  Buffer partial_;
};

/// By the generator: weight from input `i` to output `o`, dequantised, and activation.
[[nodiscard]] double reference_weight(const Projection& p, std::uint64_t o, std::uint64_t i);
[[nodiscard]] double reference_activation(const Projection& p, std::uint64_t row, std::uint64_t i);

}  // namespace roofline::cuda
