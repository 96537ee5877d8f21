#include "kernels/cuda/matvec_launch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "kernels/cuda/matvec_shape.hpp"

namespace {

using namespace roofline::cuda;

constexpr u64 kKiB = 1024;

// Maximum shared memory of a block and of an SM: CUDA programming guide, compute capabilities.
constexpr MatvecDevice kT4{40, 64 * kKiB, 64 * kKiB};
constexpr MatvecDevice kA100{108, 163 * kKiB, 164 * kKiB};
constexpr MatvecDevice kA10{72, 99 * kKiB, 100 * kKiB};
constexpr MatvecDevice kH200{132, 227 * kKiB, 228 * kKiB};
constexpr MatvecDevice kMigSlice{14, 163 * kKiB, 164 * kKiB};

std::string text(const MatvecShape& shape, const MatvecDevice& device) {
  return std::to_string(shape.rows) + " rows, " + std::to_string(shape.d_in) + "x" +
         std::to_string(shape.d_out) + ", " + std::to_string(shape.weight_bits) + " bits, " +
         std::to_string(device.sm_count) + " SMs";
}

void expect_sound(const MatvecShape& shape, const MatvecDevice& device) {
  SCOPED_TRACE(text(shape, device));
  const MatvecLaunch launch = matvec_launch(shape, device);
  EXPECT_GE(launch.most_rows, shape.rows);
  EXPECT_TRUE(launch.most_rows == 1 || launch.most_rows / 2 < shape.rows);
  EXPECT_TRUE(launch.block == 128 || launch.block == 256 || launch.block == 512);
  EXPECT_GE(launch.grid_x, 1U);
  EXPECT_LE(launch.grid_x, ceil_divide(shape.d_out, kMatvecTile));

  // Every split has something to do.
  const u32 length = matvec_split_length(shape.d_in, launch.splits);
  EXPECT_LT(u64{length} * (launch.splits - 1), shape.d_in);
  EXPECT_GE(u64{length} * launch.splits, shape.d_in);

  // Activations and the warps' sums fit.
  const u64 x = u64{launch.most_rows} * (u64{length} * 2 + 64);
  const u64 sums = u64{launch.most_rows} * kMatvecSumStride * 4 * (launch.block / 32);
  EXPECT_EQ(launch.shared_bytes, x + sums);
  EXPECT_LE(launch.shared_bytes, device.shared_per_block);
  EXPECT_LE(launch.shared_bytes + 1024, device.shared_per_sm);

  const u64 values = u64{shape.rows} * shape.d_out;
  if (launch.splits == 1) {
    EXPECT_EQ(launch.partial_bytes, 0U);
    EXPECT_EQ(launch.reduce_grid, 0U);
  } else {
    EXPECT_EQ(launch.partial_bytes, values * launch.splits * 4);
    EXPECT_GE(launch.reduce_grid, 1U);
    EXPECT_LE(launch.reduce_grid, (values + launch.reduce_block - 1) / launch.reduce_block);
  }
}

TEST(MatvecLaunch, IsSoundForEveryShapeAndDevice) {
  for (const MatvecDevice& device : {kT4, kA100, kA10, kH200, kMigSlice}) {
    for (const u32 rows : {1U, 2U, 3U, 4U, 7U, 8U, 9U, 16U}) {
      for (const u32 bits : {4U, 8U, 16U}) {
        for (const u32 d_in : {2U, 128U, 1338U, 4096U, 7168U, 14336U, 65536U}) {
          for (const u32 d_out : {1U, 33U, 1024U, 14336U, 57344U})
            expect_sound({rows, d_in, d_out, bits}, device);
        }
      }
    }
  }
}

/// Blocks that the device holds at once: by the registers, which 512 threads of an SM have, and by
/// shared memory, of which a block costs 1 KiB more than it asks for.
u64 resident(const MatvecLaunch& launch, const MatvecDevice& device) {
  const u64 by_registers = 512 / launch.block;
  const u64 by_memory = device.shared_per_sm / (launch.shared_bytes + 1024);
  return device.sm_count * (by_registers < by_memory ? by_registers : by_memory);
}

// One wave: what waits for a place would run when most of the device has finished.
TEST(MatvecLaunch, AllBlocksAreResidentAtOnce) {
  for (const MatvecDevice& device : {kT4, kA100, kH200, kMigSlice}) {
    for (const u32 rows : {1U, 8U, 16U}) {
      for (const u32 d_out : {32U, 4096U, 57344U}) {
        const MatvecLaunch launch = matvec_launch({rows, 8192, d_out, 16}, device);
        EXPECT_LE(u64{launch.grid_x} * launch.splits, resident(launch, device))
            << text({rows, 8192, d_out, 16}, device);
      }
    }
  }
}

// Sums of two kernels are for shapes that cannot fill the device otherwise.
TEST(MatvecLaunch, TallMatricesAreNotSplit) {
  for (const u32 bits : {4U, 8U, 16U}) {
    EXPECT_EQ(matvec_launch({1, 7168, 57344, bits}, kH200).splits, 1U);
    EXPECT_EQ(matvec_launch({8, 4096, 14336, bits}, kH200).splits, 1U);
    EXPECT_EQ(matvec_launch({1, 14336, 4096, bits}, kH200).splits, 1U);
    EXPECT_EQ(matvec_launch({1, 4096, 14336, bits}, kT4).splits, 1U);
  }
}

TEST(MatvecLaunch, ShortAndWideMatricesAre) {
  const MatvecLaunch launch = matvec_launch({1, 65536, 256, 16}, kH200);
  EXPECT_GT(launch.splits, 4U);
  EXPECT_GE(u64{launch.grid_x} * launch.splits * (launch.block / 32), 132U * 4);
}

// What 16 rows of 64k activations take (2 MiB) is ten times an SM's shared memory.
TEST(MatvecLaunch, ActivationsThatDoNotFitAreSplit) {
  for (const MatvecDevice& device : {kT4, kA100, kH200}) {
    const MatvecLaunch launch = matvec_launch({16, 65536, 8192, 16}, device);
    EXPECT_GE(u64{launch.splits} * device.shared_per_block, 16ULL * 65536 * 2);
  }
}

// 8 KiB per warp: enough bytes in flight on every SM for DRAM's latency (48 KiB on an H200).
TEST(MatvecLaunch, LargeWeightsKeepEverySmBusy) {
  for (const u32 bits : {4U, 8U, 16U}) {
    for (const u32 rows : {1U, 4U, 8U}) {
      for (const u32 d_out : {7168U, 18432U, 28672U, 57344U}) {
        const MatvecLaunch launch = matvec_launch({rows, 8192, d_out, bits}, kH200);
        const u64 warps = u64{launch.grid_x} * launch.splits * (launch.block / 32);
        EXPECT_GE(warps * 8192, 132ULL * 48 * 1024) << text({rows, 8192, d_out, bits}, kH200);
      }
    }
  }
}

// A block that has one tile more than the others works alone at the end.
TEST(MatvecLaunch, TilesAreSharedEvenly) {
  for (const u32 d_out : {7168U, 18432U, 28672U, 57344U, 151936U}) {
    const MatvecLaunch launch = matvec_launch({1, 8192, d_out, 16}, kH200);
    const u32 tiles = ceil_divide(d_out, kMatvecTile);
    const u32 most = ceil_divide(tiles, launch.grid_x);
    EXPECT_GE(static_cast<double>(tiles) / (most * launch.grid_x), 0.9) << d_out;
  }
}

TEST(MatvecLaunch, ADeviceThatHoldsNothingStillGetsAnAnswer) {
  const MatvecLaunch launch = matvec_launch({16, 4096, 4096, 16}, {1, 1024, 1024});
  EXPECT_EQ(launch.block, 128U);
  EXPECT_GE(launch.grid_x, 1U);
}

}  // namespace
