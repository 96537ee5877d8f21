// The kernels of kernels/cuda/kernels.def, compiled for the emulator and found by the name of their
// entry point, as a driver finds them in a module. Knows no device.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "simt/launch.hpp"

namespace simt {

struct Parameter {
  std::size_t size = 0;
  bool pointer = false;
};

struct EmulatedKernel {
  std::string_view name;   ///< `stream_triad_fp32_u4_cs`
  std::string_view entry;  ///< `roofline_stream_triad_fp32_u4_cs`
  unsigned max_block = 0;  ///< threads
  std::vector<Parameter> parameters;
  /// `arguments` points to one value for each parameter. Throws Error, also for a block larger than
  /// max_block.
  Stats (*run)(const Launch& launch, void** arguments) = nullptr;
};

/// In the order of kernels.def.
[[nodiscard]] std::span<const EmulatedKernel> emulated_kernels();
/// Null when there is none of this entry point.
[[nodiscard]] const EmulatedKernel* find_kernel(std::string_view entry);

}  // namespace simt
