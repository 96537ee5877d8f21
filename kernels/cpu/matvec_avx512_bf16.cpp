// Pairs of bf16 products summed into fp32 by vdpbf16ps: twice the rate of FMA on widened operands.
#include "kernels/cpu/matvec.hpp"

#if defined(__x86_64__)
#define ROOFLINE_TARGET \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,avx2,fma")))
#define ROOFLINE_INLINE                                                            \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,avx2,fma"), \
                 always_inline)) inline
#include <cstring>

#include "kernels/cpu/simd_avx512.hpp"
#include "kernels/cpu/unroll.hpp"

namespace roofline::cpu {
namespace {
constexpr std::size_t kWideRows = 8;
}  // namespace
}  // namespace roofline::cpu

#include "kernels/cpu/matvec_loops.inc"

namespace roofline::cpu {
namespace {

struct DotBase {
  using Activation = std::uint16_t;
  using Register = __m512bh;
  static constexpr std::size_t kStep = 2;
  ROOFLINE_INLINE static Register broadcast(const std::uint16_t* x) {
    std::int32_t pair = 0;
    std::memcpy(&pair, x, sizeof pair);
    return reinterpret_cast<Register>(_mm512_set1_epi32(pair));
  }
  ROOFLINE_INLINE static F32::Register accumulate(Register w, Register x, F32::Register sum) {
    return _mm512_dpbf16_ps(sum, w, x);
  }
};

struct Bf16Pairs : DotBase {
  using Element = std::uint16_t;
  ROOFLINE_INLINE static Register load(const std::uint16_t* p) {
    return reinterpret_cast<Register>(_mm512_loadu_si512(p));
  }
};

/// int8 is exact in bf16's eight significant bits.
struct Int8Pairs : DotBase {
  using Element = std::int8_t;
  ROOFLINE_INLINE static Register load(const std::int8_t* p) {
    return _mm512_cvtne2ps_pbh(F32::load_i8(p + F32::kLanes), F32::load_i8(p));
  }
};

template <class W>
constexpr MatvecKernel dot_kernel(WeightElement weight) {
  return {Isa::avx512, "vdpbf16ps", weight, ActivationElement::bf16,
          F32::kLanes, W::kStep,    true,   matvec<W>};
}

}  // namespace

const MatvecKernel kMatvecAvx512Bf16[2] = {
    dot_kernel<Bf16Pairs>(WeightElement::bf16),
    dot_kernel<Int8Pairs>(WeightElement::int8),
};

}  // namespace roofline::cpu
#endif
