// Which of the stream kernels, with how many threads, is the fastest on this device: found by
// trying, once for each mix, type and level.
#pragma once

#include "backend/cuda/gpu.hpp"
#include "backend/cuda/grid.hpp"
#include "backend/cuda/stream_arrays.hpp"

namespace roofline::cuda {

/// A stream kernel with the grid for arrays of one size.
struct TunedStream {
  const KernelEntry* kernel = nullptr;
  StreamShape shape = {};
  Grid grid;
};

/// Most blocks that any shape has for arrays of this stream's size: so many sums a read leaves.
[[nodiscard]] std::uint64_t most_blocks(Gpu& gpu, const Stream& stream);

/// `data` is used to try on; what it holds besides inputs is undefined afterwards. The choice is
/// kept in gpu.stream_shapes().
[[nodiscard]] TunedStream tuned_stream(Gpu& gpu, const Stream& stream, const StreamData& data);

}  // namespace roofline::cuda
