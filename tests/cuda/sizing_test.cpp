#include "backend/cuda/sizing.hpp"

#include <gtest/gtest.h>

namespace roofline::cuda {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;

TEST(Sizing, DramSetsAreFarBeyondL2AndTakeHalfAMillisecond) {
  // An A100's half millisecond (1.02 GB) is more than 16 x 40 MiB, a T4's (0.16 GB) more than
  // 16 x 4 MiB.
  EXPECT_NEAR(static_cast<double>(dram_set_bytes({40 * kMiB, 2039e9, 70 * kGiB})), 1.0195e9, 1e6);
  EXPECT_NEAR(static_cast<double>(dram_set_bytes({4 * kMiB, 320e9, 14 * kGiB})), 0.16e9, 1e6);
  EXPECT_EQ(dram_set_bytes({60 * kMiB, 1e12, 70 * kGiB}), 960 * kMiB);
  EXPECT_EQ(dram_set_bytes({40 * kMiB, 0, 70 * kGiB}), 640 * kMiB);  // no bandwidth known
  EXPECT_EQ(dram_set_bytes({40 * kMiB, 2039e9, 1 * kGiB}), 256 * kMiB);
}

TEST(Sizing, LevelsLeaveARoomBetween) {
  EXPECT_EQ(level_of(20 * kMiB, 40 * kMiB), "l2");
  EXPECT_EQ(level_of(20 * kMiB + 1, 40 * kMiB), "between l2 and dram");
  EXPECT_EQ(level_of(300 * kMiB, 40 * kMiB), "between l2 and dram");
  EXPECT_EQ(level_of(320 * kMiB, 40 * kMiB), "dram");
  EXPECT_EQ(level_of(l2_set_bytes({40 * kMiB, 0, kGiB}), 40 * kMiB), "l2");
  EXPECT_EQ(level_of(dram_set_bytes({40 * kMiB, 0, 70 * kGiB}), 40 * kMiB), "dram");
}

TEST(Sizing, SetsTogetherExceedL2FiveTimesOrMemoryIsSpent) {
  const std::uint64_t l2 = 50 * kMiB;
  for (const std::uint64_t bytes : {3 * kMiB, 32 * kMiB, 117 * kMiB, 900 * kMiB}) {
    const std::uint64_t sets = rotation_sets(bytes, l2, 100 * kGiB);
    EXPECT_GE(sets * bytes, 5 * l2);
    EXPECT_LT((sets - 1) * bytes, 5 * l2);
  }
  EXPECT_EQ(rotation_sets(100, l2, 100 * kGiB), 1024U);
  EXPECT_EQ(rotation_sets(32 * kMiB, l2, 70 * kMiB), 2U);
  EXPECT_EQ(rotation_sets(32 * kMiB, l2, 0), 1U);
}

TEST(Sizing, AGraphGoesRoundAllSets) {
  for (const std::uint64_t sets : {1U, 3U, 100U, 256U, 257U, 1024U}) {
    const std::uint64_t launches = graph_iterations(sets);
    EXPECT_EQ(launches % sets, 0U);
    EXPECT_GE(launches, 256U);
    EXPECT_LE(launches, 1024U);
  }
}

TEST(Sizing, ElementsFillWholeSteps) {
  EXPECT_EQ(elements_of(12'288, 3, 8), 512U);
  EXPECT_EQ(elements_of(3 * 4096 + 100, 3, 8), 512U);
  EXPECT_EQ(elements_of(4095, 1, 8), 0U);
}

}  // namespace
}  // namespace roofline::cuda
