#include "kernels/cpu/matvec.hpp"

#if defined(__x86_64__)
#include "kernels/cpu/simd_avx512.hpp"
#include "kernels/cpu/unroll.hpp"

namespace roofline::cpu {
namespace {
/// 3 strips x 8 rows of sums, 3 weights and an activation: 28 of 32 registers.
constexpr std::size_t kWideRows = 8;
}  // namespace
}  // namespace roofline::cpu

#include "kernels/cpu/matvec_loops.inc"

#include "kernels/cpu/matvec_fma.inc"

namespace roofline::cpu {

const MatvecKernel kMatvecAvx512[3] = {
    fma_kernel<F32Weights>(Isa::avx512, WeightElement::f32),
    fma_kernel<Bf16Weights>(Isa::avx512, WeightElement::bf16),
    fma_kernel<Int8Weights>(Isa::avx512, WeightElement::int8),
};

}  // namespace roofline::cpu
#endif
