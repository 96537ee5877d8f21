// Which of the stream kernels, with how many threads, is the fastest on this device: found by
// trying, once for each mix, type and level.
#pragma once

#include <string_view>
#include <vector>

#include "backend/cuda/gpu.hpp"
#include "backend/cuda/stream_arrays.hpp"

namespace roofline::cuda {

/// Of any grid: sums of a read have room for as many.
inline constexpr unsigned kMostStreamBlocks = 1U << 16U;

/// Kernels of a mix and type that measure `level`: through L1 as compiled for DRAM, around it
/// (`cg`) for L2, where the build has such.
[[nodiscard]] std::vector<const KernelEntry*> stream_kernels(StreamKind kind, DType dtype,
                                                             Boundary level);

/// `data` is used to try on; what it holds besides inputs is undefined afterwards. Results are kept
/// in gpu.stream_shapes().
[[nodiscard]] StreamShape tuned_shape(Gpu& gpu, const Stream& stream, const StreamData& data);

}  // namespace roofline::cuda
