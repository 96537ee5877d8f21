#include <cuda.h>

#include "backend/cuda/device_facts.hpp"

namespace roofline::cuda {

const KernelImages& kernel_images() {
  static const KernelImages images{{75, 80, 86, 89, 90, 100, 120}, 120, CUDA_VERSION};
  return images;
}

}  // namespace roofline::cuda
