// What tiles and waves lose: the two worked numbers of NVIDIA's guides (W41, W42), and what holds
// for every size.
#include "roofline/tiling.hpp"

#include <gtest/gtest.h>

#include "roofline/error.hpp"

namespace roofline {
namespace {

constexpr std::uint64_t kA100Units = 108;

TEST(WorkedNumbers, W41_TileQuantisation) {
  // NVIDIA's deep learning performance guide: N = 256 -> 257 at M = 256 in tiles of 128 x 128.
  const Tiling whole = tiling({.m = 256, .n = 256}, {128, 128}, kA100Units);
  const Tiling one_more = tiling({.m = 256, .n = 257}, {128, 128}, kA100Units);
  EXPECT_EQ(whole.tiles, 4);
  EXPECT_EQ(whole.useful, 1);
  EXPECT_EQ(one_more.tiles, 6);
  EXPECT_EQ(one_more.tiles / whole.tiles, 1.5);
  EXPECT_NEAR(257.0 / 256 - 1, 0.0039, 1e-5);
  EXPECT_NEAR(one_more.useful, 257.0 / 384, 1e-15);
}

TEST(WorkedNumbers, W42_WaveQuantisation) {
  // NVIDIA's matrix multiplication guide: tiles of 256 x 128 on the 108 SMs of an A100.
  const Tiling below = tiling({.m = 1792, .n = 1792}, {256, 128}, kA100Units);
  EXPECT_EQ(below.tiles, 98);
  EXPECT_EQ(below.waves, 1);
  EXPECT_NEAR(below.busy, 0.907, 5e-4);
  EXPECT_EQ(below.useful, 1);
  const Tiling above = tiling({.m = 1793, .n = 1793}, {256, 128}, kA100Units);
  EXPECT_EQ(above.tiles, 120);
  EXPECT_EQ(above.waves, 2);
  EXPECT_NEAR(above.busy, 0.556, 5e-4);
  EXPECT_NEAR(above.last_wave, 12.0 / 108, 1e-15);
}

TEST(Tiling, BatchesAndPartsOfKMultiplyTheTiles) {
  const Tiling all = tiling({.m = 100, .n = 300, .batch = 5, .splits = 3}, {64, 128}, 10);
  EXPECT_EQ(all.tiles, 2 * 3 * 5 * 3);
  EXPECT_EQ(all.waves, 9);
  EXPECT_EQ(all.busy, 1);
  EXPECT_EQ(all.last_wave, 1);
}

TEST(Tiling, ThePartsStayParts) {
  for (const std::uint64_t m : {1U, 127U, 128U, 129U, 5000U}) {
    for (const std::uint64_t n : {1U, 255U, 257U, 4096U}) {
      for (const std::uint64_t units : {1U, 7U, 108U, 132U}) {
        const Tiling found = tiling({.m = m, .n = n}, {128, 256}, units);
        EXPECT_GE(found.tiles, 1);
        for (const double part : {found.useful, found.busy, found.last_wave}) {
          EXPECT_GT(part, 0);
          EXPECT_LE(part, 1);
        }
        // Units are idle in the last wave and in no other.
        EXPECT_NEAR((found.waves - 1 + found.last_wave) / found.waves, found.busy, 1e-12);
      }
    }
  }
}

TEST(Tiling, NothingWithoutExtentHasTiles) {
  EXPECT_THROW(static_cast<void>(tiling({.m = 0, .n = 1}, {}, 1)), InputError);
  EXPECT_THROW(static_cast<void>(tiling({.m = 1, .n = 1}, {0, 128}, 1)), InputError);
  EXPECT_THROW(static_cast<void>(tiling({.m = 1, .n = 1}, {}, 0)), InputError);
  EXPECT_THROW(static_cast<void>(tiling({.m = 1, .n = 1, .splits = 0}, {}, 1)), InputError);
}

}  // namespace
}  // namespace roofline
