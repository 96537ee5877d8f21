#include "kernels/cpu/elementwise.hpp"

#if defined(__x86_64__)
#include "kernels/cpu/simd_avx2.hpp"
#include "kernels/cpu/unroll.hpp"

#include "kernels/cpu/elementwise_loops.inc"

namespace roofline::cpu {

const ElementwiseKernels kElementwiseAvx2 = {Isa::avx2, true, chain<F32>, chain<F64>};

}  // namespace roofline::cpu
#endif
