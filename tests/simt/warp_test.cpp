// Shuffles, votes and __syncwarp. Expected values follow the pseudocode of `shfl.sync` in the PTX
// ISA: a source outside of the segment leaves the lane with its own value.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "simt/expect_fault.hpp"
#include "simt/launch.hpp"
#include "simt/simt.hpp"

namespace simt {
namespace {

// What each lane of one warp gets when it offers 100 + its number.
std::vector<int> exchanged(const std::function<int(int)>& exchange) {
  std::vector<int> got(32, -1);
  launch({.block = {32}}, [&] {
    const int lane = static_cast<int>(threadIdx.x);
    got[threadIdx.x] = exchange(100 + lane);
  });
  return got;
}

std::vector<int> from(const std::function<int(int)>& source_of) {
  std::vector<int> expected(32);
  for (int lane = 0; lane < 32; ++lane) {
    expected[static_cast<std::size_t>(lane)] = 100 + source_of(lane);
  }
  return expected;
}

TEST(Warp, ShufflesReadTheLaneThatTheyName) {
  const auto by_index = [](int v) { return __shfl_sync(~0U, v, 5); };
  EXPECT_EQ(exchanged(by_index), from([](int) { return 5; }));
  const auto rotated = [](int v) { return __shfl_sync(~0U, v, v - 100 + 1); };
  EXPECT_EQ(exchanged(rotated), from([](int lane) { return (lane + 1) % 32; }));
  const auto up = [](int v) { return __shfl_up_sync(~0U, v, 3); };
  EXPECT_EQ(exchanged(up), from([](int lane) { return lane < 3 ? lane : lane - 3; }));
  const auto down = [](int v) { return __shfl_down_sync(~0U, v, 3); };
  EXPECT_EQ(exchanged(down), from([](int lane) { return lane > 28 ? lane : lane + 3; }));
  const auto butterfly = [](int v) { return __shfl_xor_sync(~0U, v, 16); };
  EXPECT_EQ(exchanged(butterfly), from([](int lane) { return lane ^ 16; }));
}

TEST(Warp, AWidthMakesSegments) {
  const auto by_index = [](int v) { return __shfl_sync(~0U, v, 10, 8); };
  EXPECT_EQ(exchanged(by_index), from([](int lane) { return lane / 8 * 8 + 2; }));
  const auto up = [](int v) { return __shfl_up_sync(~0U, v, 3, 8); };
  EXPECT_EQ(exchanged(up), from([](int lane) { return lane % 8 < 3 ? lane : lane - 3; }));
  const auto down = [](int v) { return __shfl_down_sync(~0U, v, 3, 8); };
  EXPECT_EQ(exchanged(down), from([](int lane) { return lane % 8 > 4 ? lane : lane + 3; }));
  // Across segments only towards earlier ones.
  const auto butterfly = [](int v) { return __shfl_xor_sync(~0U, v, 8, 8); };
  EXPECT_EQ(exchanged(butterfly), from([](int lane) { return (lane & 8) != 0 ? lane ^ 8 : lane; }));
}

TEST(Warp, ValuesOfEveryWidthPassUnchanged) {
  launch({.block = {32}}, [] {
    EXPECT_EQ(__shfl_sync(~0U, -1.5, 3), -1.5);
    EXPECT_EQ(__shfl_sync(~0U, static_cast<signed char>(-7), 3), -7);
    EXPECT_EQ(__shfl_sync(~0U, 0xFEDCBA9876543210ULL, 3), 0xFEDCBA9876543210ULL);
  });
}

TEST(Warp, ReductionsAddUpEveryLane) {
  std::vector<float> sums(96);
  const Stats stats = launch({.block = {96}}, [&] {
    auto sum = static_cast<float>(threadIdx.x);
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0U, sum, offset);
    sums[threadIdx.x] = sum;
  });
  for (unsigned i = 0; i < 96; ++i) {
    const unsigned first = i / 32 * 32;
    EXPECT_EQ(sums[i], static_cast<float>(first * 32 + 496));  // 0 + 1 + ... + 31 = 496
  }
  EXPECT_EQ(stats.collectives, 3U * 5U);
}

TEST(Warp, VotesCountTheLanesOfTheirMask) {
  launch({.block = {32}}, [] {
    const bool odd = threadIdx.x % 2 == 1;
    EXPECT_EQ(__ballot_sync(~0U, odd ? 2 : 0), 0xAAAAAAAAU);
    EXPECT_EQ(__any_sync(~0U, threadIdx.x == 9 ? 1 : 0), 1);
    EXPECT_EQ(__any_sync(~0U, 0), 0);
    EXPECT_EQ(__all_sync(~0U, 1), 1);
    EXPECT_EQ(__all_sync(~0U, threadIdx.x == 9 ? 0 : 1), 0);
    if (!odd) return;
    EXPECT_EQ(__ballot_sync(0xAAAAAAAAU, threadIdx.x < 4 ? 1 : 0), 0xAU);
  });
}

TEST(Warp, GroupsOfAWarpMeetOnTheirOwn) {
  for (const Order order : {Order::forward, Order::backward}) {
    std::vector<unsigned> sums(32);
    launch({.block = {32}, .order = order}, [&] {
      const bool low = threadIdx.x < 8;
      const unsigned mask = low ? 0xFFU : ~0xFFU;
      unsigned sum = 0;
      // The upper lanes meet more often.
      for (unsigned i = 0; i < (low ? 2U : 5U); ++i) {
        sum += __shfl_sync(mask, threadIdx.x, low ? 1 : 31);
        __syncwarp(mask);
      }
      sums[threadIdx.x] = sum;
      __syncwarp();
    });
    for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(sums[lane], lane < 8 ? 2U : 155U);
  }
}

TEST(Warp, SyncwarpSeparatesWritesFromReads) {
  for (const Order order : {Order::forward, Order::backward}) {
    launch({.block = {32}, .order = order}, [] {
      __shared__ unsigned exchange[32];
      exchange[threadIdx.x] = threadIdx.x;
      __syncwarp();
      EXPECT_EQ(exchange[31 - threadIdx.x], 31 - threadIdx.x);
    });
  }
}

TEST(Warp, ABlockNeedNotFillItsLastWarp) {
  launch({.block = {20}}, [] {
    __syncwarp();
    EXPECT_EQ(__ballot_sync(~0U, 1), 0xFFFFFU);
    EXPECT_EQ(__shfl_sync(~0U, threadIdx.x, 19), 19U);
  });
}

// ---- what is refused ----

TEST(WarpFaults, ALaneThatItsMaskLeavesOut) {
  const std::string said =
      fault_of(Cause::warp, {.block = {32}}, [] { __shfl_xor_sync(0xFFFFU, 1, 1); });
  EXPECT_NE(said.find("thread 16: __shfl_xor_sync (warp_test.cpp:"), std::string::npos) << said;
  EXPECT_NE(said.find("lane 16, which is not in its mask"), std::string::npos) << said;
}

TEST(WarpFaults, LanesThatHaveLeft) {
  const std::string said = fault_of(Cause::warp, {.block = {32}}, [] {
    if (threadIdx.x < 4) return;
    __shfl_down_sync(~0U, 1, 1);
  });
  EXPECT_NE(said.find("waits for lanes 0-3, which left the kernel"), std::string::npos) << said;
}

TEST(WarpFaults, ALaneThatLeavesWhileOthersWaitForIt) {
  const std::string said = fault_of(Cause::warp, {.block = {32}}, [] {
    if (threadIdx.x == 31) return;
    __syncwarp();
  });
  EXPECT_NE(said.find("lane 31 left the kernel while lane 0 waits for it in __syncwarp"),
            std::string::npos)
      << said;
}

TEST(WarpFaults, ASourceThatDoesNotTakePart) {
  EXPECT_NE(fault_of(Cause::warp, {.block = {32}},
                     [] {
                       if (threadIdx.x < 16) __shfl_sync(0xFFFFU, 1, 20);
                     })
                .find("reads lane 20, which is not in its mask"),
            std::string::npos);
  EXPECT_NE(fault_of(Cause::warp, {.block = {20}}, [] { __shfl_xor_sync(~0U, 1, 16); })
                .find("reads lane 20, which the block does not have"),
            std::string::npos);
}

TEST(WarpFaults, DifferentMasks) {
  EXPECT_NE(
      fault_of(Cause::warp, {.block = {32}}, [] { __syncwarp(threadIdx.x == 0 ? 0x3U : 0x7U); })
          .find("with another mask"),
      std::string::npos);
}

TEST(WarpFaults, DifferentCollectives) {
  const std::string said = fault_of(Cause::warp, {.block = {32}}, [] {
    if (threadIdx.x < 16) {
      __syncwarp();
    } else {
      __shfl_xor_sync(~0U, 1, 1);
    }
  });
  EXPECT_NE(said.find("while lane 0 is in __syncwarp"), std::string::npos) << said;
}

TEST(WarpFaults, AShuffleThatOnlyHalfOfTheWarpReaches) {
  const std::string said = fault_of(Cause::deadlock, {.block = {64}}, [] {
    if (threadIdx.x < 48) __shfl_xor_sync(~0U, 1, 1);
    __syncthreads();
  });
  EXPECT_NE(said.find("threads 32-47 in __shfl_xor_sync"), std::string::npos) << said;
}

}  // namespace
}  // namespace simt
