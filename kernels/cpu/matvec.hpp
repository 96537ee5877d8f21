// Token rows meeting one weight matrix: Y[rows, d_out] = X[rows, d_in] * W, weights read from DRAM
// once per call whatever the number of rows, as every loaded weight meets a block of rows while it
// is in a register.
//
// Weights lie in strips of `lanes` outputs; within a strip d_in runs outermost, `depth_step`
// neighbours of it innermost:
//   strip[d_in / depth_step][lanes][depth_step]
// d_in is filled up with zero weights to a multiple of depth_step, d_out to a multiple of lanes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/isa.hpp"

namespace roofline::cpu {

enum class WeightElement { f32, bf16, int8 };
/// What the arithmetic takes activations as, whatever they are stored as.
enum class ActivationElement { f32, bf16 };

/// A range of strips on one thread.
struct MatvecTask {
  const std::byte* weights = nullptr;  ///< of the first strip
  std::size_t strip_bytes = 0;         ///< from strip to strip
  std::size_t strips = 0;
  const std::uint16_t* scales = nullptr;  ///< bf16 [strip][group][lanes]; null: no scales
  std::size_t group = 0;     ///< weights along d_in that share a scale, a multiple of depth_step
  const void* x = nullptr;   ///< [rows][x_stride] of ActivationElement
  std::size_t x_stride = 0;  ///< elements, a multiple of depth_step
  std::size_t rows = 0;
  std::size_t d_in = 0;  ///< filled up to a multiple of depth_step
  float* y = nullptr;    ///< [rows][y_stride], first output of the first strip
  std::size_t y_stride = 0;
};

struct MatvecKernel {
  Isa isa;
  const char* arithmetic;  ///< `fp32 FMA`, `vdpbf16ps`
  WeightElement weight;
  ActivationElement activation;
  std::size_t lanes;
  std::size_t depth_step;
  void (*run)(const MatvecTask& task);
};

/// `bf16_dot`: the CPU has avx512_bf16. `activation` as stored: bf16 ones are widened by the caller
/// for a kernel that takes fp32.
[[nodiscard]] const MatvecKernel& matvec_kernel(WeightElement weight, ActivationElement activation,
                                                Isa isa, bool bf16_dot);

/// Place of the weight from input `i` to output `o`, in elements from the start of the matrix.
[[nodiscard]] constexpr std::size_t packed_index(const MatvecKernel& kernel,
                                                 std::size_t padded_d_in, std::size_t i,
                                                 std::size_t o) {
  const std::size_t step = kernel.depth_step;
  const std::size_t strip = o / kernel.lanes;
  return strip * padded_d_in * kernel.lanes + i / step * kernel.lanes * step +
         o % kernel.lanes * step + i % step;
}

extern const MatvecKernel kMatvecPortable[3];  ///< by WeightElement
#if defined(__x86_64__)
extern const MatvecKernel kMatvecAvx2[3];
extern const MatvecKernel kMatvecAvx512[3];
extern const MatvecKernel kMatvecAvx512Bf16[2];  ///< bf16, int8 weights
#endif

}  // namespace roofline::cpu
