// Bursts and sustained points: what the device rests, is loaded and is timed for, and what that
// does to the figures.
#include "measure/alone.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fake_backend.hpp"
#include "measure/sweep.hpp"

namespace roofline::measure {
namespace {

using test::FakeBackend;

struct Swept {
  std::vector<Record> records;
  SweepEnd end{};
};

Swept sweep(FakeBackend& backend, const std::vector<Workload>& workloads,
            const SweepSettings& settings = {}, const StopRequested& stop = {}) {
  Swept out;
  RoofBook book;
  const auto device = backend.devices().front();
  auto points = plan_sweep(backend, device, workloads, settings.plan, book);
  out.end = run_sweep(backend, device, std::move(points), settings, book,
                      {.running = {},
                       .finished = [&](const Record& r, Seconds) { out.records.push_back(r); },
                       .stop = stop});
  return out;
}

/// 1.07 ms on the fake.
Gemm product(LoadDuration duration, DType dtype = DType::fp32, std::uint64_t m = 512) {
  return {.m = m, .n = 1024, .k = 1024, .input = dtype, .duration = duration};
}

const Measured& measured(const Record& record) { return std::get<Measured>(record.outcome); }

const FactValue& fact(const Record& record, std::string_view key) {
  const auto found = std::find_if(record.implementation.begin(), record.implementation.end(),
                                  [&](const Fact& f) { return f.key == key; });
  if (found == record.implementation.end()) throw std::runtime_error("no such fact");
  return found->value;
}

double sampled(const Record& record) {
  double out = 0;
  for (const Sample& sample : measured(record).samples) out += in_second(sample.duration);
  return out;
}

/// A device whose power limit is met after `after` of load: everything takes a quarter longer.
void limit_power(FakeBackend& backend, Seconds after) {
  backend.heat = [after](Seconds load) { return load < after ? 1.0 : 1.25; };
}

TEST(Alone, ABurstIsFasterThanWhatIsSustained) {
  FakeBackend backend;
  limit_power(backend, second(0.7));
  const Swept out =
      sweep(backend, {product(LoadDuration::sustained), product(LoadDuration::burst)});
  ASSERT_EQ(out.records.size(), 2U);
  const Record& burst = out.records[0];
  const Record& sustained = out.records[1];
  ASSERT_EQ(load_duration(burst.workload), LoadDuration::burst) << "before what heats the device";
  const double ratio =
      in_second(measured(sustained).time_median) / in_second(measured(burst).time_median);
  EXPECT_NEAR(ratio, 1.25, 1e-9);
  EXPECT_EQ(measured(burst).end, MeasurementEnd::converged);
  EXPECT_EQ(measured(sustained).end, MeasurementEnd::converged);
}

TEST(Alone, WhereTheClockHoldsBothAreTheSame) {
  for (const double after : {0.0, 1000.0}) {  // met at once, and never
    FakeBackend backend;
    limit_power(backend, second(after));
    const Swept out =
        sweep(backend, {product(LoadDuration::sustained), product(LoadDuration::burst)});
    EXPECT_NEAR(in_second(measured(out.records[0]).time_median),
                in_second(measured(out.records[1]).time_median), 1e-12);
  }
}

TEST(Alone, ABurstIsOfTheFirstHalfSecondAfterARest) {
  FakeBackend backend;
  const Swept out = sweep(backend, {product(LoadDuration::burst)});
  EXPECT_NEAR(in_second(backend.rested), 2, 1e-9);
  EXPECT_LE(in_second(backend.load), 0.5 + 0.016) << "of load since the rest";
  EXPECT_GE(in_second(backend.load), 0.5 - 0.032);
  EXPECT_GE(sampled(out.records[0]), 0.4);
  EXPECT_EQ(std::get<double>(fact(out.records[0], "rest_s")), 2.0);
  EXPECT_EQ(std::get<std::uint64_t>(fact(out.records[0], "bursts")), 1U);
  // What had to be found out first was found out before the rest.
  const auto rest = std::find(backend.log.begin(), backend.log.end(), "rest");
  EXPECT_GT(std::count(backend.log.begin(), rest, "time gemm"), 0);
  EXPECT_GT(std::count(rest, backend.log.end(), "time gemm"), 9);
}

TEST(Alone, ASustainedFigureComesAfterThreeSecondsOfLoad) {
  FakeBackend backend;
  const Swept out = sweep(backend, {product(LoadDuration::sustained)});
  const Record& record = out.records[0];
  EXPECT_EQ(backend.rested, second(0));
  EXPECT_GE(std::get<double>(fact(record, "settling_s")), 3.0);
  EXPECT_LE(std::get<double>(fact(record, "settling_s")), 4.0);
  EXPECT_TRUE(std::get<bool>(fact(record, "settled")));
  EXPECT_GE(sampled(record), 2.0) << "the stated time, although it had converged long before";
  EXPECT_LE(sampled(record), 2.1);
}

TEST(Alone, ARateThatFallsForLongIsWaitedFor) {
  FakeBackend backend;
  // Heats up slowly: 2 % slower each half second at first, settled within 1 % after 5 s.
  backend.heat = [](Seconds load) { return 1.2 - 0.2 * std::exp(-in_second(load) / 2.5); };
  const Swept out = sweep(backend, {product(LoadDuration::sustained)});
  const double settling = std::get<double>(fact(out.records[0], "settling_s"));
  EXPECT_GT(settling, 3.4);
  EXPECT_LT(settling, 12.0);
  EXPECT_TRUE(std::get<bool>(fact(out.records[0], "settled")));
}

TEST(Alone, ARateThatNeverSettlesIsSaidAndBounded) {
  FakeBackend backend;
  backend.drift_per_s = 0.05;
  const Swept out = sweep(backend, {product(LoadDuration::sustained)});
  EXPECT_EQ(measured(out.records[0]).end, MeasurementEnd::unsettled);
  EXPECT_FALSE(std::get<bool>(fact(out.records[0], "settled")));
  const double settling = std::get<double>(fact(out.records[0], "settling_s"));
  EXPECT_GE(settling, 15.0);
  EXPECT_LE(settling, 16.5);
}

TEST(Alone, ClocksSettleOncePerType) {
  FakeBackend backend;
  std::vector<Workload> points;
  for (const std::uint64_t m : {256U, 512U, 1024U}) {
    for (const DType dtype : {DType::fp32, DType::bf16})
      points.emplace_back(product(LoadDuration::sustained, dtype, m));
  }
  const Swept out = sweep(backend, points);
  std::size_t at_length = 0;
  for (const Record& record : out.records)
    at_length += std::get<double>(fact(record, "settling_s")) >= 3 ? 1U : 0U;
  EXPECT_EQ(at_length, 2U);
  for (const std::size_t i : {0U, 3U})
    EXPECT_GE(std::get<double>(fact(out.records[i], "settling_s")), 3) << "the first of its type";
  for (const Record& record : out.records)
    EXPECT_GE(std::get<double>(fact(record, "settling_s")), 1) << "two spans had to agree";
}

TEST(Alone, OtherDataSettleAnew) {
  FakeBackend backend;
  Gemm zeros = product(LoadDuration::sustained);
  zeros.data = DataPattern::zeros;
  const Swept out = sweep(backend, {product(LoadDuration::sustained), zeros});
  for (const Record& record : out.records)
    EXPECT_GE(std::get<double>(fact(record, "settling_s")), 3);
}

TEST(Alone, NothingComesBetweenTheSamples) {
  FakeBackend backend;
  std::vector<Workload> points;
  for (const std::uint64_t m : {256U, 512U, 1024U}) {
    for (const LoadDuration duration :
         {LoadDuration::sustained, LoadDuration::turns, LoadDuration::burst})
      points.emplace_back(product(duration, DType::fp32, m));
  }
  const Swept out = sweep(backend, points);
  ASSERT_EQ(out.records.size(), 9U);
  std::vector<std::string> lone;
  for (const std::string& shape : backend.order) {
    const bool alone = shape.find("burst") != shape.npos || shape.find("sustained") != shape.npos;
    if (!alone) {
      EXPECT_TRUE(lone.empty()) << "turns are over when the first of them begins";
    } else if (lone.empty() || lone.back() != shape) {
      lone.push_back(shape);
    }
  }
  EXPECT_EQ(lone.size(), 6U) << "each in one go";
}

TEST(Alone, ADisturbedBurstIsTriedThreeTimesAndSaysSo) {
  for (const Disturbance disturbance : {Disturbance::contended, Disturbance::throttled}) {
    FakeBackend backend;
    backend.behaviour.clean = [](std::size_t) { return false; };
    backend.behaviour.disturbance = disturbance;
    const Swept out = sweep(backend, {product(LoadDuration::burst)});
    const Measured& found = measured(out.records[0]);
    EXPECT_EQ(name(found.end), name(disturbance));
    EXPECT_FALSE(trusted(found.end));
    EXPECT_NEAR(in_second(found.time_median), 1.07e-3, 0.01e-3) << "the figures are kept";
    EXPECT_TRUE(std::isfinite(found.noise));
    EXPECT_EQ(std::get<std::uint64_t>(fact(out.records[0], "bursts")), 3U);
    EXPECT_NEAR(in_second(backend.rested), 6, 1e-9);
  }
}

TEST(Alone, ADisturbedBurstThatIsFollowedByAQuietOneCounts) {
  FakeBackend backend;
  backend.behaviour.clean = [](std::size_t call) { return call > 40; };
  const Swept out = sweep(backend, {product(LoadDuration::burst)});
  EXPECT_EQ(measured(out.records[0]).end, MeasurementEnd::converged);
  EXPECT_EQ(std::get<std::uint64_t>(fact(out.records[0], "bursts")), 2U);
}

TEST(Alone, ASustainedPointThatIsAlwaysThrottledEndsAndKeepsItsFigures) {
  FakeBackend backend;
  backend.behaviour.clean = [](std::size_t) { return false; };
  backend.behaviour.disturbance = Disturbance::throttled;
  const Swept out = sweep(backend, {product(LoadDuration::sustained)});
  const Measured& found = measured(out.records[0]);
  EXPECT_EQ(found.end, MeasurementEnd::throttled);
  EXPECT_NEAR(in_second(found.time_median), 1.07e-3, 0.01e-3);
  EXPECT_LE(sampled(out.records[0]), 4 * 2.0 + 0.1) << "patience has an end";
}

TEST(Alone, CallsThatLeaveNoRoomInABurstAreRefusedWithAWayOut) {
  FakeBackend backend;
  backend.behaviour.overhead_s = 0.2;
  const Swept out =
      sweep(backend, {product(LoadDuration::burst), product(LoadDuration::sustained)});
  const auto* skipped = std::get_if<Skipped>(&out.records[0].outcome);
  ASSERT_NE(skipped, nullptr);
  EXPECT_NE(skipped->reason.find("0.20 s"), std::string::npos) << skipped->reason;
  EXPECT_NE(skipped->reason.find("sustained"), std::string::npos) << skipped->reason;
  EXPECT_GE(measured(out.records[1]).samples.size(), 9U);
}

TEST(Alone, ASlowFirstCallIsNoReasonToRefuseABurst) {
  FakeBackend backend;
  backend.behaviour.slowness = [](std::size_t call) { return call == 0 ? 300.0 : 1.0; };
  const Swept out = sweep(backend, {product(LoadDuration::burst)});
  EXPECT_EQ(measured(out.records[0]).end, MeasurementEnd::converged);
}

TEST(Alone, ABudgetSkipsWhatItHasNoRoomForAndShortensNothing) {
  FakeBackend backend;
  std::vector<Workload> points{product(LoadDuration::turns)};
  for (const std::uint64_t m : {256U, 512U, 1024U})
    points.emplace_back(product(LoadDuration::sustained, DType::fp32, m));
  SweepSettings settings;
  settings.budget = second(11);  // the first takes 5.5 s, those that follow 3.5
  const Swept out = sweep(backend, points, settings);
  EXPECT_EQ(out.end, SweepEnd::budget_spent);
  ASSERT_EQ(out.records.size(), 4U);
  EXPECT_TRUE(std::holds_alternative<Measured>(out.records[0].outcome));
  std::size_t skipped = 0;
  for (const Record& record : out.records) {
    if (load_duration(record.workload) == LoadDuration::turns) continue;
    if (const auto* reason = std::get_if<Skipped>(&record.outcome)) {
      ++skipped;
      EXPECT_NE(reason->reason.find("a sustained figure takes"), std::string::npos)
          << reason->reason;
      EXPECT_NE(reason->reason.find("budget"), std::string::npos) << reason->reason;
    } else {
      EXPECT_GE(sampled(record), 2.0);
    }
  }
  EXPECT_EQ(skipped, 1U);
  EXPECT_LE(in_second(backend.clock), 12.5);
}

TEST(Alone, TurnsGetTheirShareOfABudgetThatIsTooSmallForAll) {
  FakeBackend backend;
  backend.behaviour.slowness = [](std::size_t call) {
    return 1.0 + 0.2 * static_cast<double>(call % 5);
  };
  std::vector<Workload> points;
  for (const std::uint64_t m : {256U, 512U, 1024U}) {
    points.emplace_back(product(LoadDuration::turns, DType::fp32, m));
    points.emplace_back(product(LoadDuration::sustained, DType::fp32, m));
  }
  SweepSettings settings;
  settings.budget = second(5);
  const Swept out = sweep(backend, points, settings);
  for (const Record& record : out.records) {
    const bool turns = load_duration(record.workload) == LoadDuration::turns;
    EXPECT_EQ(std::holds_alternative<Measured>(record.outcome), turns) << record.id;
  }
  EXPECT_LE(in_second(backend.clock), 5.5);
}

TEST(Alone, EstimatesAreWhatItTakes) {
  for (const LoadDuration duration : {LoadDuration::burst, LoadDuration::sustained}) {
    FakeBackend backend;
    std::vector<Workload> points;
    for (const std::uint64_t m : {256U, 512U, 1024U, 2048U})
      points.emplace_back(product(duration, DType::fp32, m));
    RoofBook book;
    Seconds expected;
    for (const auto& point : plan_sweep(backend, backend.devices().front(), points, {}, book))
      expected = expected + point.expected;
    (void)sweep(backend, points);
    EXPECT_NEAR(in_second(expected) / in_second(backend.clock), 1, 0.15) << name(duration);
  }
}

TEST(Alone, ARestCanBeEnded) {
  FakeBackend backend;
  const Swept out = sweep(backend, {product(LoadDuration::burst)}, {},
                          [&] { return backend.rested > second(0.5); });
  EXPECT_EQ(out.end, SweepEnd::interrupted);
  EXPECT_TRUE(out.records.empty());
  EXPECT_LE(in_second(backend.rested), 0.65);
}

TEST(Alone, AnInterruptedPointKeepsWhatItHas) {
  FakeBackend backend;
  const Swept out = sweep(backend, {product(LoadDuration::sustained)}, {},
                          [&] { return backend.clock > second(4.5); });
  EXPECT_EQ(out.end, SweepEnd::interrupted);
  ASSERT_EQ(out.records.size(), 1U);
  EXPECT_EQ(measured(out.records[0]).end, MeasurementEnd::interrupted);
}

TEST(Alone, FailuresAndWrongResultsAreTheirOutcomes) {
  FakeBackend backend;
  backend.behaviour.verification = VerificationState::incorrect;
  const Swept wrong = sweep(backend, {product(LoadDuration::burst)});
  EXPECT_TRUE(std::holds_alternative<Incorrect>(wrong.records[0].outcome));
  EXPECT_EQ(backend.rested, second(0)) << "not worth waiting for";
  backend.behaviour.verification = VerificationState::verified;
  backend.behaviour.time_error = "launch failed";
  backend.behaviour.calls_before = 6;
  const Swept failed =
      sweep(backend, {product(LoadDuration::sustained), product(LoadDuration::burst)});
  for (const Record& record : failed.records)
    EXPECT_EQ(std::get<Failed>(record.outcome).reason, "launch failed");
}

}  // namespace
}  // namespace roofline::measure
