#include "roofline/placement.hpp"

#include <limits>
#include <random>
#include <set>

#include "support.hpp"

namespace roofline {
namespace {

using test::a100;
using test::both;
using test::compute_only;
using test::memory_only;
using test::near;

Placement at(double flop_per_byte_value, const Roofs& roofs) {
  return place(account(Kernel{.intensity = flop_per_byte(flop_per_byte_value)}), roofs);
}

/// Ridge 100 in figures that a double holds exactly.
Roofs round_figures() { return both(flop_per_s(1e14), byte_per_s(1e12)); }

TEST(Placement, SidesOfTheRidge) {
  const Placement left = at(99.9999, round_figures());
  EXPECT_EQ(left.bound, Bound::memory);
  EXPECT_LT(*left.ceiling, flop_per_s(1e14));
  const Placement on = at(100, round_figures());
  EXPECT_EQ(on.bound, Bound::compute);
  EXPECT_DOUBLE_EQ(*on.ridge_distance, 1.0);
  EXPECT_EQ(*on.ceiling, flop_per_s(1e14));
  const Placement right = at(100.0001, round_figures());
  EXPECT_EQ(right.bound, Bound::compute);
  EXPECT_EQ(*right.ceiling, flop_per_s(1e14));
  EXPECT_DOUBLE_EQ(*right.mfu_ceiling, 1.0);
}

TEST(Placement, CeilingIsTheLowerRoof) {
  std::mt19937_64 random(21);
  std::uniform_real_distribution<double> exponent(-2, 4);
  for (int i = 0; i < 300; ++i) {
    const double intensity = std::pow(10, exponent(random));
    const Placement placed = at(intensity, a100());
    const double slope = intensity * 2039e9;
    EXPECT_TRUE(near(in_flop_per_s(*placed.ceiling), std::min(slope, 312e12), 1e-12));
    EXPECT_TRUE(near(*placed.mfu_ceiling, std::min(slope, 312e12) / 312e12, 1e-12));
    EXPECT_EQ(*placed.bound == Bound::memory, slope < 312e12);
    EXPECT_TRUE(near(*placed.ridge_distance, intensity / 153.0161844, 1e-9));
  }
}

TEST(Placement, NearTheRidgeIsTenPerCentEitherWay) {
  EXPECT_FALSE(at(90.8, round_figures()).near_ridge);
  EXPECT_TRUE(at(91.0, round_figures()).near_ridge);
  EXPECT_TRUE(at(100, round_figures()).near_ridge);
  EXPECT_TRUE(at(109.9, round_figures()).near_ridge);
  EXPECT_FALSE(at(110.2, round_figures()).near_ridge);
}

TEST(Placement, FloorIsTheLongerOfTheTwoTimes) {
  const Account cost = account(Kernel{
      .flops = Count{3'000'000}, .read_bytes = Count{1'000'000}, .write_bytes = Count{1'000'000}});
  // 3e6 FLOP at 1e9 FLOP/s take 3 ms; 2e6 B at 1e9 B/s take 2 ms.
  EXPECT_TRUE(
      near(in_second(*place(cost, both(flop_per_s(1e9), byte_per_s(1e9))).floor), 3e-3, 1e-12));
  EXPECT_TRUE(
      near(in_second(*place(cost, both(flop_per_s(2e9), byte_per_s(1e9))).floor), 2e-3, 1e-12));
}

TEST(Placement, ACopyIsMemoryBoundWithACeilingOfZero) {
  const Account copy =
      account(Stream{.kind = StreamKind::copy, .elements = 1'000'000, .dtype = DType::fp64});
  for (const Roofs& roofs : {a100(), memory_only(gb_per_s(2039))}) {
    const Placement placed = place(copy, roofs);
    EXPECT_EQ(placed.bound, Bound::memory);
    EXPECT_EQ(*placed.ceiling, flop_per_s(0));
    EXPECT_TRUE(near(in_second(*placed.floor), 16e6 / 2039e9, 1e-12));
    EXPECT_FALSE(placed.near_ridge);
  }
  EXPECT_EQ(in_flop_per_byte(*place(copy, a100()).intensity), 0.0);
  // The compute roof alone says nothing about it.
  const Placement lost = place(copy, compute_only(tflop_per_s(312)));
  EXPECT_FALSE(lost.bound || lost.ceiling || lost.floor || lost.mfu_ceiling);
}

TEST(Placement, WhatMovesNothingIsComputeBound) {
  const Account workloads[] = {account(PeakProbe{.flops = 1'000'000}),
                               account(Kernel{.flops = Count{1'000'000}, .read_bytes = Count{0}})};
  for (const Account& cost : workloads) {
    for (const Roofs& roofs : {a100(), compute_only(tflop_per_s(312))}) {
      const Placement placed = place(cost, roofs);
      EXPECT_EQ(placed.bound, Bound::compute);
      EXPECT_EQ(*placed.ceiling, tflop_per_s(312));
      EXPECT_DOUBLE_EQ(*placed.mfu_ceiling, 1.0);
      EXPECT_TRUE(near(in_second(*placed.floor), 1e6 / 312e12, 1e-12));
      EXPECT_FALSE(placed.intensity);
    }
    EXPECT_FALSE(place(cost, memory_only(gb_per_s(2039))).bound);
    EXPECT_FALSE(place(cost, memory_only(gb_per_s(2039))).floor);
  }
}

TEST(Placement, AProbeThatWasNotFilledInHasNoBound) {
  const Account probe = account(PeakProbe{});
  EXPECT_FALSE(place(probe, memory_only(gb_per_s(2039))).bound);
  EXPECT_FALSE(place(probe, a100()).bound);
}

TEST(Placement, AnEmptyCallIsAllOverhead) {
  const Account nothing = account(Launch{});
  EXPECT_EQ(nothing.work, Count{0});
  EXPECT_EQ(total_traffic(nothing).value(), 0U);
  Roofs roofs = a100();
  EXPECT_FALSE(place(nothing, roofs).bound);
  EXPECT_EQ(place(nothing, roofs).floor, second(0));
  roofs.overhead = OverheadRoof{second(4e-6)};
  EXPECT_EQ(place(nothing, roofs).bound, Bound::overhead);
  EXPECT_EQ(place(nothing, roofs).floor, second(4e-6));
}

TEST(Placement, NoRoofNoRatio) {
  const Account gemm = account(Gemm{.m = 64, .n = 64, .k = 64});
  for (const Roofs& roofs :
       {Roofs{}, compute_only(tflop_per_s(312)), memory_only(gb_per_s(2039))}) {
    const Placement placed = place(gemm, roofs);
    EXPECT_TRUE(placed.intensity);
    EXPECT_FALSE(placed.ridge || placed.ridge_distance || placed.bound || placed.ceiling ||
                 placed.mfu_ceiling || placed.floor);
  }
}

TEST(Placement, AKernelKnownByItsRateAloneIsNotPlaced) {
  const Placement placed = place(account(Kernel{}), a100());
  EXPECT_TRUE(placed.ridge);
  EXPECT_FALSE(placed.intensity || placed.bound || placed.ceiling || placed.floor);
}

TEST(Placement, AStatedIntensityHasNoTime) { EXPECT_FALSE(at(50, a100()).floor); }

TEST(Placement, ARoofThatIsNoFigureIsNoRoof) {
  const Account gemm = account(Gemm{.m = 64, .n = 64, .k = 64});
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    for (const Roofs& roofs :
         {both(flop_per_s(bad), gb_per_s(2039)), both(tflop_per_s(312), byte_per_s(bad))}) {
      const Placement placed = place(gemm, roofs);
      EXPECT_FALSE(placed.ridge || placed.ridge_distance || placed.bound || placed.ceiling ||
                   placed.floor)
          << bad;
    }
  }
}

TEST(Placement, BytesAreHeldAgainstTheBandwidthOfTheirOwnBoundary) {
  const Account inner = account(Gemm{.m = 640, .n = 640, .k = 640}, Boundary::l2);
  EXPECT_FALSE(place(inner, a100()).ridge);
  Roofs roofs = a100();
  roofs.memory->boundary = Boundary::l2;
  EXPECT_TRUE(place(inner, roofs).bound);
}

TEST(Placement, OverheadBindsWhenItTakesMoreThanTheRest) {
  Roofs roofs = both(flop_per_s(1e12), byte_per_s(1e12));
  const Account cost = account(
      Kernel{.flops = Count{1'000'000}, .read_bytes = Count{4'000'000}});  // 4 us of traffic
  roofs.overhead = OverheadRoof{second(3.9e-6)};
  EXPECT_EQ(place(cost, roofs).bound, Bound::memory);
  EXPECT_TRUE(near(in_second(*place(cost, roofs).floor), 7.9e-6, 1e-9));
  roofs.overhead = OverheadRoof{second(4.1e-6)};
  EXPECT_EQ(place(cost, roofs).bound, Bound::overhead);
  EXPECT_TRUE(near(in_second(*place(cost, roofs).floor), 8.1e-6, 1e-9));
  EXPECT_TRUE(near(*place(cost, roofs).ridge_distance, 0.25, 1e-12));
}

TEST(Placement, SideOfAgreesWithPlace) {
  std::mt19937_64 random(22);
  for (int i = 0; i < 200; ++i) {
    const Account cost =
        account(Gemm{.m = 1 + random() % 4000, .n = 1 + random() % 4000, .k = 1 + random() % 4000});
    const Placement placed = place(cost, a100());
    EXPECT_EQ(side_of(cost, *placed.ridge), placed.bound);
  }
}

TEST(Verdict, NamesAndLevers) {
  std::set<std::string_view> names;
  std::set<std::string_view> levers;
  for (const Verdict verdict : {Verdict::at_memory_roof, Verdict::below_memory_roof,
                                Verdict::at_compute_roof, Verdict::below_compute_roof,
                                Verdict::overhead_bound, Verdict::impossible, Verdict::unknown}) {
    names.insert(name(verdict));
    levers.insert(lever(verdict));
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"at_memory_roof", "below_memory_roof",
                                               "at_compute_roof", "below_compute_roof",
                                               "overhead_bound", "impossible", "unknown"}));
  EXPECT_EQ(levers.size(), 7U);
  const auto says = [](Verdict verdict, const char* word) {
    return test::contains(std::string(lever(verdict)), word);
  };
  // The seed's two teams.
  EXPECT_TRUE(says(Verdict::at_memory_roof, "batch") && says(Verdict::at_memory_roof, "fuse") &&
              says(Verdict::at_memory_roof, "quantise"));
  EXPECT_TRUE(says(Verdict::below_memory_roof, "coalescing") &&
              says(Verdict::below_memory_roof, "profiler"));
  EXPECT_TRUE(says(Verdict::at_compute_roof, "silicon"));
  EXPECT_TRUE(says(Verdict::below_compute_roof, "tile") &&
              says(Verdict::below_compute_roof, "clocks"));
  EXPECT_TRUE(says(Verdict::overhead_bound, "graph"));
}

TEST(Bound, NamesAndLevers) {
  EXPECT_EQ(name(Bound::memory), "memory");
  EXPECT_EQ(name(Bound::compute), "compute");
  EXPECT_EQ(name(Bound::overhead), "overhead");
  EXPECT_TRUE(test::contains(std::string(lever(Bound::memory)), "batch"));
  EXPECT_TRUE(test::contains(std::string(lever(Bound::compute)), "silicon"));
  EXPECT_TRUE(test::contains(std::string(lever(Bound::overhead)), "graph"));
}

}  // namespace
}  // namespace roofline
