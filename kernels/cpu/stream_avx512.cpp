#include "kernels/cpu/stream.hpp"

#if defined(__x86_64__)
#include <cstring>

#include "kernels/cpu/simd_avx512.hpp"
#include "kernels/cpu/unroll.hpp"

#include "kernels/cpu/stream_loops.inc"

namespace roofline::cpu {

const StreamKernels kStreamAvx512[2] = {table<false>(Isa::avx512), table<true>(Isa::avx512)};

}  // namespace roofline::cpu
#endif
