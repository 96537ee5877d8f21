#include "kernel_library.hpp"

#include <map>

#include "kernels/cuda/kernels.hpp"
#include "simt/memory.hpp"
#include "simt/registry.hpp"

namespace fakegpu {
namespace {

namespace cuda = roofline::cuda;

Effect effect_of(cuda::Effect effect) {
  switch (effect) {
    case cuda::Effect::pure:
      return Effect::pure;
    case cuda::Effect::in_place:
      return Effect::in_place;
    case cuda::Effect::generator:
      return Effect::generator;
    case cuda::Effect::probe:
      break;
  }
  return Effect::probe;
}

void describe_family(cuda::Family family, Kernel& kernel) {
  switch (family) {
    case cuda::Family::stream_fp32:
    case cuda::Family::stream_fp64:
      kernel.passes_parameter = 5;
      break;
    case cuda::Family::peak_fp32:
      kernel.flop_per_iteration = cuda::kPeakFlopsFp32;
      break;
    case cuda::Family::peak_fp64:
      kernel.flop_per_iteration = cuda::kPeakFlopsFp64;
      kernel.flop_bits = 64;
      break;
    case cuda::Family::peak_fp16:
    case cuda::Family::peak_bf16:
      kernel.flop_per_iteration = cuda::kPeakFlopsFp16;
      kernel.flop_bits = 16;
      break;
    default:
      break;
  }
}

std::map<std::string_view, Kernel> make_library() {
  std::map<std::string_view, Kernel> all;
  for (const cuda::KernelEntry& entry : cuda::kKernels) {
    const simt::EmulatedKernel* const emulated = simt::find_kernel(entry.entry);
    if (emulated == nullptr) continue;
    Kernel& kernel = all[entry.entry];
    kernel.entry = entry.entry;
    for (const simt::Parameter& parameter : emulated->parameters) {
      kernel.parameters.push_back({parameter.size, parameter.pointer});
    }
    kernel.max_block = entry.max_block;
    kernel.effect = effect_of(entry.effect);
    kernel.engine = emulated;
    describe_family(entry.family, kernel);
  }
  return all;
}

/// CUresult of a fault that the emulator found.
int code_of(simt::Cause cause) {
  constexpr int invalid_value = 1;
  constexpr int illegal_address = 700;
  constexpr int misaligned_address = 716;
  constexpr int launch_failed = 719;
  switch (cause) {
    case simt::Cause::configuration:
      return invalid_value;
    case simt::Cause::illegal_address:
      return illegal_address;
    case simt::Cause::misaligned_address:
      return misaligned_address;
    default:
      return launch_failed;
  }
}

simt::Extent extent_of(const unsigned (&extent)[3]) { return {extent[0], extent[1], extent[2]}; }

}  // namespace

const Kernel* find_kernel(std::string_view entry) {
  static const std::map<std::string_view, Kernel> library = make_library();
  const auto found = library.find(entry);
  return found == library.end() ? nullptr : &found->second;
}

void run_kernel(const Kernel& kernel, const LaunchShape& shape, void** arguments,
                std::vector<KernelRegion>& regions) {
  if (kernel.native != nullptr) {
    kernel.native->compute(arguments);
    return;
  }
  simt::Memory memory;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    memory.add("allocation " + std::to_string(i), regions[i].host, regions[i].bytes);
  }
  const auto& emulated = *static_cast<const simt::EmulatedKernel*>(kernel.engine);
  try {
    (void)emulated.run({.grid = extent_of(shape.grid),
                        .block = extent_of(shape.block),
                        .shared = shape.shared_bytes,
                        .memory = &memory},
                       arguments);
  } catch (const simt::Error& error) {
    throw KernelError(code_of(error.cause()), error.what());
  }
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const simt::Memory::Traffic traffic = memory.traffic("allocation " + std::to_string(i));
    regions[i].loaded_bytes = traffic.loaded_bytes;
    regions[i].stored_bytes = traffic.stored_bytes;
    regions[i].uncounted_loaded_bytes = traffic.uncounted_loaded_bytes;
    regions[i].uncounted_stored_bytes = traffic.uncounted_stored_bytes;
  }
}

void set_kernel_clock(std::uint64_t (*cycles)(), std::uint64_t (*nanoseconds)()) {
  simt::set_device_clock(cycles, nanoseconds);
}

}  // namespace fakegpu
