#include "kernels/cuda/stream_launch.hpp"

#include <gtest/gtest.h>

#include "kernels/cuda/kernels.hpp"

namespace {

using namespace roofline::cuda;

TEST(StreamLaunch, EveryShapeHasItsKernels) {
  for (const auto shapes : {stream_shapes(), stream_shapes_l2()}) {
    ASSERT_FALSE(shapes.empty());
    for (const StreamShape& shape : shapes) {
      for (const char* mix : {"read", "write", "copy", "scale", "add", "triad", "update"}) {
        for (const char* dtype : {"fp32", "fp64"}) {
          const std::string name = stream_kernel_name(mix, dtype, shape);
          const KernelEntry* kernel = find_kernel(name);
          ASSERT_NE(kernel, nullptr) << name;
          EXPECT_LE(shape.block, kernel->max_block) << name;
          EXPECT_EQ(shape.block % 32, 0U);
        }
      }
    }
  }
}

TEST(StreamLaunch, L2IsMeasuredPastL1) {
  for (const StreamShape& shape : stream_shapes_l2()) EXPECT_EQ(shape.hint, "cg");
}

TEST(StreamLaunch, ResidentGridsFillTheDeviceAndNoMore) {
  const StreamShape shape{4, "cs", 256, StreamGrid::resident};
  // A tile is 256 threads * 4 packs * 4 floats = 4096 elements.
  EXPECT_EQ(stream_grid(shape, 1, 4, 1056), 1U);
  EXPECT_EQ(stream_grid(shape, 4096, 4, 1056), 1U);
  EXPECT_EQ(stream_grid(shape, 4097, 4, 1056), 2U);
  EXPECT_EQ(stream_grid(shape, 1'000'000'000, 4, 1056), 1056U);
  EXPECT_EQ(stream_grid(shape, 1'000'000'000, 4, 0), 1U);
}

TEST(StreamLaunch, TileGridsHaveABlockPerTile) {
  const StreamShape shape{2, "plain", 512, StreamGrid::tiles};
  // 512 threads * 2 packs * 2 doubles = 2048 elements.
  EXPECT_EQ(stream_grid(shape, 2049, 8, 1056), 2U);
  EXPECT_EQ(stream_grid(shape, 2048ULL * 3'000'000, 8, 1056), 3'000'000U);
  EXPECT_EQ(stream_grid(shape, ~0ULL, 8, 1056), 2'147'483'647U);  // gridDim.x
}

TEST(StreamLaunch, BytesInFlightFollowFromTheShape) {
  const StreamShape shape{4, "cs", 256, StreamGrid::resident};
  EXPECT_EQ(bytes_in_flight(shape, 1, 8), 128U * 1024);
  EXPECT_EQ(bytes_in_flight(shape, 2, 4), 128U * 1024);
  EXPECT_EQ(wanted_bytes_in_flight(7), 12U * 1024);
  EXPECT_EQ(wanted_bytes_in_flight(8), 16U * 1024);
  EXPECT_EQ(wanted_bytes_in_flight(9), 48U * 1024);
  EXPECT_EQ(wanted_bytes_in_flight(10), 64U * 1024);
  EXPECT_EQ(wanted_bytes_in_flight(12), 64U * 1024);
}

// 1024 threads on an SM are what 64 registers each allow.
TEST(StreamLaunch, AShapeThatIsTriedCanSaturateAnH200) {
  for (const StreamShape& shape : stream_shapes()) {
    const u32 registers = shape.unroll == 8 ? 128 : 64;
    const u32 blocks_per_sm = 65536 / registers / shape.block;
    EXPECT_GE(bytes_in_flight(shape, shape.unroll == 2 ? 2 : 1, blocks_per_sm),
              wanted_bytes_in_flight(9));
  }
}

}  // namespace
