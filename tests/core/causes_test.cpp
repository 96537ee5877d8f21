// Which explanations are offered for a reading above a roof.
#include <algorithm>

#include "roofline/placement.hpp"
#include "support.hpp"

namespace roofline {
namespace {

using test::both;
using test::compute_only;

std::vector<std::string> ids(const Assessment& found) {
  std::vector<std::string> out;
  for (const Cause& cause : found.causes) {
    EXPECT_FALSE(cause.text.empty());
    out.push_back(cause.id);
  }
  return out;
}

bool offers(const Assessment& found, const std::string& id) {
  const auto all = ids(found);
  return std::find(all.begin(), all.end(), id) != all.end();
}

/// bf16 work right of the ridge on an A100, and what its datasheet says beside.
Assessment gemm_at(double tflops, const RoofContext& context) {
  const Account cost = account(Gemm{.m = 8192, .n = 8192, .k = 8192});
  const Roofs roofs = test::a100();
  return assess(cost, roofs, place(cost, roofs), {.achieved = tflop_per_s(tflops)}, context);
}

RoofContext a100_context() {
  RoofContext out;
  out.sparse_peak = tflop_per_s(624);
  const std::pair<PeakKey, double> others[] = {
      {PeakKey::tf32, 156}, {PeakKey::fp32, 19.5}, {PeakKey::int8, 624}};
  for (const auto& [key, peak] : others) {
    out.other_peaks.push_back(
        {tflop_per_s(peak), key, Sparsity::dense, Origin::datasheet, "stated by the test"});
  }
  return out;
}

TEST(Causes, NoneBelowTheRoof) { EXPECT_TRUE(gemm_at(311, a100_context()).causes.empty()); }

TEST(Causes, AboveThePeak) {
  const Assessment found = gemm_at(500, a100_context());
  for (const char* id : {"sparse_peak", "fma_counted_as_one", "wrong_dtype_peak",
                         "unsynchronised_timing", "work_not_needed", "wrong_device_peak"}) {
    EXPECT_TRUE(offers(found, id)) << id;
  }
  EXPECT_FALSE(offers(found, "cached_timing"));
  EXPECT_FALSE(offers(found, "clock"));
}

TEST(Causes, WhatTheReadingIsTooHighForIsNotOffered) {
  const Assessment found = gemm_at(1200, a100_context());  // 385 %
  EXPECT_FALSE(offers(found, "sparse_peak"));
  EXPECT_FALSE(offers(found, "fma_counted_as_one"));
  EXPECT_FALSE(offers(found, "wrong_dtype_peak"));
  EXPECT_TRUE(offers(found, "unsynchronised_timing"));
  EXPECT_TRUE(offers(found, "work_not_needed"));
}

TEST(Causes, FmaCountedAsOneExplainsUpToTwiceTheRoof) {
  // At 60 % efficiency a halved peak shows 120 %.
  for (const double share : {1.04, 1.2, 1.6, 2.0})
    EXPECT_TRUE(offers(gemm_at(312 * share, {}), "fma_counted_as_one"));
  for (const double share : {2.1, 3.0})
    EXPECT_FALSE(offers(gemm_at(312 * share, {}), "fma_counted_as_one"));
}

TEST(Causes, TheLowestPeakThatHoldsTheReadingIsNamed) {
  // bf16 work held against the fp32 row.
  const Account cost = account(Gemm{.m = 8192, .n = 8192, .k = 8192});
  const Roofs wrong = both(tflop_per_s(19.5), gb_per_s(2039));
  RoofContext context = a100_context();
  context.other_peaks.push_back(
      {tflop_per_s(312), PeakKey::bf16, Sparsity::dense, Origin::datasheet, ""});
  const auto named = [&](double tflops) {
    const Assessment found =
        assess(cost, wrong, place(cost, wrong), {.achieved = tflop_per_s(tflops)}, context);
    for (const Cause& cause : found.causes) {
      if (cause.id == "wrong_dtype_peak") return cause.text;
    }
    return Text();
  };
  EXPECT_TRUE(test::contains(named(250), "bf16"));
  EXPECT_TRUE(test::contains(named(315), "bf16"));  // 1 % above it still fits
  EXPECT_TRUE(test::contains(named(100), "tf32"));
  EXPECT_TRUE(test::contains(named(600), "int8"));
  EXPECT_TRUE(named(5000).empty());
}

TEST(Causes, SparsityOfAStatedPeakIsGuessedOnlyForMatrixUnits) {
  const auto found = [](PeakKey key, Origin origin, Sparsity sparsity = Sparsity::dense) {
    Roofs roofs = compute_only(tflop_per_s(312), origin, key);
    roofs.compute->sparsity = sparsity;
    const Account cost = account(Kernel{});
    return assess(cost, roofs, place(cost, roofs), {.achieved = tflop_per_s(600)});
  };
  EXPECT_TRUE(offers(found(PeakKey::bf16, Origin::user), "sparse_peak"));
  EXPECT_FALSE(offers(found(PeakKey::fp32, Origin::user), "sparse_peak"));
  EXPECT_FALSE(offers(found(PeakKey::bf16, Origin::datasheet), "sparse_peak"));
  EXPECT_FALSE(offers(found(PeakKey::bf16, Origin::user, Sparsity::sparse_2_4), "sparse_peak"));
}

TEST(Causes, AboveTheMemoryRoof) {
  const Account cost = account(Projection{.rows = 1, .d_in = 4096, .d_out = 4096});
  const Roofs roofs = test::a100();
  const Placement placed = place(cost, roofs);
  const Assessment found = assess(cost, roofs, placed, {.time = *placed.floor / 2}, a100_context());
  EXPECT_TRUE(offers(found, "cached_timing"));
  EXPECT_TRUE(offers(found, "unsynchronised_timing"));
  for (const char* id :
       {"sparse_peak", "fma_counted_as_one", "wrong_dtype_peak", "wrong_device_peak", "clock"}) {
    EXPECT_FALSE(offers(found, id)) << id;
  }
}

TEST(Causes, OverheadDoesNotChangeTheSideThatIsPassed) {
  const Account cost = account(Projection{.rows = 1, .d_in = 64, .d_out = 64});
  Roofs roofs = test::a100();
  roofs.overhead = OverheadRoof{second(1e-5)};
  const Placement placed = place(cost, roofs);
  ASSERT_EQ(placed.bound, Bound::overhead);
  const Assessment found = assess(cost, roofs, placed, {.time = second(1e-9)}, a100_context());
  EXPECT_TRUE(offers(found, "cached_timing"));
  EXPECT_FALSE(offers(found, "sparse_peak"));
}

TEST(Causes, AboveBothRoofsOffersTheCausesOfBoth) {
  const Account cost = account(Kernel{.intensity = flop_per_byte(100), .dtype = DType::bf16});
  const Roofs roofs = test::a100();
  const Assessment found =
      assess(cost, roofs, place(cost, roofs), {.achieved = tflop_per_s(500)}, a100_context());
  EXPECT_TRUE(offers(found, "cached_timing"));
  EXPECT_TRUE(offers(found, "wrong_dtype_peak"));
}

TEST(Causes, ALittleAboveTheRatedPeakIsTheClockFirst) {
  const Assessment found = gemm_at(312 * 1.02, a100_context());
  EXPECT_FALSE(found.impossible);
  ASSERT_FALSE(found.causes.empty());
  EXPECT_EQ(found.causes.front().id, "clock");
}

TEST(Causes, WithinOnePerCentOfADataSheetItsRoundingComesFirst) {
  EXPECT_EQ(ids(gemm_at(312 * 1.005, a100_context())).front(), "rounded_rating");
  EXPECT_FALSE(offers(gemm_at(312 * 1.02, a100_context()), "rounded_rating"));
  // Below the figure, and above what its clock allows.
  RoofContext slow = a100_context();
  slow.clock_adjusted_peak = tflop_per_s(240);
  const Assessment below = gemm_at(250, slow);
  EXPECT_TRUE(below.above_roof);
  EXPECT_FALSE(offers(below, "rounded_rating"));
}

TEST(Causes, TheClockIsNoCauseWhereItIsKnownToBeTheRatedOne) {
  RoofContext context = a100_context();
  context.clock_adjusted_peak = tflop_per_s(312);
  EXPECT_FALSE(offers(gemm_at(312 * 1.02, context), "clock"));
  context.clock_adjusted_peak = tflop_per_s(330);
  EXPECT_TRUE(offers(gemm_at(312 * 1.02, context), "clock"));
}

TEST(Causes, AboveAMeasuredRoofTheRoofIsDoubtedFirst) {
  const Account cost = account(Projection{.rows = 1, .d_in = 4096, .d_out = 4096});
  const Roofs roofs = both(tflop_per_s(1), gb_per_s(30), Origin::measured);
  const Placement placed = place(cost, roofs);
  const Assessment memory = assess(cost, roofs, placed, {.time = *placed.floor / 1.1});
  EXPECT_EQ(memory.causes.front().id, "measured_roof");
  const Account gemm = account(Gemm{.m = 4096, .n = 4096, .k = 4096});
  const Placement right = place(gemm, roofs);
  const Assessment compute = assess(gemm, roofs, right, {.time = *right.floor / 1.1});
  EXPECT_EQ(compute.causes.front().id, "measured_roof");
  EXPECT_FALSE(offers(compute, "clock"));
  EXPECT_FALSE(offers(compute, "wrong_device_peak"));
}

}  // namespace
}  // namespace roofline
