// Grids, blocks, barriers, shared memory and how launches fail.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "simt/expect_fault.hpp"
#include "simt/launch.hpp"
#include "simt/simt.hpp"

namespace simt {
namespace {

TEST(Emulator, EveryThreadOfTheGridRunsOnceAndKnowsItsPlace) {
  for (const Order order : {Order::forward, Order::backward}) {
    std::vector<std::atomic<unsigned>> runs(720);
    launch({.grid = {3, 2, 2}, .block = {5, 4, 3}, .order = order}, [&] {
      EXPECT_EQ(blockDim.x, 5U);
      EXPECT_EQ(blockDim.y, 4U);
      EXPECT_EQ(blockDim.z, 3U);
      EXPECT_EQ(gridDim.x, 3U);
      EXPECT_EQ(gridDim.y, 2U);
      EXPECT_EQ(gridDim.z, 2U);
      const unsigned block = (blockIdx.z * 2 + blockIdx.y) * 3 + blockIdx.x;
      const unsigned thread = (threadIdx.z * 4 + threadIdx.y) * 5 + threadIdx.x;
      ++runs.at(block * 60 + thread);
    });
    for (const std::atomic<unsigned>& count : runs) EXPECT_EQ(count, 1U);
  }
}

TEST(Emulator, OrderIsThatOfBlocksWarpsAndLanes) {
  for (const Order order : {Order::forward, Order::backward}) {
    std::atomic<unsigned> turns = 0;
    std::vector<unsigned> turn(80);
    launch({.grid = {2}, .block = {40}, .order = order},
           [&] { turn[blockIdx.x * 40 + threadIdx.x] = turns++; });
    for (unsigned i = 0; i < 80; ++i) EXPECT_EQ(turn[i], order == Order::forward ? i : 79 - i);
  }
}

// out[i] = the value of the mirrored thread, through shared memory.
void mirror(unsigned* out, bool with_barrier) {
  SIMT_SHARED_ARRAY(unsigned, exchange, 256);
  exchange[threadIdx.x] = threadIdx.x + blockIdx.x;
  if (with_barrier) __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = exchange[blockDim.x - 1 - threadIdx.x];
}

TEST(Emulator, BarriersSeparateWritesFromReads) {
  for (const Order order : {Order::forward, Order::backward}) {
    std::vector<unsigned> out(768);
    const Stats stats =
        launch({.grid = {3}, .block = {256}, .order = order}, [&] { mirror(out.data(), true); });
    for (unsigned i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], 255 - i % 256 + i / 256);
    EXPECT_EQ(stats.barriers, 3U);
  }
}

TEST(Emulator, AMissingBarrierShowsInTheOrder) {
#if defined(ROOFLINE_SIMT_TSAN)
  GTEST_SKIP() << "ThreadSanitizer sees more than the order: races.cpp";
#endif
  const auto run = [](Order order) {
    std::vector<unsigned> out(256);
    launch({.block = {256}, .order = order}, [&] { mirror(out.data(), false); });
    return out;
  };
  EXPECT_NE(run(Order::forward), run(Order::backward));
}

TEST(Emulator, LoopsMayMeetAtOneBarrierManyTimes) {
  unsigned sum = 0;
  const Stats stats = launch({.block = {96}}, [&] {
    for (unsigned i = 0; i < 10; ++i) {
      if (threadIdx.x == i * 9) sum += i;
      __syncthreads();
      EXPECT_EQ(sum, i * (i + 1) / 2);
      __syncthreads();
    }
  });
  EXPECT_EQ(stats.barriers, 20U);
}

TEST(Emulator, DynamicSharedMemoryIsAlignedSharedByTheBlockAndBornAsNaN) {
  launch({.grid = {2}, .block = {33}, .shared = 40}, [&] {
    auto* const words = static_cast<float*>(dynamic_shared());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(words) % 16, 0U);
    if (threadIdx.x == 0) {
      for (int i = 0; i < 10; ++i) EXPECT_TRUE(std::isnan(words[i]));
    }
    __syncthreads();
    if (threadIdx.x < 10) words[threadIdx.x] = static_cast<float>(threadIdx.x);
    __syncthreads();
    EXPECT_EQ(words[threadIdx.x % 10], static_cast<float>(threadIdx.x % 10));
  });
}

TEST(Emulator, SharedArraysBelongToABlockAndAreBornAsNaN) {
  launch({.grid = {3}, .block = {32}}, [&] {
    SIMT_SHARED_ARRAY(double, first, 3);
    SIMT_SHARED_ARRAY(float, second, 40);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(second) % 16, 0U);
    if (threadIdx.x == 0) {
      EXPECT_TRUE(std::isnan(first[2]));
      EXPECT_TRUE(std::isnan(second[39]));
    }
    __syncthreads();
    if (threadIdx.x == 7) first[2] = second[0] = 7;
    __syncthreads();
    EXPECT_EQ(first[2] + second[0], 14);
  });
}

TEST(Emulator, SharedVariablesAreSharedToo) {
  launch({.grid = {3}, .block = {32}}, [&] {
    __shared__ unsigned leader;
    if (threadIdx.x == 30) leader = blockIdx.x;
    __syncthreads();
    EXPECT_EQ(leader, blockIdx.x);
  });
}

// ---- what is refused ----

TEST(EmulatorFaults, MoreSharedArraysThanABlockHas) {
  fault_of(Cause::configuration, {}, [] {
    SIMT_SHARED_ARRAY(char, most_of_it, 40000);
    SIMT_SHARED_ARRAY(char, too_much, 9200);  // 48 KiB are 49152 bytes
    most_of_it[0] = too_much[0];
  });
}

TEST(EmulatorFaults, ABarrierThatSomeLeaveBefore) {
  const std::string said = fault_of(Cause::barrier, {.grid = {2}, .block = {64}}, [] {
    if (blockIdx.x == 1 && threadIdx.x >= 32) return;
    __syncthreads();
  });
  EXPECT_NE(said.find("block 1: __syncthreads (emulator_test.cpp:"), std::string::npos) << said;
  EXPECT_NE(said.find("not reached by threads 32-63 of 64"), std::string::npos) << said;
}

TEST(EmulatorFaults, TwoBarriersForOne) {
  const std::string said = fault_of(Cause::barrier, {.block = {64}}, [] {
    if (threadIdx.x < 20) __syncthreads();
    if (threadIdx.x >= 20) __syncthreads();
  });
  EXPECT_NE(said.find("threads 0-19 in"), std::string::npos) << said;
  EXPECT_NE(said.find("threads 20-63 in"), std::string::npos) << said;
}

TEST(EmulatorFaults, ADeadlockNamesWhoWaitsWhere) {
  const std::string said = fault_of(Cause::deadlock, {.block = {64}}, [] {
    if (threadIdx.x < 16) {
      __shfl_xor_sync(~0U, 1, 1);
    } else {
      __syncthreads();
    }
  });
  EXPECT_NE(said.find("threads 0-15 in __shfl_xor_sync (emulator_test.cpp:"), std::string::npos)
      << said;
  EXPECT_NE(said.find("threads 16-63 in __syncthreads"), std::string::npos) << said;
}

TEST(EmulatorFaults, ImpossibleLaunches) {
  const auto nothing = [] {};
  constexpr std::size_t kMostShared = 232448;  // 227 KiB, of compute capability 9.0
  const Launch impossible[] = {
      {.grid = {0}},           {.grid = {1, 65536}},  {.grid = {1, 1, 65536}},
      {.grid = {0x80000000U}}, {.block = {0}},        {.block = {1025}},
      {.block = {32, 33}},     {.block = {1, 1, 65}}, {.shared = kMostShared + 1},
  };
  for (const Launch& how : impossible) fault_of(Cause::configuration, how, nothing);
  EXPECT_NO_THROW(launch({.block = {1024}, .shared = kMostShared}, nothing));
}

TEST(EmulatorFaults, WhatAKernelThrowsNamesBlockAndThread) {
  const std::string said = fault_of(Cause::kernel, {.grid = {2, 2}, .block = {4, 4}}, [] {
    if (blockIdx.y == 1 && threadIdx.x == 3) throw std::runtime_error("no such row");
  });
  EXPECT_EQ(said, "block (0,1,0) thread (3,0,0): no such row");
}

struct CountsItself {
  explicit CountsItself(std::atomic<int>& alive) : alive_(alive) { ++alive_; }
  ~CountsItself() { --alive_; }
  CountsItself(const CountsItself&) = delete;
  CountsItself& operator=(const CountsItself&) = delete;
  std::atomic<int>& alive_;
};

TEST(EmulatorFaults, LeaveNothingBehind) {
  std::atomic<int> alive = 0;
  unsigned blocks = 0;
  for (int round = 0; round < 3; ++round) {
    fault_of(Cause::kernel, {.grid = {4}, .block = {128}}, [&] {
      const CountsItself counted(alive);
      if (threadIdx.x == 0) ++blocks;
      if (threadIdx.x % 2 == 0) __syncwarp(0x55555555U);
      if (threadIdx.x == 77) throw std::runtime_error("enough");
      __syncthreads();
    });
    EXPECT_EQ(alive, 0);
  }
  EXPECT_EQ(blocks, 3U);  // the first of each launch
  std::vector<unsigned> out(256);
  launch({.block = {256}}, [&] { mirror(out.data(), true); });
  EXPECT_EQ(out[0], 255U);
}

TEST(EmulatorFaults, KernelsDoNotLaunchKernels) {
  fault_of(Cause::kernel, {}, [] { launch({}, [] {}); });
}

// ---- around it ----

TEST(Emulator, ThreadsHaveRoomForLargeFrames) {
  std::atomic<int> sum = 0;
  launch({.block = {64}}, [&] {
    std::array<int, 20000> large{};
    for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<int>(i);
    __syncthreads();
    sum += large[std::size_t{threadIdx.x} * 100];
  });
  EXPECT_EQ(sum, 100 * 63 * 64 / 2);
}

TEST(Emulator, EachHostThreadRunsBlocksOfItsOwn) {
  std::vector<std::thread> hosts;
  std::array<std::vector<unsigned>, 4> out;
  for (std::vector<unsigned>& mine : out) {
    mine.resize(5120);
    hosts.emplace_back([&mine] {
      launch({.grid = {20}, .block = {256}}, [&mine] { mirror(mine.data(), true); });
    });
  }
  for (std::thread& host : hosts) host.join();
  for (const std::vector<unsigned>& mine : out) {
    for (unsigned i = 0; i < mine.size(); ++i) ASSERT_EQ(mine[i], 255 - i % 256 + i / 256);
  }
}

TEST(Emulator, TheDeviceClockIsWhateverItIsGiven) {
  launch({}, [] {  // a microsecond for each call, at 1 GHz
    const std::uint64_t before = device_nanoseconds();
    EXPECT_EQ(device_cycles(), before + 1000);
    EXPECT_EQ(device_nanoseconds(), before + 2000);
  });
  set_device_clock([]() -> std::uint64_t { return 7; }, []() -> std::uint64_t { return 5; });
  launch({}, [] {
    EXPECT_EQ(clock64(), 7);
    EXPECT_EQ(device_nanoseconds(), 5U);
  });
  set_device_clock(nullptr, nullptr);
}

TEST(Emulator, DeviceCodeNeedsALaunch) {
  const int value = 3;
  EXPECT_THROW(__syncthreads(), std::logic_error);
  EXPECT_THROW(__syncwarp(), std::logic_error);
  EXPECT_THROW(static_cast<void>(load(&value)), std::logic_error);
  EXPECT_THROW(static_cast<void>(dynamic_shared()), std::logic_error);
}

}  // namespace
}  // namespace simt
