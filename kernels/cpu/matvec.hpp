// Token rows meeting one weight matrix: Y[rows, d_out] = X[rows, d_in] * W, weights read from DRAM
// once per call whatever the number of rows, as every loaded weight meets a block of rows while it
// is in a register.
//
// Outputs come in strips of `lanes`, and kPanelStrips neighbouring strips lie together in one
// panel, so that a thread reads its weights as a single stream:
//   panel[d_in / depth_step][strip][lanes][depth_step]
// Strips that are left over at the end of a thread's range make panels of one. d_in is filled up
// with zero weights to a multiple of depth_step, d_out to a multiple of lanes.
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
  std::size_t strip_bytes = 0;         ///< of all weights of a strip
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
  bool panels;  ///< false: every strip is a panel of its own
  void (*run)(const MatvecTask& task);
};

/// `bf16_dot`: the CPU has avx512_bf16. `activation` as stored: bf16 ones are widened by the caller
/// for a kernel that takes fp32.
[[nodiscard]] const MatvecKernel& matvec_kernel(WeightElement weight, ActivationElement activation,
                                                Isa isa, bool bf16_dot);

/// Strips of a panel.
inline constexpr std::size_t kPanelStrips = 3;

/// Place of the weight from input `i` to output `o` in a range of `strips` strips, in elements from
/// the range's start; `o` counts from there.
[[nodiscard]] constexpr std::size_t packed_index(const MatvecKernel& kernel,
                                                 std::size_t padded_d_in, std::size_t strips,
                                                 std::size_t i, std::size_t o) {
  const std::size_t step = kernel.depth_step;
  const std::size_t strip = o / kernel.lanes;
  const std::size_t panel = strip / kPanelStrips * kPanelStrips;
  const bool full = kernel.panels && panel + kPanelStrips <= strips;
  const std::size_t first = full ? panel : strip;
  const std::size_t width = (full ? kPanelStrips : 1) * kernel.lanes * step;
  return first * padded_d_in * kernel.lanes + i / step * width +
         (strip - first) * kernel.lanes * step + o % kernel.lanes * step + i % step;
}

extern const MatvecKernel kMatvecPortable[3];  ///< by WeightElement
#if defined(__x86_64__)
extern const MatvecKernel kMatvecAvx2[3];
extern const MatvecKernel kMatvecAvx512[3];
extern const MatvecKernel kMatvecAvx512Bf16[2];  ///< bf16, int8 weights
#endif

}  // namespace roofline::cpu
