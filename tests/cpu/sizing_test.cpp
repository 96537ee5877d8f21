#include "backend/cpu/sizing.hpp"
#include "backend/size_text.hpp"

#include <gtest/gtest.h>

namespace roofline::cpu {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

TEST(Sizing, DramArraysAreEightTimesTheCaches) {
  EXPECT_EQ(dram_bytes(32 * kMiB), 256 * kMiB);
  EXPECT_EQ(dram_bytes(768 * kMiB), 6144 * kMiB);
  EXPECT_EQ(dram_bytes(std::nullopt), 256 * kMiB);
}

TEST(Sizing, ArraysAreCutToTheBudget) {
  EXPECT_EQ(stream_array_bytes(256 * kMiB, 3, 4096 * kMiB), 256 * kMiB);
  EXPECT_EQ(stream_array_bytes(256 * kMiB, 3, 300 * kMiB), 100 * kMiB);
  EXPECT_EQ(stream_array_bytes(256 * kMiB, 3, 100), 0U);
  EXPECT_EQ(stream_array_bytes(256 * kMiB, 1, 1000), 960U);
}

TEST(Sizing, RotationCoversTheCachesAsMemoryAllows) {
  EXPECT_EQ(rotation_copies(64 * kMiB, 256 * kMiB, 0, 1024 * kMiB), 4U);
  EXPECT_EQ(rotation_copies(60 * kMiB, 256 * kMiB, 0, 1024 * kMiB), 5U);
  EXPECT_EQ(rotation_copies(512 * kMiB, 256 * kMiB, 0, 1024 * kMiB), 1U);
  EXPECT_EQ(rotation_copies(64 * kMiB, 256 * kMiB, 100 * kMiB, 300 * kMiB), 3U);
  EXPECT_EQ(rotation_copies(64 * kMiB, 256 * kMiB, 300 * kMiB, 300 * kMiB), 1U);
  EXPECT_EQ(rotation_copies(12, 256 * kMiB, 0, 1024 * kMiB), 1024U);
}

TEST(Sizing, B176_OneThreadPerCoreUnlessMoreAreAskedFor) {
  const std::vector<unsigned> cores{0, 1, 2, 3};
  const std::vector<unsigned> spare{4, 5, 6, 7};
  EXPECT_EQ(choose_threads(0, cores, spare, {}).cpus, cores);
  EXPECT_EQ(choose_threads(2, cores, spare, {}).cpus, (std::vector<unsigned>{0, 1}));
  const ThreadChoice all = choose_threads(6, cores, spare, {});
  EXPECT_EQ(all.cpus, (std::vector<unsigned>{0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(all.shares_cores);
  EXPECT_TRUE(all.limited_by.empty());
}

TEST(Sizing, B177_NoMoreThreadsThanTheMaskHas) {
  const ThreadChoice one = choose_threads(8, {0}, {}, {});
  EXPECT_EQ(one.cpus, std::vector<unsigned>{0});
  EXPECT_EQ(one.limited_by, "affinity mask");
}

TEST(Sizing, B181_NoMoreThreadsThanTheQuotaHasRoomFor) {
  const std::vector<unsigned> cores{0, 1, 2, 3};
  const ThreadChoice two = choose_threads(0, cores, {}, 1.5);
  EXPECT_EQ(two.cpus, (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(two.limited_by, "control group CPU quota");
  EXPECT_EQ(choose_threads(0, cores, {}, 64.0).cpus, cores);
  EXPECT_EQ(choose_threads(0, cores, {}, 0.2).cpus.size(), 1U);
}

TEST(Sizing, TextsForPeople) {
  EXPECT_EQ(backend::size_text(999), "999 B");
  EXPECT_EQ(backend::size_text(1.5e9), "1.5 GB");
  EXPECT_EQ(backend::size_text(4e18), "4000.0 PB");
}

TEST(Sizing, LargestThatFits) {
  EXPECT_EQ(largest_within(100.0, [](double n) { return n * n; }), 10U);
  EXPECT_EQ(largest_within(99.0, [](double n) { return n * n; }), 9U);
  EXPECT_EQ(largest_within(0.5, [](double n) { return n * n; }), 0U);
}

}  // namespace
}  // namespace roofline::cpu
