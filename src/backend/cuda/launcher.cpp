#include "backend/cuda/launcher.hpp"

#include <string>

namespace roofline::cuda {
namespace detail {

void check_family(const KernelEntry& kernel, Family family) {
  if (kernel.family == family) return;
  throw backend::BackendError("the kernel " + std::string(kernel.name) +
                              " is launched with the parameters of another family");
}

void launch_untyped(Context& context, const KernelEntry& kernel, const Grid& grid,
                    const std::size_t* parameter_bytes, std::size_t parameters, void** arguments) {
  if (grid.block == 0 || grid.block > kernel.max_block || grid.x == 0 || grid.y == 0) {
    throw backend::BackendError(
        "the kernel " + std::string(kernel.name) + " can't be launched with " +
        std::to_string(grid.x) + "x" + std::to_string(grid.y) + " blocks of " +
        std::to_string(grid.block) + " threads; it takes 1 to " + std::to_string(kernel.max_block));
  }
  const CUfunction function = context.function(kernel, parameter_bytes, parameters);
  if (grid.shared > kSharedWithoutOptIn) {
    context.driver().function_set_attribute(
        function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(grid.shared));
  }
  context.driver().launch_kernel(function, grid.x, grid.y, 1, grid.block, 1, 1,
                                 static_cast<unsigned>(grid.shared), context.stream(), arguments,
                                 nullptr);
}

unsigned blocks_per_sm_untyped(Context& context, const KernelEntry& kernel,
                               const std::size_t* parameter_bytes, std::size_t parameters,
                               unsigned block, u64 shared, unsigned otherwise) {
  int blocks = 0;
  const CUfunction function = context.function(kernel, parameter_bytes, parameters);
  const CUresult result = context.driver().blocks_per_sm.result(
      &blocks, function, static_cast<int>(block), static_cast<std::size_t>(shared));
  return result == CUDA_SUCCESS && blocks > 0 ? static_cast<unsigned>(blocks) : otherwise;
}

}  // namespace detail

const KernelEntry& kernel_named(std::string_view name) {
  if (const KernelEntry* const found = find_kernel(name)) return *found;
  throw backend::BackendError("this build has no kernel " + std::string(name));
}

}  // namespace roofline::cuda
