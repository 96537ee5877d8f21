#include "measure/sampling.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fake_backend.hpp"

namespace roofline::measure {
namespace {

using test::FakeBackend;

const Workload kCopy =
    Stream{.kind = StreamKind::copy, .elements = 1'000'000};  // 16 MB: 160 us on the fake

/// One point all by itself, turn after turn.
std::optional<Measured> sample(backend::PreparedRun& run, const SamplingPlan& plan,
                               const StopRequested& stop) {
  Sampler sampler(run, plan);
  if (!sampler.warm_up(stop)) return std::nullopt;
  while (!sampler.end()) {
    if (!sampler.turn(stop)) return std::nullopt;
  }
  return sampler.result(MeasurementEnd::interrupted);
}

Measured run(FakeBackend& backend, const SamplingPlan& plan = {}) {
  const auto prepared = backend.prepare(kCopy, backend.devices().front());
  auto out = sample(*prepared, plan, {});
  EXPECT_TRUE(out.has_value());
  return *out;
}

TEST(Sampling, ConvergesOnSteadyTimesAndKeepsEverySample) {
  FakeBackend backend;
  const Measured out = run(backend);
  EXPECT_EQ(out.end, MeasurementEnd::converged);
  // Enough by the third turn at the latest, and none is begun for nothing.
  EXPECT_GE(out.samples.size(), SamplingPlan{}.min_samples);
  EXPECT_LE(out.samples.size(), SamplingPlan{}.min_samples + 3);
  EXPECT_NEAR(in_second(out.time_median), 160e-6, 1e-12);
  EXPECT_EQ(out.noise, 0);
  for (const Sample& s : out.samples) EXPECT_GE(in_second(s.duration), 0.015 * (1 - 1e-9));
}

TEST(Sampling, SlowStartIsWarmUpNotResult) {
  FakeBackend backend;
  backend.behaviour.slowness = [](std::size_t call) { return call < 3 ? 50.0 : 1.0; };
  EXPECT_NEAR(in_second(run(backend).time_median), 160e-6, 1e-12);
}

TEST(Sampling, AFasterRateThanCalibratedMakesNoShortSamples) {
  FakeBackend backend;
  // Another program's work ends with the warm-up, or starts and ends again later.
  backend.behaviour.slowness = [](std::size_t call) { return call < 8 || call == 12 ? 4.0 : 1.0; };
  const Measured out = run(backend);
  ASSERT_GE(out.samples.size(), kFewestSamples);
  for (const Sample& s : out.samples) EXPECT_GE(in_second(s.duration), 0.75 * 0.015);
}

TEST(Sampling, NoiseIsReportedAndTheBudgetEndsIt) {
  FakeBackend backend;
  backend.behaviour.slowness = [](std::size_t call) {
    return 1.0 + 0.2 * static_cast<double>(call % 5);
  };
  const Measured out = run(backend, {.budget = second(0.5), .target = 0.001});
  EXPECT_EQ(out.end, MeasurementEnd::budget_spent);
  double spent = 0;
  for (const Sample& s : out.samples) spent += in_second(s.duration);
  EXPECT_GE(spent, 0.5);
  EXPECT_LT(spent, 0.6);
  EXPECT_GT(out.noise, 0.05);
  ASSERT_TRUE(out.time_interval.has_value());
  EXPECT_LE(out.time_interval->low, in_second(out.time_median));
  EXPECT_GE(out.time_interval->high, in_second(out.time_median));
}

TEST(Sampling, DisturbedSamplesAreKeptButDoNotCount) {
  FakeBackend backend;
  // Every third sample lost its CPU and took four times as long.
  backend.behaviour.slowness = [](std::size_t call) { return call % 3 == 0 ? 4.0 : 1.0; };
  backend.behaviour.clean = [](std::size_t call) { return call % 3 != 0; };
  const Measured out = run(backend);
  EXPECT_NEAR(in_second(out.time_median), 160e-6, 1e-12);
  const auto dirty = std::count_if(out.samples.begin(), out.samples.end(),
                                   [](const Sample& s) { return !s.clean(); });
  EXPECT_GT(dirty, 0);
  EXPECT_NE(out.end, MeasurementEnd::contended);
}

TEST(Sampling, NothingButDisturbedSamplesIsContended) {
  FakeBackend backend;
  backend.behaviour.clean = [](std::size_t) { return false; };
  const SamplingPlan plan{.budget = second(0.1)};
  const Measured out = run(backend, plan);
  EXPECT_EQ(out.end, MeasurementEnd::contended);
  double spent = 0;
  for (const Sample& s : out.samples) spent += in_second(s.duration);
  EXPECT_LE(spent, 0.5) << "patience has an end";
}

TEST(Sampling, CallsLongerThanTheBudgetGetThreeSamples) {
  FakeBackend backend;
  backend.behaviour.overhead_s = 2.0;
  const Measured out = run(backend, {.budget = second(0.5)});
  EXPECT_EQ(out.samples.size(), 3U);
  EXPECT_EQ(out.samples.front().iterations, 1U);
  EXPECT_NE(out.end, MeasurementEnd::contended);
}

TEST(Sampling, StopEndsWithNothing) {
  FakeBackend backend;
  const auto prepared = backend.prepare(kCopy, backend.devices().front());
  int asked = 0;
  EXPECT_FALSE(sample(*prepared, {}, [&] { return ++asked > 4; }).has_value());
}

TEST(Sampling, AClockThatStandsStillIsAnErrorNotALoop) {
  FakeBackend backend;
  backend.behaviour.slowness = [](std::size_t) { return 0.0; };
  const auto prepared = backend.prepare(kCopy, backend.devices().front());
  EXPECT_THROW((void)sample(*prepared, {}, {}), backend::BackendError);
}

TEST(Sampling, EstimateCoversWarmUpAndBudget) {
  const SamplingPlan plan{.warm_up = second(0.1), .budget = second(1)};
  const double expected = in_second(estimate(account(kCopy), plan));
  EXPECT_GE(expected, 1.1);
  EXPECT_LE(expected, 2.0);
  // A call of two seconds is verified, warmed up and sampled three times.
  EXPECT_GE(in_second(estimate(account(kCopy), plan, second(2))), 2 + 2 + 6);
}

}  // namespace
}  // namespace roofline::measure
