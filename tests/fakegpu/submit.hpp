// Work for a stream: done now, or put into the graph that is being captured.
#pragma once

#include <cuda.h>

#include <string_view>

#include "driver.hpp"

namespace fakegpu {

/// The call `site` tells the stream to do `work`.
CUresult submit(std::string_view site, CUstream handle, const Operation& work);

}  // namespace fakegpu
