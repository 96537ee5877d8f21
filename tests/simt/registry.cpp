#include "simt/registry.hpp"

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kernels/cuda/bodies.cuh"

namespace roofline::cuda {
namespace {

#define ROOFLINE_CUDA_KERNEL(family, name, max_block, effect, call) \
  __global__ void emulated_##name ROOFLINE_CUDA_PARAMETERS_##family { call; }
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
    return {name, entry, max_block, {Parameter{sizeof(P), std::is_pointer_v<P>}...}, &run};
  }
};

const std::vector<EmulatedKernel>& table() {
  static const std::vector<EmulatedKernel> kernels{
#define ROOFLINE_CUDA_KERNEL(family, name, max_block, effect, call) \
  Emulated<&emulated_##name, max_block>::as(#name, "roofline_" #name),
#include "kernels/cuda/kernels.def"
  };
  return kernels;
}

}  // namespace
}  // namespace roofline::cuda

namespace simt {

std::span<const EmulatedKernel> emulated_kernels() { return roofline::cuda::table(); }

const EmulatedKernel* find_kernel(std::string_view entry) {
  for (const EmulatedKernel& kernel : emulated_kernels()) {
    if (kernel.entry == entry) return &kernel;
  }
  return nullptr;
}

}  // namespace simt
