#include "roofline/sample_summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace roofline {
namespace {

Sample timed(double seconds, std::string placement = {}, std::optional<double> hz = {}) {
  Sample out{.duration = second(seconds)};
  out.placement = std::move(placement);
  if (hz) out.clock = hertz(*hz);
  return out;
}

Sample disturbed(double seconds, Disturbance by) {
  Sample out = timed(seconds);
  out.disturbance = by;
  return out;
}

std::vector<Sample> repeat(std::size_t count, const Sample& sample) {
  std::vector<Sample> out;
  out.assign(count, sample);
  return out;
}

std::vector<Sample> operator+(std::vector<Sample> a, const std::vector<Sample>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::ptrdiff_t marked(const Measured& measured, Disturbance disturbance) {
  return std::count_if(measured.samples.begin(), measured.samples.end(),
                       [&](const Sample& s) { return s.disturbance == disturbance; });
}

Measured summary(const std::vector<Sample>& samples) {
  return summarise(samples, MeasurementEnd::converged, 0.95);
}

TEST(SampleSummary, TheTimeOfACallIsTheSampleOverItsIterations) {
  Sample ten = timed(5);
  ten.iterations = 10;
  const Measured out = summary(repeat(6, ten));
  EXPECT_DOUBLE_EQ(in_second(out.time_median), 0.5);
  EXPECT_DOUBLE_EQ(in_second(out.time_min), 0.5);
  ASSERT_TRUE(out.time_interval.has_value());
  EXPECT_EQ(out.end, MeasurementEnd::converged);
  EXPECT_FALSE(out.clock.has_value());
}

TEST(SampleSummary, B051_OneFastSampleIsNoHeadline) {
  // 1 GB in ms: by its fastest sample 322 GB/s, on a machine that moves 100.
  std::vector<Sample> samples;
  for (const double ms : {10.0, 10.1, 9.9, 10.0, 3.1}) samples.push_back(timed(ms * 1e-3));
  const Measured out = summary(samples);
  EXPECT_DOUBLE_EQ(1e9 / in_second(out.time_median), 100e9);
  EXPECT_DOUBLE_EQ(in_second(out.time_min), 3.1e-3);
  ASSERT_EQ(out.samples.size(), samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i)
    EXPECT_EQ(out.samples[i].duration, samples[i].duration) << "all of them, in their order";
}

TEST(SampleSummary, PlacementsAreNeverAveraged) {
  // Bandwidth of two threads flips between two modes as the host moves the CPUs: 1.0 and 1.7 s.
  const Measured out = summary(repeat(7, timed(1.0, "far")) + repeat(5, timed(1.7, "near")));
  EXPECT_DOUBLE_EQ(in_second(out.time_median), 1.0);
  EXPECT_EQ(out.noise, 0);
  EXPECT_EQ(out.placement, "far");
  EXPECT_EQ(marked(out, Disturbance::moved), 5);
  EXPECT_EQ(out.samples.size(), 12U);
  EXPECT_EQ(out.end, MeasurementEnd::converged);
}

TEST(SampleSummary, TooFewOfAnyPlacementIsUnstable) {
  std::vector<Sample> samples;
  for (const char* placement : {"a", "b", "c", "a", "b", "c"})
    samples.push_back(timed(1, placement));
  const Measured out = summary(samples);
  EXPECT_EQ(out.end, MeasurementEnd::placement_unstable);
  EXPECT_FALSE(trusted(out.end));
}

TEST(SampleSummary, AFewThrottledSamplesAreLeftOut) {
  const Measured out = summary(repeat(9, timed(1, "", 4e9)) + repeat(3, timed(2, "", 2e9)));
  EXPECT_DOUBLE_EQ(in_second(out.time_median), 1);
  EXPECT_DOUBLE_EQ(in_second(out.time_min), 1);
  EXPECT_EQ(marked(out, Disturbance::throttled), 3);
  EXPECT_DOUBLE_EQ(in_hertz(*out.clock), 4e9);
  EXPECT_EQ(out.end, MeasurementEnd::converged);
}

TEST(SampleSummary, AClockThatStaysDownIsSaidNotDiscarded) {
  // Throwing every throttled sample away would leave nothing to divide by.
  const Measured out = summary(repeat(3, timed(1, "", 4e9)) + repeat(9, timed(2, "", 2e9)));
  EXPECT_EQ(out.end, MeasurementEnd::throttled);
  EXPECT_DOUBLE_EQ(in_second(out.time_median), 2);
  EXPECT_DOUBLE_EQ(in_hertz(*out.clock), 2e9);
  EXPECT_EQ(marked(out, Disturbance::throttled), 0);
}

TEST(SampleSummary, AClockThatWandersALittleIsNoThrottling) {
  const Measured out = summary(repeat(6, timed(1, "", 4.3e9)) + repeat(6, timed(1.03, "", 4.15e9)));
  EXPECT_EQ(out.end, MeasurementEnd::converged);
  EXPECT_EQ(marked(out, Disturbance::throttled), 0);
}

TEST(SampleSummary, OneUnknownClockSaysNothingOfThrottling) {
  const Measured out =
      summary(repeat(8, timed(1, "", 4e9)) + repeat(2, timed(2, "", 2e9)) + repeat(1, timed(1)));
  EXPECT_EQ(marked(out, Disturbance::throttled), 0);
}

TEST(SampleSummary, WhatSpoilsMostSamplesIsTheEnd) {
  const auto end_of = [](const std::vector<Sample>& samples) { return summary(samples).end; };
  EXPECT_EQ(end_of(repeat(5, disturbed(1, Disturbance::contended)) + repeat(2, timed(1))),
            MeasurementEnd::contended);
  EXPECT_EQ(end_of(repeat(5, disturbed(1, Disturbance::moved))),
            MeasurementEnd::placement_unstable);
  EXPECT_EQ(end_of(repeat(5, disturbed(1, Disturbance::throttled))), MeasurementEnd::throttled);
  EXPECT_EQ(end_of(repeat(5, disturbed(1, Disturbance::contended)) + repeat(3, timed(1))),
            MeasurementEnd::converged)
      << "three that count are a figure";
}

TEST(SampleSummary, AContendedFigureIsOfAllThereIs) {
  const Measured out =
      summary(repeat(3, disturbed(4, Disturbance::contended)) + repeat(2, timed(1)));
  EXPECT_EQ(out.end, MeasurementEnd::contended);
  EXPECT_DOUBLE_EQ(in_second(out.time_median), 4);
}

/// `count` times around `level`, 1 % to either side in turn.
std::vector<Sample> around(double level, std::size_t count, double noise = 0.01) {
  std::vector<Sample> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(timed(level * (1 + (i % 2 == 0 ? noise : -noise))));
  return out;
}

TEST(SampleSummary, ARateThatMovedWhileItWasMeasuredIsUnsettled) {
  // A guest's memory rate, as its host's other guests let it: 40, 43, 43 GB/s.
  const Measured moved = summary(around(1 / 40.0, 10) + around(1 / 43.0, 20));
  EXPECT_EQ(moved.end, MeasurementEnd::unsettled);
  EXPECT_TRUE(trusted(moved.end)) << "it is a figure of its moment";
  const Measured back = summary(around(1.0, 10) + around(1.08, 10) + around(1.0, 10));
  EXPECT_EQ(back.end, MeasurementEnd::unsettled) << "and not only where it ends elsewhere";
}

TEST(SampleSummary, WithinItsNoiseARateIsSettled) {
  EXPECT_EQ(summary(around(1.0, 10) + around(1.02, 20)).end, MeasurementEnd::converged)
      << "2 % are what turns differ by";
  EXPECT_EQ(summary(around(1.0, 10, 0.1) + around(1.05, 20, 0.1)).end, MeasurementEnd::converged)
      << "5 % of 10 % noise";
  EXPECT_EQ(summary(around(1.0, 4) + around(1.2, 4)).end, MeasurementEnd::converged)
      << "thirds of two samples have no median to speak of";
}

TEST(SampleSummary, WhatSpoilsSamplesComesBeforeWhatUnsettlesThem) {
  const auto contended = repeat(20, disturbed(1, Disturbance::contended)) + around(2, 2);
  EXPECT_EQ(summary(contended).end, MeasurementEnd::contended);
  EXPECT_EQ(summarise(around(1, 10) + around(1.2, 20), MeasurementEnd::interrupted, 0.95).end,
            MeasurementEnd::interrupted);
}

TEST(SampleSummary, AnInterruptionIsNotExplainedAway) {
  EXPECT_EQ(
      summarise(repeat(3, disturbed(1, Disturbance::contended)), MeasurementEnd::interrupted, 0.95)
          .end,
      MeasurementEnd::interrupted);
}

TEST(SampleSummary, OneCleanSampleIsAFigureWithoutInterval) {
  const Measured out = summary(repeat(1, timed(2)));
  EXPECT_DOUBLE_EQ(in_second(out.time_median), 2);
  EXPECT_FALSE(out.time_interval.has_value());
  EXPECT_THROW((void)summary({}), std::invalid_argument);
}

}  // namespace
}  // namespace roofline
