// Fits recover the law that the times were made by, and say nothing where there is none.
#include "roofline/time_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace roofline {
namespace {

std::vector<TimedTraffic> line(double overhead_s, double byte_per_s,
                               const std::vector<double>& sizes, double noise = 0) {
  std::vector<TimedTraffic> out;
  double sign = 1;
  for (const double size : sizes) {
    out.push_back({byte(size), second((overhead_s + size / byte_per_s) * (1 + sign * noise))});
    sign = -sign;
  }
  return out;
}

TEST(TimeModel, RecoversOverheadAndBandwidth) {
  const auto fit = fit_time(line(2e-6, 1e11, {1e4, 1e5, 1e6, 1e7, 1e8}));
  ASSERT_TRUE(fit.has_value());
  EXPECT_NEAR(in_second(fit->overhead), 2e-6, 1e-12);
  EXPECT_NEAR(in_byte_per_s(fit->bandwidth), 1e11, 1e3);
  EXPECT_LT(fit->worst_error, 1e-9);
  EXPECT_EQ(fit->points, 5U);
}

TEST(TimeModel, NoiseInLargeCallsDoesNotDrownTheOverheadOfSmallOnes) {
  // 1 % of the largest call is 10 us, five times the overhead that is looked for.
  const auto fit = fit_time(line(2e-6, 1e11, {1e4, 3e4, 1e5, 1e6, 1e7, 1e8}, 0.01));
  ASSERT_TRUE(fit.has_value());
  EXPECT_NEAR(in_second(fit->overhead), 2e-6, 0.1e-6);
}

TEST(TimeModel, AnOverheadIsNeverNegative) {
  // Small calls that are faster than the slope of the large ones: cached a little.
  const auto fit = fit_time(std::vector<TimedTraffic>{
      {byte(1e6), second(0.8e-5)}, {byte(1e7), second(1e-4)}, {byte(1e8), second(1e-3)}});
  ASSERT_TRUE(fit.has_value());
  EXPECT_EQ(in_second(fit->overhead), 0);
  EXPECT_GT(fit->worst_error, 0.1) << "and the misfit shows";
}

TEST(TimeModel, TooLittleOrNonsenseIsNoFit) {
  EXPECT_FALSE(fit_time({}).has_value());
  EXPECT_FALSE(fit_time(line(1e-6, 1e11, {1e6, 2e6})).has_value());
  EXPECT_FALSE(fit_time(line(1e-6, 1e11, {1e6, 1e6, 1e6, 1e6})).has_value()) << "one size";
  EXPECT_FALSE(fit_time(line(1e-6, 1e11, {0, 1e6, 2e6})).has_value());
  auto broken = line(1e-6, 1e11, {1e6, 2e6, 3e6});
  broken[1].time = second(std::nan(""));
  EXPECT_FALSE(fit_time(broken).has_value());
}

Record stream(double elements, double seconds, const std::string& level,
              StreamKind kind = StreamKind::read) {
  Record out;
  out.workload = Stream{.kind = kind, .elements = static_cast<std::uint64_t>(elements)};
  out.account = account(out.workload);
  Measured measured;
  measured.time_median = second(seconds);
  measured.end = MeasurementEnd::converged;
  out.outcome = measured;
  out.implementation = {{"level", level}};
  return out;
}

// 8 bytes an element; 0.5 us + 200 GB/s in L2, 40 GB/s from DRAM.
std::vector<Record> staircase() {
  std::vector<Record> out;
  for (const double n : {50e3, 55e3, 60e3, 65e3})
    out.push_back(stream(n, 0.5e-6 + 8 * n / 2e11, "l2"));
  for (const double n : {40e6, 80e6, 160e6})
    out.push_back(stream(n, 0.5e-6 + 8 * n / 4e10, "dram"));
  out.push_back(stream(2e6, 1, "between l2 and l3"));
  out.push_back(stream(80e6, 9e-9, "dram", StreamKind::copy));
  return out;
}

TEST(TimeModel, FitsEveryLevelByItself) {
  const auto fits = fit_streams(staircase());
  ASSERT_EQ(fits.size(), 2U);
  EXPECT_EQ(fits[0].name, "stream/fp64/read");
  EXPECT_EQ(fits[0].level, Boundary::l2);
  EXPECT_NEAR(in_gb_per_s(fits[0].bandwidth), 200, 1e-3);
  EXPECT_EQ(fits[1].level, Boundary::dram);
  EXPECT_NEAR(in_gb_per_s(fits[1].bandwidth), 40, 1e-3);
}

TEST(TimeModel, APointIsPredictedWithoutItself) {
  auto points = staircase();
  // This one took twice as long as the law says; were it part of its own fit, it would pull it.
  auto& odd = std::get<Measured>(points[1].outcome);
  const Seconds lawful = odd.time_median;
  odd.time_median = 2 * lawful;
  const auto predicted = predicted_by_others(points[1], points);
  ASSERT_TRUE(predicted.has_value());
  EXPECT_NEAR(*predicted / lawful, 1, 1e-9);
  EXPECT_FALSE(predicted_by_others(points[7], points).has_value()) << "in a transition";
  EXPECT_FALSE(predicted_by_others(points[8], points).has_value()) << "alone";
}

TEST(TimeModel, DisturbedPointsSayNothing) {
  auto points = staircase();
  for (int i = 0; i < 2; ++i)
    std::get<Measured>(points[static_cast<std::size_t>(i)].outcome).end = MeasurementEnd::contended;
  EXPECT_EQ(fit_streams(points).size(), 1U) << "two sizes are left in L2";
}

TEST(TimeModel, ArithmeticMayTakeLongerThanTheBytes) {
  TimeFit fit;
  fit.overhead = second(1e-6);
  fit.bandwidth = gb_per_s(100);
  const Account triad = account(Stream{.kind = StreamKind::triad, .elements = 1000});
  // 24 kB at 100 GB/s are 240 ns; 2000 FLOP at 2 GFLOP/s are 1 us.
  EXPECT_NEAR(in_second(predicted_time(fit, triad, std::nullopt)), 1.24e-6, 1e-12);
  ComputeRoof slow;
  slow.peak = flop_per_s(2e9);
  EXPECT_NEAR(in_second(predicted_time(fit, triad, slow)), 2e-6, 1e-12);
}

}  // namespace
}  // namespace roofline
