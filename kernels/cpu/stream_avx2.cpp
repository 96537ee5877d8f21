#include "kernels/cpu/stream.hpp"

#if defined(__x86_64__)
#include <cstring>

#include "kernels/cpu/simd_avx2.hpp"
#include "kernels/cpu/unroll.hpp"

#include "kernels/cpu/stream_loops.inc"

namespace roofline::cpu {

const StreamKernels kStreamAvx2[2] = {table<false>(Isa::avx2), table<true>(Isa::avx2)};

}  // namespace roofline::cpu
#endif
