#include "kernels/cuda/stream_launch.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace roofline::cuda {
namespace {

constexpr std::array kShapes{
    StreamShape{4, "cs", 256, StreamGrid::resident},
    StreamShape{4, "plain", 256, StreamGrid::resident},
    StreamShape{4, "cs", 256, StreamGrid::tiles},
    StreamShape{2, "cs", 512, StreamGrid::tiles},
    StreamShape{8, "cs", 256, StreamGrid::resident},
    StreamShape{2, "plain", 1024, StreamGrid::resident},
    StreamShape{4, "plain", 512, StreamGrid::tiles},
    StreamShape{8, "plain", 128, StreamGrid::tiles},
    StreamShape{8, "cs", 512, StreamGrid::tiles},
    StreamShape{4, "cg", 512, StreamGrid::resident},
};

constexpr std::array kShapesL2{
    StreamShape{4, "cg", 256, StreamGrid::resident},
    StreamShape{4, "cg", 512, StreamGrid::resident},
    StreamShape{4, "cg", 1024, StreamGrid::resident},
};

constexpr u64 kKiB = 1024;

u64 divide_up(u64 value, u64 by) { return value / by + (value % by != 0 ? 1 : 0); }

}  // namespace

std::span<const StreamShape> stream_shapes() { return kShapes; }
std::span<const StreamShape> stream_shapes_l2() { return kShapesL2; }

std::string stream_kernel_name(std::string_view mix, std::string_view dtype,
                               const StreamShape& shape) {
  std::string name = "stream_";
  name.append(mix).append("_").append(dtype);
  name.append("_u").append(std::to_string(shape.unroll)).append("_").append(shape.hint);
  return name;
}

u32 stream_grid(const StreamShape& shape, u64 elements, u32 element_bytes, u32 resident_blocks) {
  const u64 tile = u64{shape.block} * shape.unroll * 16 / element_bytes;
  const u64 tiles = std::max<u64>(divide_up(elements, tile), 1);
  const u64 most = shape.grid == StreamGrid::resident
                       ? std::max<u64>(resident_blocks, 1)
                       : static_cast<u64>(std::numeric_limits<std::int32_t>::max());
  return static_cast<u32>(std::min(tiles, most));
}

u64 bytes_in_flight(const StreamShape& shape, u32 reads, u32 blocks_per_sm) {
  return u64{shape.block} * blocks_per_sm * shape.unroll * 16 * reads;
}

u64 wanted_bytes_in_flight(u32 compute_capability_major) {
  if (compute_capability_major >= 10) return 64 * kKiB;
  if (compute_capability_major == 9) return 48 * kKiB;
  if (compute_capability_major == 8) return 16 * kKiB;
  return 12 * kKiB;
}

}  // namespace roofline::cuda
