// How large sets of data must be to lie in DRAM or in L2, and how often operands are rotated:
// plain arithmetic on the device's figures.
#pragma once

#include <cstdint>
#include <string>

namespace roofline::cuda {

/// What the sizes of a device's workloads follow from.
struct DeviceSizes {
  std::uint64_t l2_bytes = 0;
  double bandwidth_byte_per_s = 0;  ///< 0: unknown
  std::uint64_t free_bytes = 0;     ///< of memory, that may be used
};

/// Bytes of all arrays of a DRAM stream together: 16 times L2, so that hardly a line is met there
/// again, and at least half a millisecond of traffic, beside which the start and the end of a
/// kernel (some microseconds) don't count; a quarter of the free memory at most.
[[nodiscard]] std::uint64_t dram_set_bytes(const DeviceSizes& sizes);

/// Of an L2 stream: a quarter of it. Some GPUs keep each line on both sides of a divided L2, which
/// halves what it holds.
[[nodiscard]] std::uint64_t l2_set_bytes(const DeviceSizes& sizes);

/// Where a set lies that is passed over again and again: `l2` up to half of it, `dram` from eight
/// times it on, `between l2 and dram`.
[[nodiscard]] std::string level_of(std::uint64_t set_bytes, std::uint64_t l2_bytes);

/// Sets of operands of `bytes` each that are used in turn so that none is still in L2 when its turn
/// comes: together at least five times L2, as memory allows; at most 1024.
[[nodiscard]] std::uint64_t rotation_sets(std::uint64_t bytes, std::uint64_t l2_bytes,
                                          std::uint64_t room);

/// Bytes that rotated sets should exceed.
[[nodiscard]] std::uint64_t rotation_bytes(std::uint64_t l2_bytes);

/// Iterations that one graph replays: so many times round all sets that a replay is long beside the
/// call that starts it, and not so many that it takes long to make.
[[nodiscard]] std::uint64_t graph_iterations(std::uint64_t sets);

/// Elements of `bytes` each in each of `arrays` arrays of a set, in whole steps of 4 KiB.
[[nodiscard]] std::uint64_t elements_of(std::uint64_t set_bytes, std::uint64_t arrays,
                                        std::uint64_t element_bytes);

}  // namespace roofline::cuda
