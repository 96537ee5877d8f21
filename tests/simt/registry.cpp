#include "simt/registry.hpp"

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kernels/cuda/bodies.cuh"

namespace roofline::cuda {
namespace {

// SIMT_ONLY: names with blanks between them; without it all kernels of the list.
constexpr bool is_wanted([[maybe_unused]] std::string_view name) {
#if defined(SIMT_ONLY)
  const std::string_view only = " " SIMT_ONLY " ";
  for (std::size_t at = only.find(name); at != only.npos; at = only.find(name, at + 1)) {
    if (only[at - 1] == ' ' && only[at + name.size()] == ' ') return true;
  }
  return false;
#else
  return true;
#endif
}

#define ROOFLINE_CUDA_KERNEL(family, name, max_block, effect, call)   \
  template <bool wanted>                                              \
  __global__ void emulated_##name ROOFLINE_CUDA_PARAMETERS_##family { \
    if constexpr (wanted) {                                           \
      call;                                                           \
    }                                                                 \
  }
#include "kernels/cuda/kernels.def"

using simt::EmulatedKernel;
using simt::Launch;
using simt::Parameter;
using simt::Stats;

template <auto kernel, unsigned max_block>
struct Emulated;

template <class... P, void (*kernel)(P...), unsigned max_block>
struct Emulated<kernel, max_block> {
  static Stats run(const Launch& launch, [[maybe_unused]] void** arguments) {
    const std::size_t threads = std::size_t{launch.block.x} * launch.block.y * launch.block.z;
    if (threads > max_block) {
      throw simt::Error(simt::Cause::configuration,
                        "this kernel was compiled for " + std::to_string(max_block) +
                            " threads per block; here are " + std::to_string(threads));
    }
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      const std::tuple<P...> values{*static_cast<P*>(arguments[i])...};
      return simt::launch(launch, [&] { std::apply(kernel, values); });
    }
    (std::index_sequence_for<P...>{});
  }

  static EmulatedKernel as(std::string_view name, std::string_view entry) {
    // NOLINTNEXTLINE(bugprone-sizeof-expression): a pointer is what is passed
    return {name, entry, max_block, {Parameter{sizeof(P), std::is_pointer_v<P>}...}, &run};
  }
};

std::vector<EmulatedKernel> make_table() {
  std::vector<EmulatedKernel> kernels;
#define ROOFLINE_CUDA_KERNEL(family, name, max_block, effect, call)                               \
  if constexpr (is_wanted(#name)) {                                                               \
    kernels.push_back(Emulated<&emulated_##name<true>, max_block>::as(#name, "roofline_" #name)); \
  }
#include "kernels/cuda/kernels.def"
  return kernels;
}

}  // namespace
}  // namespace roofline::cuda

namespace simt {

std::span<const EmulatedKernel> emulated_kernels() {
  static const std::vector<EmulatedKernel> table = roofline::cuda::make_table();
  return table;
}

const EmulatedKernel* find_kernel(std::string_view entry) {
  for (const EmulatedKernel& kernel : emulated_kernels()) {
    if (kernel.entry == entry) return &kernel;
  }
  return nullptr;
}

}  // namespace simt
