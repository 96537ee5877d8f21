#include "kernels/cpu/peak.hpp"

namespace roofline::cpu {
namespace {

#if defined(__x86_64__)

// The base ISA of this program does not use the upper sixteen registers, unless it was compiled for
// more.
#if defined(__AVX512F__)
#define ROOFLINE_HIGH_REGISTERS                                                               \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", \
      "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31"
#else
#define ROOFLINE_HIGH_REGISTERS
#endif

#define ROOFLINE_CLOBBERS                                                                         \
  "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", \
      "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15" ROOFLINE_HIGH_REGISTERS

#define ROOFLINE_EACH_24 ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23\n"
#define ROOFLINE_EACH_12 ".irp i,0,1,2,3,4,5,6,7,8,9,10,11\n"

// AT&T order: the last register is the destination; vpdpbusd takes its unsigned operand in the
// middle.
// clang-format off
#define ROOFLINE_PEAK_ZMM(function, instruction)                                              \
  void function(std::uint64_t loops, PeakState& state) {                                      \
    asm volatile(                                                                             \
        ROOFLINE_EACH_24 "vmovups \\i*64(%[acc]),%%zmm\\i\n .endr\n"                          \
        "vmovups (%[x]),%%zmm29\n"                                                            \
        "vmovups (%[even]),%%zmm30\n"                                                         \
        "vmovups (%[odd]),%%zmm31\n"                                                          \
        ".p2align 6\n1:\n"                                                                    \
        ROOFLINE_EACH_24 instruction " %%zmm30,%%zmm29,%%zmm\\i\n .endr\n"                    \
        ROOFLINE_EACH_24 instruction " %%zmm31,%%zmm29,%%zmm\\i\n .endr\n"                    \
        "dec %[loops]\n jnz 1b\n"                                                             \
        ROOFLINE_EACH_24 "vmovups %%zmm\\i,\\i*64(%[acc])\n .endr\n vzeroupper\n"             \
        : [loops] "+r"(loops)                                                                 \
        : [acc] "r"(state.accumulators), [x] "r"(state.x), [even] "r"(state.even),            \
          [odd] "r"(state.odd)                                                                \
        : ROOFLINE_CLOBBERS);                                                                 \
  }

#define ROOFLINE_PEAK_YMM(function, instruction)                                              \
  void function(std::uint64_t loops, PeakState& state) {                                      \
    asm volatile(                                                                             \
        ROOFLINE_EACH_12 "vmovups \\i*32(%[acc]),%%ymm\\i\n .endr\n"                          \
        "vmovups (%[x]),%%ymm13\n"                                                            \
        "vmovups (%[even]),%%ymm14\n"                                                         \
        "vmovups (%[odd]),%%ymm15\n"                                                          \
        ".p2align 6\n1:\n"                                                                    \
        ROOFLINE_EACH_12 instruction " %%ymm14,%%ymm13,%%ymm\\i\n .endr\n"                    \
        ROOFLINE_EACH_12 instruction " %%ymm15,%%ymm13,%%ymm\\i\n .endr\n"                    \
        "dec %[loops]\n jnz 1b\n"                                                             \
        ROOFLINE_EACH_12 "vmovups %%ymm\\i,\\i*32(%[acc])\n .endr\n vzeroupper\n"             \
        : [loops] "+r"(loops)                                                                 \
        : [acc] "r"(state.accumulators), [x] "r"(state.x), [even] "r"(state.even),            \
          [odd] "r"(state.odd)                                                                \
        : ROOFLINE_CLOBBERS);                                                                 \
  }
// clang-format on

ROOFLINE_PEAK_ZMM(f64_zmm, "vfmadd231pd")
ROOFLINE_PEAK_ZMM(f32_zmm, "vfmadd231ps")
ROOFLINE_PEAK_ZMM(bf16_zmm, "vdpbf16ps")
ROOFLINE_PEAK_ZMM(int8_zmm, "vpdpbusd")
ROOFLINE_PEAK_YMM(f64_ymm, "vfmadd231pd")
ROOFLINE_PEAK_YMM(f32_ymm, "vfmadd231ps")
// The VEX form of AVX-VNNI, which CPUs without AVX-512 have.
ROOFLINE_PEAK_YMM(int8_ymm, "%{vex%} vpdpbusd")

/// `products`: multiplications in one instruction. Two passes over the accumulators make a loop.
constexpr PeakKernel row(PeakElement element, PeakExtension needs, const char* instruction,
                         bool zmm, std::uint64_t products, void (*run)(std::uint64_t, PeakState&)) {
  constexpr double kUnits = 2;
  const std::size_t accumulators = zmm ? 24 : 12;
  const std::uint64_t flops = 2 * products;
  return {element,
          needs,
          instruction,
          zmm ? std::size_t{64} : std::size_t{32},
          accumulators,
          2 * accumulators * flops,
          kUnits * static_cast<double>(flops),
          run};
}

using enum PeakElement;
using enum PeakExtension;

constexpr PeakKernel kKernels[] = {
    row(f64, avx512f, "vfmadd231pd zmm", true, 8, f64_zmm),
    row(f64, fma, "vfmadd231pd ymm", false, 4, f64_ymm),
    row(f32, avx512f, "vfmadd231ps zmm", true, 16, f32_zmm),
    row(f32, fma, "vfmadd231ps ymm", false, 8, f32_ymm),
    row(bf16, avx512_bf16, "vdpbf16ps zmm", true, 32, bf16_zmm),
    row(int8, avx512_vnni, "vpdpbusd zmm", true, 64, int8_zmm),
    row(int8, avx_vnni, "vpdpbusd ymm", false, 32, int8_ymm),
};

#endif

}  // namespace

std::span<const PeakKernel> peak_kernels() {
#if defined(__x86_64__)
  return kKernels;
#else
  return {};
#endif
}

}  // namespace roofline::cpu
