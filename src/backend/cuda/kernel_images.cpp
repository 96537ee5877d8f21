#include <cuda.h>

#include "backend/cuda/device_facts.hpp"

namespace roofline::cuda {

const KernelImages& kernel_images() {
  // As kernels/cuda/CMakeLists.txt has nvcc compile them.
  static const KernelImages images{{ROOFLINE_CUDA_SM}, ROOFLINE_CUDA_PTX, CUDA_VERSION};
  return images;
}

}  // namespace roofline::cuda
