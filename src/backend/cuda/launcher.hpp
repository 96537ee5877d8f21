// Launches kernels with arguments of the types that kernels.def states: the only caller of
// cuLaunchKernel, whose own arguments have no types.
#pragma once

#include <cstddef>
#include <type_traits>

#include "backend/cuda/context.hpp"
#include "backend/cuda/grid.hpp"
#include "kernels/cuda/kernels.hpp"

namespace roofline::cuda {

namespace detail {

/// `arguments`: a pointer to each.
void launch_untyped(Context& context, const KernelEntry& kernel, const Grid& grid,
                    const std::size_t* parameter_bytes, std::size_t parameters, void** arguments);

template <class Signature>
struct Launcher;

[[nodiscard]] unsigned blocks_per_sm_untyped(Context& context, const KernelEntry& kernel,
                                             const std::size_t* parameter_bytes,
                                             std::size_t parameters, unsigned block, u64 shared,
                                             unsigned otherwise);

template <class... Parameters>
struct Launcher<void(Parameters...)> {
  // NOLINTNEXTLINE(bugprone-sizeof-expression): a parameter may be a pointer
  static constexpr std::size_t kBytes[sizeof...(Parameters) + 1] = {sizeof(Parameters)...};
  static constexpr std::size_t kCount = sizeof...(Parameters);

  static void run(Context& context, const KernelEntry& kernel, const Grid& grid,
                  std::type_identity_t<Parameters>... arguments) {
    void* pointers[sizeof...(Parameters) + 1] = {address_of(arguments)...};
    launch_untyped(context, kernel, grid, kBytes, kCount, pointers);
  }

 private:
  template <class T>
  static void* address_of(T& argument) {
    return static_cast<void*>(&argument);
  }
};

void check_family(const KernelEntry& kernel, Family family);

}  // namespace detail

/// Throws CudaError; BackendError when the kernel is of another family, or its block too large.
template <Family family, class... Arguments>
void launch(Context& context, const KernelEntry& kernel, const Grid& grid, Arguments... arguments) {
  detail::check_family(kernel, family);
  detail::Launcher<Signature<family>>::run(context, kernel, grid, arguments...);
}

/// The entry of this name; throws BackendError when the build has none.
[[nodiscard]] const KernelEntry& kernel_named(std::string_view name);

/// Blocks of `block` threads that one SM takes of this kernel at once; `otherwise` where the driver
/// can't tell.
template <Family family>
[[nodiscard]] unsigned blocks_per_sm(Context& context, const KernelEntry& kernel, unsigned block,
                                     u64 shared, unsigned otherwise) {
  using Launcher = detail::Launcher<Signature<family>>;
  detail::check_family(kernel, family);
  return detail::blocks_per_sm_untyped(context, kernel, Launcher::kBytes, Launcher::kCount, block,
                                       shared, otherwise);
}

}  // namespace roofline::cuda
