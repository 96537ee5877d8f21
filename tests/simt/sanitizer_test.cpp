// What the emulator leaves to AddressSanitizer, shown to be seen; in trees built with it only.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "simt/launch.hpp"
#include "simt/simt.hpp"

namespace simt {
namespace {

// Not known when this is compiled.
unsigned index_of(std::size_t value) {
  volatile std::size_t hidden = value;
  return static_cast<unsigned>(hidden);
}

TEST(SanitizerDeathTest, SharedArraysEnd) {
  const auto kernel = [] {
    SIMT_SHARED_ARRAY(float, first, 7);
    SIMT_SHARED_ARRAY(float, second, 7);
    first[index_of(7)] = second[0];
  };
  EXPECT_DEATH(launch({.block = {32}}, kernel), "use-after-poison");
}

TEST(SanitizerDeathTest, DynamicSharedMemoryEnds) {
  const auto kernel = [] {
    auto* const words = static_cast<float*>(dynamic_shared());
    words[index_of(10)] = 1;
  };
  EXPECT_DEATH(launch({.shared = 40}, kernel), "heap-buffer-overflow");
}

TEST(SanitizerDeathTest, GlobalMemoryEndsWhereNoRegionSaysSo) {
  std::vector<float> values(8);
  const auto kernel = [&] { store(values.data() + 7 + index_of(threadIdx.x), 1.0F); };
  EXPECT_DEATH(launch({.block = {2}}, kernel), "heap-buffer-overflow");
}

TEST(SanitizerDeathTest, FramesOfFibersEnd) {
  const auto kernel = [] {
    float own[4] = {};
    __syncthreads();
    own[index_of(4)] = 1;
    __syncthreads();
    EXPECT_EQ(own[0], 0);
  };
  EXPECT_DEATH(launch({.block = {64}}, kernel), "stack-buffer-overflow|out of bounds");
}

TEST(SanitizerDeathTest, FramesOfAnEndedFiberAreForgotten) {
  launch({.block = {64}}, [] {
    float own[100] = {};
    own[index_of(3)] = 1;
    __syncthreads();
    EXPECT_EQ(own[index_of(3)], 1);
  });
  // The same stacks again, with other frames: nothing of the last ones is held against them.
  launch({.block = {64}}, [] {
    double own[300] = {};
    own[index_of(299)] = 1;
    __syncthreads();
    EXPECT_EQ(own[index_of(299)], 1);
  });
}

}  // namespace
}  // namespace simt
