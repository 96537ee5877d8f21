// A group of elementwise operations in one pass: read the running value, apply every operation of
// the group in registers, write the result.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/cpu/isa.hpp"

namespace roofline::cpu {

enum class ElementOp { multiply_constant, add_constant, multiply_tensor, add_tensor };

template <class T>
struct ElementStep {
  ElementOp op = ElementOp::add_constant;
  T constant = 0;
  const T* tensor = nullptr;  ///< of the *_tensor operations, as long as the arrays
};

struct ElementwiseKernels {
  Isa isa;
  bool non_temporal;
  /// out[i] = steps applied to in[i], first to last, each rounded. out overlaps no other array.
  void (*f32)(float* out, const float* in, std::span<const ElementStep<float>> steps,
              std::size_t n);
  void (*f64)(double* out, const double* in, std::span<const ElementStep<double>> steps,
              std::size_t n);
};

/// With non-temporal stores where the ISA has them.
[[nodiscard]] const ElementwiseKernels& elementwise_kernels(Isa isa);

extern const ElementwiseKernels kElementwisePortable;
#if defined(__x86_64__)
extern const ElementwiseKernels kElementwiseAvx2;
extern const ElementwiseKernels kElementwiseAvx512;
#endif

}  // namespace roofline::cpu
