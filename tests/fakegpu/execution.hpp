// A launch: checked as the driver checks it, given to the emulated kernel, and given its time.
#pragma once

#include <cuda.h>

#include "driver.hpp"
#include "translation.hpp"

namespace fakegpu {

/// What cuLaunchKernel refuses at once.
[[nodiscard]] CUresult check_launch(const Function& function, const LaunchShape& shape,
                                    void** parameters, void** extra);

/// Runs the kernel, or puts it off, and occupies the stream. What goes wrong in the kernel stays in
/// the context and is seen by later calls.
CUresult execute(Stream& stream, const LaunchRequest& request, bool in_graph);

}  // namespace fakegpu
