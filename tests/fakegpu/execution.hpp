// A launch: checked as the driver checks it, executed by the emulated kernel, and given its time.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <vector>

#include "driver.hpp"

namespace fakegpu {

struct LaunchRequest {
  const Kernel* kernel = nullptr;
  LaunchShape shape = {};
  std::vector<std::vector<std::byte>> arguments = {};  ///< copies, as the caller gave them
  bool first = false;                                  ///< of this function
};

/// What cuLaunchKernel refuses at once.
[[nodiscard]] CUresult check_launch(const Function& function, const LaunchShape& shape,
                                    void** parameters, void** extra);

/// Executes, or knows the outcome, and occupies the stream. What goes wrong in the kernel stays in
/// the context and is seen by later calls.
CUresult execute(Stream& stream, const LaunchRequest& request, bool in_graph);

}  // namespace fakegpu
