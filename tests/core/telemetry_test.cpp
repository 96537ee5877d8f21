#include "roofline/telemetry.hpp"

#include <gtest/gtest.h>

#include <set>

#include "roofline/sample_summary.hpp"

namespace roofline {
namespace {

Sample seen(double power_w, double temperature_c, ClockEvents events) {
  Sample out{.duration = second(0.015)};
  out.telemetry = {hertz(1.4e9), power_w, temperature_c, events};
  if (throttled(out.telemetry)) out.disturbance = Disturbance::throttled;
  return out;
}

TEST(Telemetry, EventsHaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  ClockEvents all;
  for (const ClockEvent event : clock_events()) {
    EXPECT_TRUE(names.insert(name(event)).second);
    EXPECT_EQ(find_clock_event(name(event)), event);
    EXPECT_FALSE(all.has(event));
    all.add(event);
    EXPECT_TRUE(all.has(event));
  }
  EXPECT_EQ(all.list().size(), clock_events().size());
  EXPECT_FALSE(find_clock_event("idle"));
  EXPECT_TRUE(ClockEvents{}.empty());
  EXPECT_TRUE(ClockEvents{}.list().empty());
}

TEST(Telemetry, HeatAndBrakesThrottleAndThePowerLimitDoesNot) {
  for (const ClockEvent event : clock_events()) {
    const bool expected = event == ClockEvent::hw_slowdown || event == ClockEvent::sw_thermal ||
                          event == ClockEvent::hw_thermal || event == ClockEvent::hw_power_brake;
    Telemetry telemetry;
    telemetry.events = ClockEvents{event};
    EXPECT_EQ(throttled(telemetry), expected) << name(event);
    EXPECT_EQ(power_capped(telemetry), event == ClockEvent::sw_power_cap) << name(event);
  }
  EXPECT_FALSE(throttled({}) || power_capped({})) << "what is not known is no accusation";
}

TEST(Telemetry, ASummaryHasMediansTheHottestAndAllEvents) {
  const std::vector<Sample> samples = {
      seen(600, 60, {}), seen(640, 62, {ClockEvent::sw_power_cap}), seen(650, 64, {}),
      seen(300, 91, {ClockEvent::hw_thermal}),  // marked, and so no part of the medians
      seen(620, 61, {})};
  const Telemetry out = summarise(samples, MeasurementEnd::converged, 0.95).telemetry;
  EXPECT_EQ(out.power_w, 630.0);
  EXPECT_EQ(out.temperature_c, 91.0);
  EXPECT_EQ(out.clock, hertz(1.4e9));
  EXPECT_EQ(out.events, (ClockEvents{ClockEvent::sw_power_cap, ClockEvent::hw_thermal}));
}

TEST(Telemetry, WhatNoSampleHasStaysUnknown) {
  std::vector<Sample> samples(4, Sample{.duration = second(0.015)});
  EXPECT_EQ(summarise(samples, MeasurementEnd::converged, 0.95).telemetry, Telemetry{});
  samples[1].telemetry.power_w = 250;
  const Telemetry out = summarise(samples, MeasurementEnd::converged, 0.95).telemetry;
  EXPECT_EQ(out.power_w, 250.0);
  EXPECT_FALSE(out.events || out.clock || out.temperature_c);
}

// B063: a card that is at its power limit all the time.
TEST(Telemetry, B063_APowerLimitInEverySampleSpoilsNone) {
  const std::vector<Sample> samples(9, seen(350, 70, {ClockEvent::sw_power_cap}));
  const Measured out = summarise(samples, MeasurementEnd::converged, 0.95);
  EXPECT_EQ(out.end, MeasurementEnd::converged);
  for (const Sample& sample : out.samples) EXPECT_TRUE(sample.clean());
  EXPECT_EQ(out.telemetry.events, ClockEvents{ClockEvent::sw_power_cap}) << "and is said";
}

// nvbench #193: everything discarded must not end in NaN.
TEST(Telemetry, HeatInEverySampleIsAnEndWithFigures) {
  const std::vector<Sample> samples(9, seen(350, 95, {ClockEvent::sw_thermal}));
  const Measured out = summarise(samples, MeasurementEnd::converged, 0.95);
  EXPECT_EQ(out.end, MeasurementEnd::throttled);
  EXPECT_FALSE(trusted(out.end));
  EXPECT_DOUBLE_EQ(in_second(out.time_median), 0.015);
  EXPECT_EQ(out.noise, 0);
}

}  // namespace
}  // namespace roofline
