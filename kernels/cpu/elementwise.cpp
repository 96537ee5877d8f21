#include "kernels/cpu/elementwise.hpp"

#include <cassert>

namespace roofline::cpu {
namespace {

/// Elements that stay in L1 while every step passes over them.
constexpr std::size_t kBlock = 1024;

template <class T>
void apply(const ElementStep<T>& step, T* value, std::size_t first, std::size_t count) {
  const T constant = step.constant;
  const T* const tensor = step.tensor == nullptr ? nullptr : step.tensor + first;
  const bool needs_tensor =
      step.op == ElementOp::multiply_tensor || step.op == ElementOp::add_tensor;
  assert(!needs_tensor || tensor != nullptr);
  static_cast<void>(needs_tensor);
  switch (step.op) {
    case ElementOp::multiply_constant:
      for (std::size_t i = 0; i < count; ++i) value[i] *= constant;
      break;
    case ElementOp::add_constant:
      for (std::size_t i = 0; i < count; ++i) value[i] += constant;
      break;
    case ElementOp::multiply_tensor:
      for (std::size_t i = 0; i < count; ++i) value[i] *= tensor[i];
      break;
    case ElementOp::add_tensor:
      for (std::size_t i = 0; i < count; ++i) value[i] += tensor[i];
      break;
  }
}

template <class T>
void chain(T* out, const T* in, std::span<const ElementStep<T>> steps, std::size_t n) {
  for (std::size_t first = 0; first < n; first += kBlock) {
    const std::size_t count = n - first < kBlock ? n - first : kBlock;
    for (std::size_t i = 0; i < count; ++i) out[first + i] = in[first + i];
    for (const ElementStep<T>& step : steps) apply(step, out + first, first, count);
  }
}

}  // namespace

const ElementwiseKernels kElementwisePortable = {Isa::portable, false, chain<float>, chain<double>};

const ElementwiseKernels& elementwise_kernels(Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::avx512) return kElementwiseAvx512;
  if (isa == Isa::avx2) return kElementwiseAvx2;
#else
  static_cast<void>(isa);
#endif
  return kElementwisePortable;
}

}  // namespace roofline::cpu
