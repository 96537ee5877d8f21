// Ratios of times against values worked out by hand and against simulated runs whose between-run
// deviation is known.
#include "roofline/comparison.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>

#include "roofline/repetition.hpp"
#include "roofline/sample_summary.hpp"

namespace roofline {
namespace {

/// Normal values of deviation 1 (Box and Muller), the same with every standard library.
class Normal {
 public:
  explicit Normal(std::uint64_t seed) : bits_(seed) {}
  double operator()() {
    const double u = (static_cast<double>(bits_() >> 11U) + 0.5) * 0x1p-53;
    const double v = static_cast<double>(bits_() >> 11U) * 0x1p-53;
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  }

 private:
  std::mt19937_64 bits_;
};

/// `samples` times of a run whose true time is off by `off` and whose noise is `noise`, relative.
Level run_of(Normal& normal, double off, double noise, std::size_t samples = 25) {
  std::vector<double> times;
  for (std::size_t i = 0; i < samples; ++i) times.push_back(std::exp(off + noise * normal()));
  return level_of(times).value();
}

std::vector<RunLevels> side(Normal& normal, std::size_t runs, double between, double slower) {
  std::vector<RunLevels> out;
  for (std::size_t i = 0; i < runs; ++i)
    out.push_back({run_of(normal, std::log1p(slower) + between * normal(), 0.005)});
  return out;
}

/// How often of `times` a comparison of `runs` runs a side has this outcome.
double share(Change change, std::size_t runs, double between, double slower, double threshold,
             const Variation& usual, int times = 2000) {
  Normal normal(runs * 1000 + 7);
  int found = 0;
  for (int i = 0; i < times; ++i) {
    const auto base = side(normal, runs, between, 0);
    const auto fresh = side(normal, runs, between, slower);
    if (judge(time_ratio(base, fresh, usual), threshold) == change) ++found;
  }
  return found / static_cast<double>(times);
}

std::vector<RunLevels> one_exact(double time) { return {{Level{time, time, time}}}; }

// ---- by hand ----

TEST(StudentT, AgreesWithPublishedTables) {
  const std::pair<double, double> table[] = {{2, 4.303},  {3, 3.182},   {4, 2.776},  {5, 2.571},
                                             {8, 2.306},  {10, 2.228},  {20, 2.086}, {30, 2.042},
                                             {60, 2.000}, {120, 1.980}, {1e9, 1.960}};
  for (const auto& [degrees, t] : table) EXPECT_NEAR(student_t(degrees), t, 0.01 * t) << degrees;
}

TEST(LevelOf, IsTheMedianAndItsInterval) {
  // Six samples: the whole range covers the median with 1 - 2 / 64.
  const auto six = level_of(std::vector<double>{5, 1, 2, 3, 4, 6});
  ASSERT_TRUE(six);
  EXPECT_DOUBLE_EQ(six->centre, 3.5);
  EXPECT_DOUBLE_EQ(six->low, 1);
  EXPECT_DOUBLE_EQ(six->high, 6);
}

TEST(LevelOf, OfFewSamplesIsWidened) {
  // Three cover with 75 %, which is 1.1503 deviations of a normal distribution where 95 % are 1.96.
  const auto three = level_of(std::vector<double>{1.0, 1.1, 1.21});
  ASSERT_TRUE(three);
  EXPECT_NEAR(std::log(three->high / three->centre), std::log(1.1) * 1.95996 / 1.15035, 1e-6);
  EXPECT_NEAR(std::log(three->centre / three->low), std::log(1.1) * 1.95996 / 1.15035, 1e-6);
  EXPECT_FALSE(level_of(std::vector<double>{1, 2}));
  EXPECT_FALSE(level_of(std::vector<double>{0, 1, 2}));
}

TEST(TimeRatio, OfSingleRunsIsAsWideAsTheUsualVariation) {
  // t of 8 degrees x sqrt(2 (0.3 %^2 + 0.4 %^2)) = 2.306 x 0.7071 %
  const Ratio ratio = time_ratio(one_exact(2), one_exact(2.1), {0.003, 0.004, 0});
  EXPECT_NEAR(ratio.value, 1.05, 1e-12);
  EXPECT_NEAR(std::log(ratio.high / ratio.value), 2.306 * 0.0070711, 2e-5);
  EXPECT_NEAR(std::log(ratio.value / ratio.low), 2.306 * 0.0070711, 2e-5);
  EXPECT_FALSE(ratio.estimated);
}

TEST(TimeRatio, AddsTheNoiseOfBothRunsInQuadrature) {
  const std::vector<RunLevels> base{{Level{1, std::exp(-0.01), std::exp(0.03)}}};
  const std::vector<RunLevels> fresh{{Level{1, std::exp(-0.04), std::exp(0.02)}}};
  const Ratio ratio = time_ratio(base, fresh, {});
  EXPECT_NEAR(std::log(ratio.low), -0.05, 1e-9);  // 4 % below new, 3 % above base
  EXPECT_NEAR(std::log(ratio.high), std::hypot(0.02, 0.01), 1e-9);
}

TEST(TimeRatio, TheOtherWayRoundIsItsInverse) {
  Normal normal(3);
  for (const std::size_t runs : {1U, 2U, 5U}) {
    const auto one = side(normal, runs, 0.01, 0);
    const auto other = side(normal, runs + 1, 0.01, 0.1);
    const Variation usual{0.002, 0.004, 0};
    const Ratio there = time_ratio(one, other, usual);
    const Ratio back = time_ratio(other, one, usual);
    EXPECT_NEAR(there.value * back.value, 1, 1e-12);
    EXPECT_NEAR(there.low * back.high, 1, 1e-9);
    EXPECT_NEAR(there.high * back.low, 1, 1e-9);
  }
}

TEST(TimeRatio, ASinglePlacementMayBeABadOne) {
  const Variation usual{0.001, 0.004, 0.35};
  const Ratio single = time_ratio(one_exact(1), one_exact(1.3), usual);
  EXPECT_TRUE(single.one_placement);
  EXPECT_EQ(judge(single, 0.01), Change::ambiguous);
  EXPECT_EQ(judge(time_ratio(one_exact(1), one_exact(1.5), usual), 0.01), Change::slower);
  const std::vector<RunLevels> three{RunLevels(3, Level{1, 1, 1})};
  const std::vector<RunLevels> slower{RunLevels(3, Level{1.1, 1.1, 1.1})};
  EXPECT_EQ(judge(time_ratio(three, slower, usual), 0.01), Change::slower);
}

TEST(TimeRatio, OneBadRunOfFiveDecidesNothing) {
  Normal normal(11);
  const Variation usual{0.001, 0.004, 0.35};
  for (int i = 0; i < 200; ++i) {
    auto base = side(normal, 5, 0.003, 0);
    const auto fresh = side(normal, 5, 0.003, 0.1);
    base[static_cast<std::size_t>(i % 5)] = {run_of(normal, std::log(1.3), 0.005)};
    EXPECT_EQ(judge(time_ratio(base, fresh, usual), 0.01), Change::slower);
  }
}

TEST(TimeRatio, RefusesEmptySides) {
  EXPECT_THROW((void)time_ratio({}, one_exact(1), {}), std::invalid_argument);
  EXPECT_THROW((void)time_ratio(std::vector<RunLevels>{{}}, one_exact(1), {}),
               std::invalid_argument);
}

TEST(Judge, NeedsTheWholeInterval) {
  EXPECT_EQ(judge({1.05, 1.011, 1.09}, 0.01), Change::slower);
  EXPECT_EQ(judge({1.05, 1.009, 1.09}, 0.01), Change::ambiguous);
  EXPECT_EQ(judge({0.95, 0.91, 0.989}, 0.01), Change::faster);
  EXPECT_EQ(judge({1.0, 0.992, 1.009}, 0.01), Change::same);
  EXPECT_EQ(judge({1.0, 0.98, 1.009}, 0.01), Change::ambiguous);
  EXPECT_EQ(judge({1.03, 1.02, 1.04}, 0.05), Change::same);  // longer, but by less than it is about
}

// ---- simulated ----

TEST(SimulatedRuns, OfOneThingAreSeldomCalledOtherwise) {
  const Variation usual{0, 0.01, 0};
  for (const std::size_t runs : {1U, 3U, 5U, 10U}) {
    // 2.5 % on each side at most, whatever the threshold; 2000 tries scatter by 0.35 %.
    EXPECT_LT(share(Change::slower, runs, 0.01, 0, 0, usual), 0.035) << runs;
    EXPECT_LT(share(Change::faster, runs, 0.01, 0, 0, usual), 0.035) << runs;
  }
}

TEST(SimulatedRuns, AreEstimatedWhereTheUsualIsWrong) {
  // Four times as much as is assumed: single runs can't know, repetitions tell.
  const Variation usual{0, 0.0025, 0};
  EXPECT_GT(share(Change::slower, 1, 0.01, 0, 0, usual), 0.1);
  EXPECT_LT(share(Change::slower, 5, 0.01, 0, 0, usual), 0.035);
  // And a tenth of it: repetitions see what single runs may not.
  const Variation cautious{0, 0.02, 0};
  EXPECT_LT(share(Change::slower, 1, 0.002, 0.03, 0.01, cautious), 0.01);
  EXPECT_GT(share(Change::slower, 5, 0.002, 0.03, 0.01, cautious), 0.99);
}

TEST(SimulatedRuns, OfTwoModesAreSeldomCalledOtherwise) {
  // Each run takes 1 or 1.1, by chance, and 0.2 % of noise: there is one thing only.
  const Variation usual{0.003, 0.007, 0};
  for (const double often : {0.5, 0.3, 0.1}) {
    for (const std::size_t runs : {3U, 5U, 7U, 10U}) {
      Normal normal(runs);
      std::mt19937_64 bits(runs * 100 + 3);
      std::array<int, 4> found{};
      const auto one_side = [&] {
        std::vector<RunLevels> out;
        for (std::size_t i = 0; i < runs; ++i) {
          const bool slow = static_cast<double>(bits() >> 11U) * 0x1p-53 < often;
          out.push_back({run_of(normal, (slow ? std::log(1.1) : 0) + 0.002 * normal(), 0.0005)});
        }
        return out;
      };
      constexpr int kTimes = 1000;
      for (int i = 0; i < kTimes; ++i) {
        const auto base = one_side();
        const auto fresh = one_side();
        ++found.at(static_cast<std::size_t>(judge(time_ratio(base, fresh, usual), 0.01)));
      }
      EXPECT_LT(found[static_cast<std::size_t>(Change::slower)], 0.035 * kTimes)
          << runs << " runs, " << often;
      EXPECT_LT(found[static_cast<std::size_t>(Change::faster)], 0.035 * kTimes)
          << runs << " runs, " << often;
    }
  }
}

TEST(SimulatedRuns, SlowdownsAreFoundAsOftenAsComputed) {
  // Deviation of the ratio of single runs: sqrt(2 (0.2 %^2 + 0.125 %^2)) = 0.334 %, the median of
  // 25 samples of 0.5 % noise being 0.125 % off. The interval reaches 2.306 x 0.283 % for the runs
  // and some 0.35 % for the noise beyond the threshold of 1 %: 1.74 %. ln 1.03 = 2.96 % lies 3.6
  // deviations above that, ln 1.02 = 1.98 % only 0.7 (77 %).
  const Variation usual{0, 0.002, 0};
  EXPECT_GT(share(Change::slower, 1, 0.002, 0.03, 0.01, usual), 0.995);
  EXPECT_NEAR(share(Change::slower, 1, 0.002, 0.02, 0.01, usual), 0.77, 0.12);
  EXPECT_LT(share(Change::slower, 1, 0.002, 0.01, 0.01, usual), 0.03);
  // Runs that scatter by 2.5 % tell 10 % apart with three a side seldom, with ten nearly always.
  const Variation rough{0, 0.025, 0};
  EXPECT_LT(share(Change::slower, 1, 0.025, 0.1, 0.01, rough), 0.7);
  EXPECT_GT(share(Change::slower, 10, 0.025, 0.1, 0.01, rough), 0.97);
}

TEST(SimulatedRuns, SameIsShownNotAssumed) {
  const Variation usual{0, 0.002, 0};
  EXPECT_GT(share(Change::same, 5, 0.002, 0, 0.01, usual), 0.9);
  // What is 1 % slower is never the same within 1 % but by the error of the interval.
  EXPECT_LT(share(Change::same, 5, 0.002, 0.011, 0.01, usual), 0.035);
  const Variation rough{0, 0.025, 0};
  EXPECT_EQ(share(Change::same, 1, 0.025, 0, 0.01, rough), 0);
}

// ---- what decides the usual variation ----

TEST(VariationKind, FollowsWhatATimeDependsOn) {
  const auto of = [](const Workload& workload, std::optional<Bound> bound = {},
                     bool near_ridge = false) {
    Record record;
    record.workload = workload;
    record.account = account(workload);
    record.placement.bound = bound;
    record.placement.near_ridge = near_ridge;
    return variation_kind(record);
  };
  EXPECT_EQ(of(PeakProbe{}), VariationKind::arithmetic);
  EXPECT_EQ(of(Launch{}), VariationKind::call);
  EXPECT_EQ(of(Transfer{.bytes = 1000}), VariationKind::memory);
  EXPECT_EQ(of(Stream{.elements = 1000}), VariationKind::memory);
  EXPECT_EQ(of(Stream{.elements = 1000, .level = Boundary::l3}), VariationKind::memory);
  EXPECT_EQ(of(Stream{.elements = 1000, .level = Boundary::l2}), VariationKind::cache);
  const Gemm gemm{.m = 64, .n = 64, .k = 64};
  EXPECT_EQ(of(gemm, Bound::compute), VariationKind::product);
  EXPECT_EQ(of(gemm, Bound::compute, true), VariationKind::memory);
  EXPECT_EQ(of(gemm, Bound::memory), VariationKind::memory);
  EXPECT_EQ(of(gemm), VariationKind::memory);
  EXPECT_EQ(of(gemm, Bound::overhead), VariationKind::call);
}

TEST(UsualVariation, IsLargerWhereMoreDiffers) {
  const auto sum = [](VariationKind kind, const RunsOn& on) {
    const Variation usual = usual_variation(kind, on);
    return usual.session + usual.repetition;
  };
  const RunsOn cycles{false, false, true};
  EXPECT_LT(sum(VariationKind::arithmetic, cycles), sum(VariationKind::product, cycles));
  EXPECT_LT(sum(VariationKind::product, cycles), sum(VariationKind::memory, cycles));
  EXPECT_LT(sum(VariationKind::arithmetic, cycles), sum(VariationKind::arithmetic, {}));
  EXPECT_LT(sum(VariationKind::arithmetic, cycles),
            sum(VariationKind::arithmetic, {false, true, true}));
  EXPECT_EQ(sum(VariationKind::memory, cycles), sum(VariationKind::memory, {}));
  EXPECT_GT(usual_variation(VariationKind::cache, cycles).rare, 0.3);
  EXPECT_EQ(usual_variation(VariationKind::cache, {true, false, false}).rare,
            usual_variation(VariationKind::cache, cycles).rare);
  EXPECT_EQ(usual_variation(VariationKind::memory, {true, false, false}).rare, 0);
}

// ---- repetitions of a record ----

Measured measured(std::uint64_t repetition, double time, std::size_t samples = 9) {
  std::vector<Sample> out(samples);
  for (Sample& sample : out) {
    sample.duration = second(time);
    sample.repetition = repetition;
  }
  Measured result = summarise(std::move(out), MeasurementEnd::converged, 0.95);
  result.verification.state = VerificationState::verified;
  return result;
}

Record record_of(Outcome outcome) {
  Record out;
  out.outcome = std::move(outcome);
  return out;
}

TEST(Repetitions, JoinTheirSamples) {
  Record all = record_of(measured(1, 1.0));
  add_repetition(all, record_of(measured(2, 1.2)));
  add_repetition(all, record_of(measured(3, 1.1)));
  const auto& together = std::get<Measured>(all.outcome);
  EXPECT_EQ(together.samples.size(), 27U);
  EXPECT_DOUBLE_EQ(in_second(together.time_median), 1.1);
  // Repetitions may lie apart, each of them is steady.
  EXPECT_EQ(together.end, MeasurementEnd::converged);
  EXPECT_EQ(together.verification.state, VerificationState::verified);
  EXPECT_EQ(repetitions_of(all), (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(Repetitions, DriftWithinOneIsSeen) {
  Record all = record_of(measured(1, 1.0));
  Measured drifting = measured(2, 1.0, 12);
  for (std::size_t i = 8; i < 12; ++i) drifting.samples[i].duration = second(1.1);
  add_repetition(all, record_of(drifting));
  EXPECT_EQ(std::get<Measured>(all.outcome).end, MeasurementEnd::unsettled);
}

TEST(Repetitions, AFailureIsTheWholePoints) {
  Record all = record_of(measured(1, 1.0));
  add_repetition(all, record_of(Incorrect{{VerificationState::incorrect, "3 values"}}));
  EXPECT_TRUE(std::holds_alternative<Incorrect>(all.outcome));
  add_repetition(all, record_of(measured(3, 1.0)));
  EXPECT_TRUE(std::holds_alternative<Incorrect>(all.outcome));
}

TEST(Repetitions, WhatWasCutShortIsLeftOut) {
  Record all = record_of(measured(1, 1.0));
  Measured cut = measured(2, 5.0);
  cut.end = MeasurementEnd::interrupted;
  add_repetition(all, record_of(cut));
  add_repetition(all, record_of(Skipped{"no budget"}));
  EXPECT_EQ(repetitions_of(all), std::vector<std::uint64_t>{1});
  Record first_cut = record_of(cut);
  add_repetition(first_cut, record_of(measured(3, 1.0)));
  EXPECT_EQ(repetitions_of(first_cut), std::vector<std::uint64_t>{3});
}

}  // namespace
}  // namespace roofline
