#include <algorithm>
#include <limits>
#include <random>

#include "roofline/placement.hpp"
#include "support.hpp"

namespace roofline {
namespace {

using test::a100;
using test::both;
using test::compute_only;
using test::memory_only;
using test::near;

Assessment assessed(const Workload& workload, const Roofs& roofs, const Observation& seen,
                    const RoofContext& context = {}) {
  const Account cost = account(workload);
  return assess(cost, roofs, place(cost, roofs), seen, context);
}

/// Ridge 100, ceilings that a double holds: 1e14 FLOP/s, 1e12 B/s.
Roofs round_figures(Origin origin = Origin::datasheet) {
  return both(flop_per_s(1e14), byte_per_s(1e12), origin);
}
const Kernel kLeft{.intensity = flop_per_byte(10), .dtype = DType::bf16};     // ceiling 1e13
const Kernel kRight{.intensity = flop_per_byte(1000), .dtype = DType::bf16};  // ceiling 1e14

Assessment left(double of_ceiling) {
  return assessed(kLeft, round_figures(), {.achieved = flop_per_s(1e13 * of_ceiling)});
}
Assessment right(double of_ceiling) {
  return assessed(kRight, round_figures(), {.achieved = flop_per_s(1e14 * of_ceiling)});
}

TEST(Assessment, VerdictTable) {
  EXPECT_EQ(left(0.01).verdict, Verdict::below_memory_roof);
  EXPECT_EQ(left(0.699).verdict, Verdict::below_memory_roof);
  EXPECT_EQ(left(0.70).verdict, Verdict::at_memory_roof);
  EXPECT_EQ(left(1.0).verdict, Verdict::at_memory_roof);
  EXPECT_EQ(right(0.699).verdict, Verdict::below_compute_roof);
  EXPECT_EQ(right(0.70).verdict, Verdict::at_compute_roof);
  EXPECT_EQ(right(1.0).verdict, Verdict::at_compute_roof);
  EXPECT_EQ(left(1.04).verdict, Verdict::impossible);
  EXPECT_EQ(right(1.04).verdict, Verdict::impossible);
}

TEST(Assessment, RatiosOfAReading) {
  const Assessment found = left(0.5);
  EXPECT_TRUE(near(*found.of_ceiling, 0.5, 1e-12));
  EXPECT_TRUE(near(*found.mfu, 0.05, 1e-12));
  EXPECT_TRUE(near(in_byte_per_s(*found.achieved_bandwidth), 0.5e12, 1e-12));
  EXPECT_FALSE(found.time);
  EXPECT_FALSE(found.hfu);
}

TEST(Assessment, ATimeAndTheRateThatItMeansAgree) {
  std::mt19937_64 random(41);
  for (int i = 0; i < 200; ++i) {
    const Gemm gemm{.m = 1 + random() % 4000, .n = 1 + random() % 4000, .k = 1 + random() % 4000};
    const Account cost = account(gemm);
    const Placement placed = place(cost, a100());
    const Seconds time = *placed.floor * (1 + static_cast<double>(random() % 1000) / 100);
    const Assessment timed = assess(cost, a100(), placed, {.time = time});
    const Assessment rated =
        assess(cost, a100(), placed, {.achieved = flop(cost.work->as_double()) / time});
    EXPECT_TRUE(near(*timed.of_ceiling, *rated.of_ceiling, 1e-12));
    EXPECT_TRUE(near(*timed.of_ceiling, *placed.floor / time, 1e-12));
    EXPECT_TRUE(near(*timed.mfu, *timed.of_ceiling * *placed.mfu_ceiling, 1e-12));
    EXPECT_EQ(timed.verdict, rated.verdict);
    EXPECT_FALSE(timed.above_roof);
    EXPECT_EQ(timed.time, time);
  }
}

TEST(Assessment, AReadingTakenFromTheRoofItselfIsNotAboveIt) {
  std::mt19937_64 random(42);
  for (int i = 0; i < 300; ++i) {
    const Account cost =
        account(Gemm{.m = 1 + random() % 4000, .n = 1 + random() % 4000, .k = 1 + random() % 4000});
    const Placement placed = place(cost, a100());
    EXPECT_FALSE(assess(cost, a100(), placed, {.time = placed.floor}).above_roof);
    EXPECT_FALSE(assess(cost, a100(), placed, {.achieved = placed.ceiling}).above_roof);
  }
}

TEST(Assessment, AboveARatedRoofIsFlaggedAndThreePerCentAboveIsImpossible) {
  for (const auto& reading : {left, right}) {
    EXPECT_FALSE(reading(1.0).above_roof);
    EXPECT_TRUE(reading(1.001).above_roof);
    EXPECT_FALSE(reading(1.001).impossible);
    EXPECT_TRUE(reading(1.03).above_roof);
    EXPECT_FALSE(reading(1.03).impossible);
    EXPECT_TRUE(reading(1.031).impossible);
    // Never clipped.
    EXPECT_TRUE(near(*reading(5.0).of_ceiling, 5.0, 1e-12));
  }
}

TEST(Assessment, TheClockSampledUnderLoadMovesWhatIsPossible) {
  const auto at_clock = [](double achieved, double adjusted_peak) {
    return assessed(kRight, round_figures(), {.achieved = flop_per_s(achieved)},
                    {.clock_adjusted_peak = flop_per_s(adjusted_peak)});
  };
  // A board that boosted 10 % past its rating.
  const Assessment boosted = at_clock(1.08e14, 1.10e14);
  EXPECT_TRUE(boosted.above_roof);
  EXPECT_FALSE(boosted.impossible);
  EXPECT_EQ(boosted.verdict, Verdict::at_compute_roof);
  EXPECT_TRUE(at_clock(1.14e14, 1.10e14).impossible);
  // A board that was held at 70 % of it cannot have reached 80 %.
  const Assessment throttled = at_clock(0.8e14, 0.7e14);
  EXPECT_TRUE(throttled.above_roof);
  EXPECT_EQ(throttled.verdict, Verdict::impossible);
  EXPECT_FALSE(throttled.causes.empty());
  EXPECT_FALSE(at_clock(0.71e14, 0.7e14).impossible);
  EXPECT_TRUE(at_clock(0.71e14, 0.7e14).above_roof);
  EXPECT_FALSE(at_clock(0.69e14, 0.7e14).above_roof);
}

TEST(Assessment, TheSmClockDoesNotMoveTheMemoryRoof) {
  const RoofContext boosted{.clock_adjusted_peak = flop_per_s(2e14)};
  EXPECT_TRUE(
      assessed(kLeft, round_figures(), {.achieved = flop_per_s(1.1e13)}, boosted).impossible);
  // Right at the ridge a faster clock leaves the memory roof in force.
  const Kernel near_ridge{.intensity = flop_per_byte(101), .dtype = DType::bf16};
  EXPECT_TRUE(
      assessed(near_ridge, round_figures(), {.achieved = flop_per_s(1.1e14)}, boosted).impossible);
}

TEST(Assessment, AMeasuredRoofIsNoLimit) {
  const auto reading = [](double of_ceiling, const RoofContext& context = {}) {
    return assessed(kLeft, round_figures(Origin::measured),
                    {.achieved = flop_per_s(1e13 * of_ceiling)}, context);
  };
  EXPECT_TRUE(reading(1.1).above_roof);
  EXPECT_FALSE(reading(1.1).impossible);
  EXPECT_EQ(reading(1.1).verdict, Verdict::at_memory_roof);
  EXPECT_TRUE(reading(1.3).impossible);
  // Where the rated bandwidth is known, it decides.
  const RoofContext rated{.rated_memory = MemoryRoof{byte_per_s(1.4e12), Boundary::dram,
                                                     Origin::datasheet, "data sheet"}};
  EXPECT_FALSE(reading(1.3, rated).impossible);
  EXPECT_TRUE(reading(1.3, rated).above_roof);
  EXPECT_TRUE(reading(1.45, rated).impossible);
}

TEST(Assessment, WhatIsDerivedIsALimitTooAndSaysWhereItComesFrom) {
  const auto names_it = [](const Assessment& found) {
    return std::any_of(found.causes.begin(), found.causes.end(), [](const Cause& cause) {
      return cause.id == "derived_roof" && cause.text.find("1 of 8 slices") != std::string::npos;
    });
  };
  const MemoryRoof slice{byte_per_s(1e12), Boundary::dram, Origin::derived, "1 of 8 slices"};
  // Behind a measured roof, that of a device which reaches three times what its slice should.
  Roofs measured = round_figures(Origin::measured);
  const auto passed =
      assessed(kLeft, measured, {.achieved = flop_per_s(3e13)}, {.rated_memory = slice});
  EXPECT_TRUE(passed.impossible);
  EXPECT_TRUE(names_it(passed));
  // And as the roof itself; by how much is the same.
  Roofs derived = round_figures();
  derived.memory = slice;
  const auto above = assessed(kLeft, derived, {.achieved = flop_per_s(1.04e13)});
  EXPECT_TRUE(above.impossible);
  EXPECT_TRUE(names_it(above));
  EXPECT_FALSE(assessed(kLeft, derived, {.achieved = flop_per_s(1.02e13)}).impossible);
  // A data sheet's figure is not derived.
  EXPECT_FALSE(names_it(assessed(kLeft, round_figures(), {.achieved = flop_per_s(3e13)})));
}

TEST(Assessment, ACopyIsJudgedByItsBandwidth) {
  const Stream copy{
      .kind = StreamKind::copy, .elements = 1'000'000, .dtype = DType::fp64};  // 16 MB
  const Assessment timed = assessed(copy, round_figures(), {.time = second(20e-6)});
  EXPECT_TRUE(near(*timed.of_ceiling, 0.8, 1e-12));
  EXPECT_EQ(timed.verdict, Verdict::at_memory_roof);
  EXPECT_EQ(*timed.mfu, 0.0);
  const Assessment rated =
      assessed(copy, memory_only(byte_per_s(1e12)), {.achieved_bandwidth = byte_per_s(0.5e12)});
  EXPECT_TRUE(near(*rated.of_ceiling, 0.5, 1e-12));
  EXPECT_EQ(rated.verdict, Verdict::below_memory_roof);
  EXPECT_FALSE(rated.mfu);
}

TEST(Assessment, ABandwidthIsARateOfWorkToo) {
  const Assessment found =
      assessed(kLeft, round_figures(), {.achieved_bandwidth = byte_per_s(0.9e12)});
  EXPECT_TRUE(near(in_flop_per_s(*found.achieved), 9e12, 1e-12));
  EXPECT_TRUE(near(*found.of_ceiling, 0.9, 1e-12));
}

TEST(Assessment, AnOverheadBoundPointIsCalledSoUnlessItCannotBe) {
  Roofs roofs = round_figures();
  roofs.overhead = OverheadRoof{second(1)};
  const Workload workloads[] = {Gemm{.m = 64, .n = 64, .k = 64},
                                Gemm{.m = 4096, .n = 4096, .k = 4096},
                                Stream{.kind = StreamKind::copy, .elements = 100}};
  for (const Workload& workload : workloads) {
    EXPECT_EQ(assessed(workload, roofs, {.time = second(1.5)}).verdict, Verdict::overhead_bound);
    EXPECT_TRUE(assessed(workload, roofs, {.time = second(1.5)}).of_ceiling);
    EXPECT_EQ(assessed(workload, roofs, {.time = second(1e-12)}).verdict, Verdict::impossible);
  }
}

TEST(Assessment, WithoutARoofThereIsNoRatioButTheRateStays) {
  const Assessment found =
      assessed(Gemm{.m = 64, .n = 64, .k = 64}, Roofs{}, {.time = second(1e-3)});
  EXPECT_TRUE(found.achieved && found.achieved_bandwidth);
  EXPECT_FALSE(found.mfu || found.hfu || found.of_ceiling || found.above_roof || found.impossible);
  EXPECT_EQ(found.verdict, Verdict::unknown);
  EXPECT_TRUE(found.causes.empty());
}

TEST(Assessment, OneRoofIsEnoughToBePassed) {
  const Gemm gemm{.m = 64, .n = 64, .k = 64};  // 524,288 FLOP, 24,576 B
  // 24.6 GB/s over a bandwidth of 10, whatever the peak is.
  const Assessment memory = assessed(gemm, memory_only(gb_per_s(10)), {.time = second(1e-6)});
  EXPECT_TRUE(memory.impossible);
  EXPECT_NEAR(*memory.of_ceiling, 2.4576, 1e-9);
  const Assessment compute = assessed(gemm, compute_only(tflop_per_s(0.1)), {.time = second(1e-6)});
  EXPECT_TRUE(compute.impossible);
  EXPECT_NEAR(*compute.of_ceiling, 5.24288, 1e-9);
  const Assessment little = assessed(gemm, memory_only(gb_per_s(22)), {.time = second(1e-6)});
  EXPECT_NEAR(*little.of_ceiling, 24.576 / 22, 1e-9);
  EXPECT_TRUE(little.impossible);
  // Below the one roof nothing is known about the other.
  const Assessment below = assessed(gemm, memory_only(gb_per_s(100)), {.time = second(1e-6)});
  EXPECT_FALSE(below.of_ceiling || below.above_roof);
  EXPECT_EQ(below.verdict, Verdict::unknown);
}

TEST(Assessment, ARateWithoutShapeHasAnMfuAndNoVerdict) {
  const Assessment found = assessed(Kernel{.dtype = DType::bf16}, compute_only(tflop_per_s(312)),
                                    {.achieved = tflop_per_s(232)});
  EXPECT_NEAR(*found.mfu, 0.744, 5e-4);
  EXPECT_EQ(found.verdict, Verdict::unknown);
  EXPECT_FALSE(found.of_ceiling || found.achieved_bandwidth);
}

TEST(Assessment, MfuCountsTheModelAndHfuWhatWasExecuted) {
  // Full recomputation: the forward pass twice, so 4/3 of the FLOP.
  const Gemm gemm{.m = 3000, .n = 3000, .k = 3000};  // 5.4e10 FLOP
  const Count executed{72'000'000'000};
  const Assessment timed = assessed(gemm, a100(), {.time = second(1e-3), .executed = executed});
  EXPECT_TRUE(near(*timed.mfu, 5.4e10 / 1e-3 / 312e12, 1e-12));
  EXPECT_TRUE(near(*timed.hfu, 7.2e10 / 1e-3 / 312e12, 1e-12));
  EXPECT_TRUE(near(in_flop_per_s(*timed.achieved), 5.4e13, 1e-12));
  EXPECT_TRUE(near(in_flop_per_s(*timed.executed), 7.2e13, 1e-12));
  const Assessment rated =
      assessed(gemm, a100(), {.achieved = flop_per_s(5.4e13), .executed = executed});
  EXPECT_TRUE(near(in_flop_per_s(*rated.achieved), 5.4e13, 1e-12));
  EXPECT_TRUE(near(*rated.hfu, *timed.hfu, 1e-12));
  EXPECT_TRUE(near(*rated.mfu, *timed.mfu, 1e-12));
}

TEST(Assessment, HfuAboveOneIsFlaggedEvenWhereMfuIsNot) {
  const Gemm gemm{.m = 3000, .n = 3000, .k = 3000};
  // 270 TFLOP/s of the model, 360 executed, on a peak of 312.
  const Assessment found =
      assessed(gemm, a100(), {.time = second(2e-4), .executed = Count{72'000'000'000}});
  EXPECT_LT(*found.mfu, 1);
  EXPECT_GT(*found.hfu, 1);
  EXPECT_TRUE(found.above_roof);
  EXPECT_EQ(found.verdict, Verdict::impossible);
}

TEST(Assessment, TimesThatAreNone) {
  const Gemm gemm{.m = 64, .n = 64, .k = 64};
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    const Assessment found = assessed(gemm, a100(), {.time = second(bad)});
    EXPECT_FALSE(found.time || found.achieved || found.achieved_bandwidth || found.mfu ||
                 found.of_ceiling)
        << bad;
    EXPECT_EQ(found.verdict, Verdict::unknown);
  }
  // So short that the rate is no double.
  const Assessment found = assessed(gemm, a100(), {.time = second(4.9e-324)});
  EXPECT_FALSE(found.achieved || found.achieved_bandwidth || found.mfu);
}

TEST(Assessment, ATimeDecidesOverARate) {
  const Assessment found = assessed(Gemm{.m = 64, .n = 64, .k = 64}, a100(),
                                    {.time = second(1e-6), .achieved = tflop_per_s(100)});
  EXPECT_TRUE(near(in_flop_per_s(*found.achieved), 524'288e6, 1e-12));
}

TEST(Assessment, NothingObservedNothingSaid) {
  const Assessment found = assessed(kLeft, round_figures(), {});
  EXPECT_FALSE(found.achieved || found.mfu || found.of_ceiling || found.above_roof);
  EXPECT_EQ(found.verdict, Verdict::unknown);
}

TEST(Assessment, BytesOfAnotherBoundaryAreNotJudgedByTheDramRoof) {
  const Account inner = account(Gemm{.m = 640, .n = 640, .k = 640}, Boundary::l2);
  const Assessment found = assess(inner, a100(), place(inner, a100()), {.time = second(1e-6)});
  EXPECT_FALSE(found.of_ceiling && *found.of_ceiling < 1);
}

}  // namespace
}  // namespace roofline
