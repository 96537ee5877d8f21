// What a stream is made of, and its launch with arguments of the right type.
#pragma once

#include <cstdint>
#include <string>

#include "backend/cuda/buffer.hpp"
#include "backend/cuda/launcher.hpp"
#include "backend/cuda/sizing.hpp"
#include "roofline/workload.hpp"

namespace roofline::cuda {

struct StreamArrays {
  bool a = false;
  bool b = false;
  bool c = false;
  [[nodiscard]] unsigned count() const { return unsigned{a} + unsigned{b} + unsigned{c}; }
};
[[nodiscard]] StreamArrays arrays_of(StreamKind kind);

/// Streams that move bits only run in words of fp32, whatever their type.
[[nodiscard]] bool moves_bits_only(StreamKind kind);
[[nodiscard]] DType kernel_type(const Stream& stream);

/// Of each array, and of all together.
[[nodiscard]] std::uint64_t array_bytes(const Stream& stream);
[[nodiscard]] std::uint64_t set_bytes(const Stream& stream);
/// Elements of each array where the stream leaves them open: as its level wants it.
[[nodiscard]] std::uint64_t own_elements(const Stream& stream, const DeviceSizes& sizes);

/// Any number whose products have to be rounded: the factor of scale, triad and of checked updates,
/// and what write writes.
inline constexpr double kStreamFactor = 0.8414709848078965;
/// Of timed updates, of which there are any number on one array: any other than 1 and -1 would end
/// in zeros or infinities.
inline constexpr double kTimedUpdateFactor = -1;

/// Buffers of one stream. Those that its kind doesn't use are empty.
struct StreamData {
  Buffer a;
  Buffer b;
  Buffer c;
  Buffer sums;  ///< of a read, one for each block
};

struct StreamPass {
  DType dtype = DType::fp64;  ///< fp32 or fp64
  std::uint64_t elements = 0;
  double factor = kStreamFactor;
  u32 passes = 1;
};

/// Enqueues one launch.
void launch_stream(Context& context, const KernelEntry& kernel, const Grid& grid,
                   const StreamData& data, const StreamPass& pass);

}  // namespace roofline::cuda
