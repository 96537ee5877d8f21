// Launch shapes worth trying for a stream kernel: no one shape is best for every mix and device
// (16 % between block sizes alone), so the backend measures these and keeps the fastest. Plain C++.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kernels/cuda/types.hpp"

namespace roofline::cuda {

enum class StreamGrid {
  resident,  ///< as many blocks as fit the device at once; each goes over the array in strides
  tiles,     ///< a block for each tile of block * unroll * 16 bytes
};

struct StreamShape {
  u32 unroll;             ///< of the kernel's name: packs of 16 bytes that a thread has in flight
  std::string_view hint;  ///< of the kernel's name: plain, cs, cg
  u32 block;              ///< threads
  StreamGrid grid;
};

/// For arrays in DRAM, the likely best first.
[[nodiscard]] std::span<const StreamShape> stream_shapes();
/// For arrays in L2: with the hint cg, so that passes do not find their data in L1.
[[nodiscard]] std::span<const StreamShape> stream_shapes_l2();

/// `stream_triad_fp32_u4_plain`, for find_kernel().
[[nodiscard]] std::string stream_kernel_name(std::string_view mix, std::string_view dtype,
                                             const StreamShape& shape);

/// Blocks to launch. `resident_blocks`: SMs * blocks of this kernel and size that an SM holds
/// (cuOccupancyMaxActiveBlocksPerMultiprocessor). `read` writes as many sums.
[[nodiscard]] u32 stream_grid(const StreamShape& shape, u64 elements, u32 element_bytes,
                              u32 resident_blocks);

/// Bytes that all threads of an SM ask for at once, `reads` arrays each; below
/// wanted_bytes_in_flight() the shape cannot saturate DRAM.
[[nodiscard]] u64 bytes_in_flight(const StreamShape& shape, u32 reads, u32 blocks_per_sm);
/// Per SM, by the major compute capability. Source: the tuning of DeviceTransform in NVIDIA's CUB,
/// measured on V100, A100, H200 and B200.
[[nodiscard]] u64 wanted_bytes_in_flight(u32 compute_capability_major);

}  // namespace roofline::cuda
