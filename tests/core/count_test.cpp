#include "roofline/count.hpp"

#include <limits>
#include <random>
#include <type_traits>

#include "support.hpp"

namespace roofline {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

// A count is exact: no double becomes one.
static_assert(!std::is_constructible_v<Count, double>);
static_assert(!std::is_constructible_v<Count, float>);
static_assert(std::is_convertible_v<std::uint64_t, Count>);
static_assert(std::is_convertible_v<int, Count>);

TEST(Count, KeepsEveryDigit) {
  EXPECT_EQ((Count{671'026'419'200} + Count{1}).value(), 671'026'419'201U);
  EXPECT_EQ((Count{(1ULL << 53) + 1} * Count{1}).value(), (1ULL << 53) + 1);
}

TEST(Count, ReachesTheLastValueAndRefusesTheNext) {
  EXPECT_EQ((Count{kMost - 1} + Count{1}).value(), kMost);
  EXPECT_EQ((Count{kMost / 3} * Count{3}).value(), kMost);
  EXPECT_THROW(static_cast<void>(Count{kMost} + Count{1}), InputError);
  EXPECT_THROW(static_cast<void>(Count{kMost / 3 + 1} * Count{3}), InputError);
  Count running{kMost};
  EXPECT_THROW(running += Count{1}, InputError);
}

TEST(Count, OverflowSaysWhatWasCombinedAndAWayOut) {
  const std::string sentence = test::refusal([] { static_cast<void>(Count{kMost} * Count{7}); });
  EXPECT_TRUE(test::contains(sentence, std::to_string(kMost))) << sentence;
  EXPECT_TRUE(test::contains(sentence, "7")) << sentence;
  EXPECT_TRUE(test::contains(sentence, "smaller")) << sentence;
}

TEST(Count, RefusesNegativeNumbers) {
  const int negative = -1;
  EXPECT_THROW(static_cast<void>(Count{negative}), InputError);
  EXPECT_EQ(Count{0}.value(), 0U);
}

TEST(Count, CeilDivIsTheFewestThatCover) {
  for (std::uint64_t a = 0; a < 40; ++a) {
    for (std::uint64_t b = 1; b < 12; ++b) {
      const std::uint64_t parts = ceil_div(Count{a}, Count{b}).value();
      EXPECT_GE(parts * b, a);
      if (parts > 0) {
        EXPECT_LT((parts - 1) * b, a);
      }
    }
  }
  EXPECT_EQ(ceil_div(Count{kMost}, Count{2}).value(), (1ULL << 63));
}

TEST(Count, PackedBytesHoldEveryBitAndNotAByteMore) {
  std::mt19937_64 random(1);
  for (const unsigned bits : {1U, 4U, 6U, 8U, 16U, 19U, 32U, 64U}) {
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t elements = random() % 100'000;
      const std::uint64_t bytes = packed_bytes(Count{elements}, bits).value();
      EXPECT_GE(bytes * 8, elements * bits);
      EXPECT_LT(bytes * 8, elements * bits + 8);
    }
  }
}

TEST(Count, PackedSubByteExamples) {
  EXPECT_EQ(packed_bytes(Count{0}, 4).value(), 0U);
  EXPECT_EQ(packed_bytes(Count{1}, 4).value(), 1U);
  EXPECT_EQ(packed_bytes(Count{3}, 4).value(), 2U);
  EXPECT_EQ(packed_bytes(Count{4}, 6).value(), 3U);
  EXPECT_EQ(packed_bytes(Count{5}, 6).value(), 4U);
}

TEST(Count, PackedBytesFitWhereTheirBitsDoNot) {
  EXPECT_EQ(packed_bytes(Count{1ULL << 63}, 4).value(), 1ULL << 62);
  EXPECT_EQ(packed_bytes(Count{kMost}, 8).value(), kMost);
  EXPECT_THROW(static_cast<void>(packed_bytes(Count{kMost}, 16)), InputError);
}

}  // namespace
}  // namespace roofline
