// Order statistics against their definitions, computed another way, on random sizes.
#include "roofline/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace roofline {
namespace {

using Samples = std::vector<double>;

Samples random_samples(std::mt19937_64& random, std::size_t count) {
  // Repeated values are as likely as distinct ones.
  std::lognormal_distribution<double> values(0, 1);
  Samples out(count);
  for (double& x : out) x = random() % 4 == 0 ? static_cast<double>(random() % 5) : values(random);
  return out;
}

/// The k-th smallest (k from 1) by counting, without sorting.
double order_statistic(const Samples& xs, std::size_t k) {
  for (const double x : xs) {
    const auto below = static_cast<std::size_t>(
        std::count_if(xs.begin(), xs.end(), [&](double y) { return y < x; }));
    const auto equal = static_cast<std::size_t>(std::count(xs.begin(), xs.end(), x));
    if (below < k && k <= below + equal) return x;
  }
  return std::nan("");
}

/// Type 7 by its definition: h = (n - 1) p + 1, interpolated between the order statistics around h.
double quantile_by_definition(const Samples& xs, double p) {
  const double h = static_cast<double>(xs.size() - 1) * p + 1;
  const auto k = static_cast<std::size_t>(h);
  const double low = order_statistic(xs, k);
  if (k == xs.size()) return low;
  return low + (h - static_cast<double>(k)) * (order_statistic(xs, k + 1) - low);
}

TEST(Statistics, QuantilesByDefinition) {
  std::mt19937_64 random(51);
  for (int i = 0; i < 200; ++i) {
    const Samples xs = random_samples(random, 1 + random() % 60);
    for (const double p : {0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0}) {
      EXPECT_NEAR(quantile(xs, p), quantile_by_definition(xs, p), 1e-12) << xs.size() << " " << p;
    }
    EXPECT_EQ(median(xs), quantile(xs, 0.5));
  }
}

TEST(Statistics, KnownQuantiles) {
  // R: quantile(c(1, 2, 3, 4, 10)) is 1, 2, 3, 4, 10; of 1:4 the quartiles are 1.75, 2.5, 3.25.
  EXPECT_DOUBLE_EQ(quantile(Samples{10, 1, 3, 2, 4}, 0.75), 4);
  EXPECT_DOUBLE_EQ(quantile(Samples{1, 2, 3, 4}, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(median(Samples{4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(quantile(Samples{4, 1, 3, 2}, 0.75), 3.25);
  EXPECT_DOUBLE_EQ(median(Samples{7}), 7);
}

TEST(Statistics, TheMedianShrugsOffAnOutlier) {
  // Milliseconds for 1 GB; one reading of 3.1 is a cache or a glitch (public bug report B051).
  EXPECT_DOUBLE_EQ(median(Samples{10.0, 10.1, 9.9, 10.0, 3.1}), 10.0);
}

TEST(Statistics, MadByDefinition) {
  std::mt19937_64 random(52);
  for (int i = 0; i < 100; ++i) {
    const Samples xs = random_samples(random, 1 + random() % 40);
    const double centre = quantile_by_definition(xs, 0.5);
    Samples away;
    for (const double x : xs) away.push_back(std::abs(x - centre));
    EXPECT_NEAR(median_absolute_deviation(xs), quantile_by_definition(away, 0.5), 1e-12);
  }
  EXPECT_DOUBLE_EQ(median_absolute_deviation(Samples{1, 1, 2, 2, 4, 6, 9}), 1);
  EXPECT_DOUBLE_EQ(median_absolute_deviation(Samples{5, 5, 5}), 0);
}

TEST(Statistics, OrderOfTheSamplesDoesNotMatter) {
  std::mt19937_64 random(53);
  Samples xs = random_samples(random, 25);
  const double middle = median(xs);
  const auto interval = median_interval(xs, 0.95);
  std::shuffle(xs.begin(), xs.end(), random);
  EXPECT_EQ(median(xs), middle);
  EXPECT_EQ(median_interval(xs, 0.95)->low, interval->low);
  EXPECT_EQ(median_interval(xs, 0.95)->high, interval->high);
}

TEST(Statistics, LargeMagnitudesDoNotOverflow) {
  const double huge = std::numeric_limits<double>::max();
  EXPECT_DOUBLE_EQ(median(Samples{-huge, huge}), 0);
  EXPECT_DOUBLE_EQ(quantile(Samples{huge, huge}, 0.3), huge);
}

TEST(Statistics, MisuseIsALogicError) {
  const double nan = std::nan("");
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THROW(static_cast<void>(median(Samples{})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(median_absolute_deviation(Samples{})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(median_interval(Samples{}, 0.95)), std::invalid_argument);
  for (const double bad : {nan, inf, -inf}) {
    EXPECT_THROW(static_cast<void>(median(Samples{1, bad, 2})), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(quantile(Samples{1, 2}, bad)), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(median_interval(Samples{1, 2}, bad)), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(median_interval(Samples{1, bad, 2}, 0.5)),
                 std::invalid_argument);
  }
  EXPECT_THROW(static_cast<void>(quantile(Samples{1}, 1.01)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(quantile(Samples{1}, -0.01)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(median_interval(Samples{1}, 1)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(median_interval(Samples{1}, 0)), std::invalid_argument);
}

Samples first_numbers(std::size_t n) {
  Samples out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<double>(i + 1);
  return out;
}

TEST(MedianInterval, TableValues) {
  // Ranks and coverage of the sign-test interval at 95 %, as statistical tables print them.
  struct Row {
    std::size_t n;
    double low, high, coverage;
  };
  const Row table[] = {{6, 1, 6, 0.96875},     {7, 1, 7, 0.984375},     {8, 1, 8, 0.9921875},
                       {9, 2, 8, 0.9609375},   {10, 2, 9, 0.9785156},   {12, 3, 10, 0.9614258},
                       {15, 4, 12, 0.9648438}, {17, 5, 13, 0.9509583},  {20, 6, 15, 0.9586105},
                       {25, 8, 18, 0.9567147}, {100, 40, 61, 0.9647998}};
  for (const Row& row : table) {
    const auto found = median_interval(first_numbers(row.n), 0.95);
    ASSERT_TRUE(found) << row.n;
    EXPECT_EQ(found->low, row.low) << row.n;
    EXPECT_EQ(found->high, row.high) << row.n;
    EXPECT_NEAR(found->coverage, row.coverage, 1e-7) << row.n;
  }
}

TEST(MedianInterval, NothingFromTooFewSamples) {
  for (std::size_t n = 1; n < 6; ++n) EXPECT_FALSE(median_interval(first_numbers(n), 0.95)) << n;
  EXPECT_TRUE(median_interval(first_numbers(6), 0.95));
  EXPECT_FALSE(median_interval(first_numbers(7), 0.99));
  EXPECT_TRUE(median_interval(first_numbers(8), 0.99));
}

/// Coverage of [x_(j+1), x_(n-j)] by going through all 2^n ways in which n samples fall below or
/// above the median.
double coverage_by_enumeration(unsigned n, unsigned j) {
  std::uint64_t hits = 0;
  for (std::uint64_t pattern = 0; pattern < (std::uint64_t{1} << n); ++pattern) {
    const auto below = static_cast<unsigned>(__builtin_popcountll(pattern));
    if (below > j && below < n - j) ++hits;
  }
  return static_cast<double>(hits) / static_cast<double>(std::uint64_t{1} << n);
}

TEST(MedianInterval, IsTheNarrowestWithTheCoverageByEnumeration) {
  for (unsigned n = 1; n <= 16; ++n) {
    for (const double confidence : {0.3, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999}) {
      std::optional<unsigned> widest_drop;
      for (unsigned j = 0; 2 * j + 1 < n; ++j) {
        if (coverage_by_enumeration(n, j) >= confidence) widest_drop = j;
      }
      const auto found = median_interval(first_numbers(n), confidence);
      ASSERT_EQ(found.has_value(), widest_drop.has_value()) << n << " " << confidence;
      if (!found) continue;
      EXPECT_EQ(found->low, *widest_drop + 1.0) << n << " " << confidence;
      EXPECT_EQ(found->high, static_cast<double>(n - *widest_drop)) << n << " " << confidence;
      EXPECT_EQ(found->coverage, coverage_by_enumeration(n, *widest_drop))
          << n << " " << confidence;
    }
  }
}

TEST(MedianInterval, AConfidenceThatIsExactlyReachedIsReached) {
  EXPECT_TRUE(median_interval(first_numbers(6), 0.96875));
  EXPECT_EQ(median_interval(first_numbers(9), 0.9609375)->low, 2);
  EXPECT_EQ(median_interval(first_numbers(9), std::nextafter(0.9609375, 1))->low, 1);
}

TEST(MedianInterval, LargeNumbersOfSamples) {
  // Normal approximation: ranks n/2 -+ 0.98 sqrt(n).
  for (const std::size_t n : {100U, 999U, 1000U, 1001U, 5000U, 100'000U}) {
    const auto found = median_interval(first_numbers(n), 0.95);
    ASSERT_TRUE(found) << n;
    const auto size = static_cast<double>(n);
    EXPECT_NEAR(found->low, size / 2 - 0.98 * std::sqrt(size), 1.5) << n;
    EXPECT_EQ(found->low + found->high, size + 1) << n;
    EXPECT_GE(found->coverage, 0.95);
    EXPECT_LT(found->coverage, 0.966);
  }
}

TEST(MedianInterval, CoversTheMedianAsOftenAsItSays) {
  std::mt19937_64 random(54);
  std::exponential_distribution<double> skewed(1);
  const double truth = std::log(2.0);
  for (const std::size_t n : {6U, 9U, 15U, 30U}) {
    int covered = 0;
    double said = 0;
    constexpr int kTrials = 4000;
    for (int i = 0; i < kTrials; ++i) {
      Samples xs(n);
      for (double& x : xs) x = skewed(random);
      const auto found = median_interval(xs, 0.95);
      said = found->coverage;
      if (found->low <= truth && truth <= found->high) ++covered;
    }
    // Four standard errors of 4000 trials are 1.4 points.
    EXPECT_NEAR(covered / static_cast<double>(kTrials), said, 0.014) << n;
  }
}

}  // namespace
}  // namespace roofline
