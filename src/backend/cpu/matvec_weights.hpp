// The weights of a matvec: in the layout of its kernel, with their scales, in copies that are used
// in turn, every part on the thread that reads it.
#pragma once

#include <cstdint>

#include "backend/cpu/context.hpp"
#include "kernels/cpu/matvec.hpp"
#include "roofline/workload.hpp"

namespace roofline::cpu {

[[nodiscard]] DType projection_weight(const Projection& p);
[[nodiscard]] DType projection_output(const Projection& p);
/// For weights and activations that support_projection() lets through.
[[nodiscard]] const MatvecKernel& projection_kernel(const Projection& p, const Context& context);

class MatvecWeights {
 public:
  /// `fixed`: bytes that the workload takes besides.
  MatvecWeights(const Projection& p, const MatvecKernel& kernel, Context& context,
                std::uint64_t fixed);

  [[nodiscard]] std::uint64_t copies() const { return copies_; }
  [[nodiscard]] std::uint64_t copy_bytes() const { return copy_bytes_; }
  /// d_in and d_out as the kernel wants them: filled up to its step and its lanes.
  [[nodiscard]] std::uint64_t d_in() const { return d_in_; }
  [[nodiscard]] std::uint64_t d_out() const { return strips_ * kernel_.lanes; }

  /// The strips that a worker multiplies.
  [[nodiscard]] Part strips_of(unsigned worker) const {
    return pieces_of(strips_, worker, context_.threads());
  }
  /// Weights, scales and sizes of a worker's strips in one copy; activations and outputs are open.
  [[nodiscard]] MatvecTask task(Part strips, std::uint64_t copy) const;

  /// From input `i` to output `o`, dequantised.
  [[nodiscard]] double value(std::uint64_t i, std::uint64_t o) const;

 private:
  [[nodiscard]] std::byte* weights_of(std::uint64_t copy) const {
    return buffer_.data() + copy * copy_bytes_;
  }
  [[nodiscard]] std::uint16_t* scales_of(std::uint64_t copy) const {
    return reinterpret_cast<std::uint16_t*>(weights_of(copy) + strips_ * strip_bytes_);
  }
  void fill();
  void fill_strip(std::uint64_t strip, Part range);
  template <class T>
  void fill_strip_as(std::uint64_t strip, Part range, T (*random)(std::uint64_t, std::uint64_t));

  Projection p_;
  const MatvecKernel& kernel_;
  Context& context_;
  std::uint64_t d_in_;
  std::uint64_t strips_;
  std::uint64_t groups_;  ///< scales along d_in; 0: no scales
  std::uint64_t strip_bytes_;
  std::uint64_t strip_scales_;
  std::uint64_t copy_bytes_;  ///< weights, then scales
  std::uint64_t copies_;
  Buffer buffer_;
};

}  // namespace roofline::cpu
