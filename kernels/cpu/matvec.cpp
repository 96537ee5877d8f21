#include "kernels/cpu/matvec.hpp"

#include "kernels/cpu/bf16.hpp"

namespace roofline::cpu {
namespace {

constexpr std::size_t kPortableLanes = 8;

inline float widen(float w) { return w; }
inline float widen(std::uint16_t w) { return from_bf16(w); }
inline float widen(std::int8_t w) { return static_cast<float>(w); }

/// One strip, one row.
template <class Element>
void strip_row(const MatvecTask& task, std::size_t strip, std::size_t row) {
  const auto* weights = reinterpret_cast<const Element*>(task.weights + strip * task.strip_bytes);
  const float* const x = static_cast<const float*>(task.x) + row * task.x_stride;
  const std::size_t group = task.scales == nullptr ? task.d_in : task.group;
  const std::uint16_t* scale =
      task.scales == nullptr
          ? nullptr
          : task.scales + strip * ((task.d_in + group - 1) / group) * kPortableLanes;
  float total[kPortableLanes] = {};
  for (std::size_t first = 0; first < task.d_in; first += group) {
    const std::size_t end = task.d_in - first < group ? task.d_in : first + group;
    float sum[kPortableLanes] = {};
    for (std::size_t i = first; i < end; ++i, weights += kPortableLanes) {
      for (std::size_t lane = 0; lane < kPortableLanes; ++lane)
        sum[lane] += widen(weights[lane]) * x[i];
    }
    for (std::size_t lane = 0; lane < kPortableLanes; ++lane) {
      total[lane] += scale == nullptr ? sum[lane] : sum[lane] * from_bf16(scale[lane]);
    }
    if (scale != nullptr) scale += kPortableLanes;
  }
  float* const y = task.y + row * task.y_stride + strip * kPortableLanes;
  for (std::size_t lane = 0; lane < kPortableLanes; ++lane) y[lane] = total[lane];
}

template <class Element>
void matvec(const MatvecTask& task) {
  for (std::size_t strip = 0; strip < task.strips; ++strip) {
    for (std::size_t row = 0; row < task.rows; ++row) strip_row<Element>(task, strip, row);
  }
}

template <class Element>
constexpr MatvecKernel portable(WeightElement weight) {
  return {Isa::portable,  "fp32", weight, ActivationElement::f32,
          kPortableLanes, 1,      false,  matvec<Element>};
}

}  // namespace

const MatvecKernel kMatvecPortable[3] = {
    portable<float>(WeightElement::f32),
    portable<std::uint16_t>(WeightElement::bf16),
    portable<std::int8_t>(WeightElement::int8),
};

const MatvecKernel& matvec_kernel(WeightElement weight, ActivationElement activation, Isa isa,
                                  bool bf16_dot) {
  const auto index = static_cast<std::size_t>(weight);
#if defined(__x86_64__)
  if (isa == Isa::avx512 && bf16_dot && activation == ActivationElement::bf16 &&
      weight != WeightElement::f32) {
    return kMatvecAvx512Bf16[index - 1];
  }
  if (isa == Isa::avx512) return kMatvecAvx512[index];
  if (isa == Isa::avx2) return kMatvecAvx2[index];
#else
  static_cast<void>(activation);
  static_cast<void>(isa);
  static_cast<void>(bf16_dot);
#endif
  return kMatvecPortable[index];
}

}  // namespace roofline::cpu
