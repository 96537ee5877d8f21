// The entry points: one for every line of kernels.def.
#include "kernels/cuda/bodies.cuh"

namespace roofline::cuda {

#define ROOFLINE_CUDA_KERNEL(family, name, max_block, effect, call) \
  extern "C" __global__ void __launch_bounds__(max_block, 1)        \
      roofline_##name ROOFLINE_CUDA_PARAMETERS_##family {           \
    call;                                                           \
  }
#include "kernels/cuda/kernels.def"

}  // namespace roofline::cuda
