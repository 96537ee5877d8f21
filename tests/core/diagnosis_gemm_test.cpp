// The failure modes of products on GPUs: tiles, waves, idle units, alignment, power, the units
// that were used, the algorithm that was suggested. Sizes are those of NVIDIA's guides (W41, W42).
#include "diagnosis_support.hpp"
#include "roofline/diagnosis.hpp"

namespace roofline {
namespace {

using test::a100;
using test::contains;
using test::first;
using test::ids;
using test::names;
using test::on_cpu;
using test::reaching;

Report on_108_units(std::vector<Record> points = {}) {
  Report out = test::report_of(std::move(points));
  out.environment = {{"sm_count", std::uint64_t{108}}};
  return out;
}

Record with(Record point, Facts facts) {
  point.implementation = std::move(facts);
  return point;
}

Fact tile(const char* text) { return {"algo_tile", std::string(text)}; }
Fact split(std::uint64_t parts) { return {"split_k", parts}; }

std::string evidence(const Record& point, const std::string& id, const Report& report) {
  for (const Hypothesis& one : hypotheses_for(point, report)) {
    if (one.id == id) return one.evidence.str();
  }
  return "not named";
}

// 1793 = 7 x 256 + 1 = 14 x 128 + 1, and multiples of 64 all around it for the alignment.

TEST(ProductsOnGpus, TheLibrarysTileCountsAndNotTheUsualOne) {
  // 1856 x 1856: 15 x 15 of the usual tiles are 3 waves of 69 %. The library says rows x columns
  // of a column-major result: 128x256 are 256 of our m and 128 of our n, W42's 8 x 15 = 120 tiles.
  const Gemm gemm{.m = 1856, .n = 1856, .k = 8192};
  const Record told = with(reaching(0.5, gemm, a100()), {tile("128x256"), split(1)});
  EXPECT_EQ(first(told, on_108_units()), "wave_quantisation");
  const std::string why = evidence(told, "wave_quantisation", on_108_units());
  EXPECT_TRUE(contains(why, "120 of the library's tiles of 256x128 (m x n) on 108 units")) << why;
  EXPECT_TRUE(contains(why, "55.6 % of 2 waves")) << why;
  EXPECT_TRUE(contains(why, "the last one has work for 11.1 %")) << why;
  // 98 tiles of 1792 x 1792 are one wave of 90.7 %.
  const Gemm whole{.m = 1792, .n = 1792, .k = 8192};
  const Record near_miss = with(reaching(0.5, whole, a100()), {tile("128x256"), split(1)});
  EXPECT_FALSE(names(near_miss, "wave_quantisation", on_108_units()));
  EXPECT_FALSE(names(near_miss, "few_tiles", on_108_units()));
}

TEST(ProductsOnGpus, RowsAndColumnsOfATileAreNotConfused) {
  // 64 rows in tiles of 64 of ours are whole; in tiles of 256 a quarter is.
  const Gemm gemm{.m = 64, .n = 65536, .k = 65536};
  const Record whole = with(reaching(0.3, gemm, a100()), {tile("256x64")});
  const Record quarter = with(reaching(0.3, gemm, a100()), {tile("64x256")});
  Report report = on_108_units();
  Record compute_side = quarter;
  compute_side.placement.bound = Bound::compute;
  EXPECT_TRUE(contains(evidence(compute_side, "tile_quantisation", report), "to 25 %"))
      << evidence(compute_side, "tile_quantisation", report);
  Record other = whole;
  other.placement.bound = Bound::compute;
  EXPECT_FALSE(names(other, "tile_quantisation", report));
}

TEST(ProductsOnGpus, WhatIsNoTileIsNotTakenForOne) {
  const Gemm gemm{.m = 1920, .n = 1024, .k = 8192};
  for (const char* text :
       {"undefined", "128", "128x", "0x128", "128x128x2", "-1x128", "12 8x128"}) {
    const Record point = with(reaching(0.55, gemm, a100()), {tile(text)});
    EXPECT_TRUE(contains(evidence(point, "wave_quantisation", on_108_units()),
                         "120 tiles of 128x128 on 108 units"))
        << text;
  }
}

TEST(ProductsOnGpus, ATileTooManyIsNamed) {
  // W41, 257 for 256, in rows of 16 bytes and enough of them: 8 x 33 tiles where 8 x 32 did.
  const Record point = with(reaching(0.6, Gemm{.m = 257, .n = 8192, .k = 8192}, a100()),
                            {tile("128x128"), split(3)});
  const std::string why = evidence(point, "tile_quantisation", on_108_units());
  EXPECT_TRUE(contains(why, "m x n = 257x8192")) << why;
  EXPECT_TRUE(contains(why, "to 66.9 %")) << why;
  EXPECT_TRUE(contains(why, "33.1 % of what they compute")) << why;
  const Record even = with(reaching(0.6, Gemm{.m = 256, .n = 8192, .k = 8192}, a100()),
                           {tile("128x128"), split(3)});
  EXPECT_FALSE(names(even, "tile_quantisation", on_108_units()));
}

TEST(ProductsOnGpus, FewTilesWithoutASplitAreNamed) {
  const Gemm gemm{.m = 512, .n = 512, .k = 16384};
  const Record point = with(reaching(0.14, gemm, a100()), {tile("128x128"), split(1)});
  EXPECT_EQ(first(point, on_108_units()), "few_tiles");
  const std::string why = evidence(point, "few_tiles", on_108_units());
  EXPECT_TRUE(contains(why, "16 of the library's tiles of 128x128 on 108 units leave 85.2 %"))
      << why;
  EXPECT_TRUE(contains(why, "6 parts of it would employ 88.9 %")) << why;
  // 96 units of 108 work: 16 tiles in 6 parts.
  const Record parted = with(reaching(0.14, gemm, a100()), {tile("128x128"), split(6)});
  EXPECT_FALSE(names(parted, "few_tiles", on_108_units()));
  EXPECT_FALSE(names(parted, "wave_quantisation", on_108_units()));
  // In two parts they still leave most of them idle.
  const Record halves = with(reaching(0.14, gemm, a100()), {tile("128x128"), split(2)});
  const std::string further = evidence(halves, "few_tiles", on_108_units());
  EXPECT_TRUE(contains(further, "16 of the library's tiles of 128x128, each in 2 parts of k, on"))
      << further;
  EXPECT_TRUE(contains(further, "3 times as many parts would employ 88.9 %")) << further;
  // A short k can't be split; the idle units are the wave's.
  const Record flat =
      with(reaching(0.14, Gemm{.m = 512, .n = 512, .k = 384}, a100()), {tile("128x128"), split(1)});
  EXPECT_FALSE(names(flat, "few_tiles", on_108_units()));
  // Neither threads of a CPU nor a device of unknown size have tiles to spare.
  EXPECT_FALSE(names(point, "few_tiles"));
  EXPECT_FALSE(names(on_cpu(point, {tile("128x128"), {"threads", std::uint64_t{108}}}), "few_tiles",
                     on_108_units()));
}

TEST(ProductsOnGpus, OnMemorysSideOnlyAToldTileIsFew) {
  const Gemm skinny{.m = 16, .n = 4096, .k = 4096};
  const Record told = with(reaching(0.2, skinny, a100()), {tile("128x64"), split(1)});
  EXPECT_TRUE(names(told, "few_tiles", on_108_units()));
  EXPECT_FALSE(names(reaching(0.2, skinny, a100()), "few_tiles", on_108_units()));
}

TEST(ProductsOnGpus, RowsAreThoseThatMemoryHolds) {
  // A as [k,m] has rows of m; where k is odd then, no row is.
  Gemm gemm{.m = 4096, .n = 4096, .k = 4095, .transpose_a = true};
  EXPECT_FALSE(names(reaching(0.4, gemm, a100()), "awkward_shape"));
  gemm.transpose_b = true;
  const Record odd = reaching(0.4, gemm, a100());
  EXPECT_EQ(first(odd), "awkward_shape");
  const std::string why = evidence(odd, "awkward_shape", {});
  EXPECT_TRUE(contains(why, "k = 4095 makes rows of 8190 bytes, no multiple of 16")) << why;
  EXPECT_TRUE(contains(why, "padded to 4096 they are one, for 0.0244 % more work")) << why;
  // 8 elements of 16 bits are 16 bytes; 128 are better still.
  const Record by_16 = reaching(0.4, Gemm{.m = 4096, .n = 4104, .k = 4096}, a100());
  EXPECT_TRUE(contains(evidence(by_16, "awkward_shape", {}), "no multiple of 128"));
  EXPECT_FALSE(
      names(reaching(0.4, Gemm{.m = 4095, .n = 4096, .k = 4096}, a100()), "awkward_shape"));
}

// Power.

Roofs boosting() {
  Roofs out = a100();
  out.compute->clock = hertz(1.41e9);
  return out;
}

Record clocked(double ghz, double share, Gemm gemm = {.m = 8192, .n = 8192, .k = 8192}) {
  Record out =
      reaching(share, gemm, boosting(), {.clock_adjusted_peak = tflop_per_s(312 * ghz / 1.41)});
  std::get<Measured>(out.outcome).clock = hertz(ghz * 1e9);
  return out;
}

Fact because(const char* reasons) { return {"clock_event_reasons", std::string(reasons)}; }

TEST(PowerCapped, IsNamedWhereTheDriverGivesItAndTheClockIsLow) {
  const Report report = on_108_units();
  const Record point = with(clocked(1.0, 0.65), {because("software power cap")});
  EXPECT_EQ(first(point, report), "power_capped");
  EXPECT_FALSE(names(point, "clock_throttled", report)) << "one clock, one reason";
  const std::string why = evidence(point, "power_capped", report);
  EXPECT_TRUE(contains(why, "1 GHz") && contains(why, "1.41 GHz")) << why;
  // At its roof, the figure is still that of the limit.
  EXPECT_EQ(first(with(clocked(1.2, 0.8), {because("software power cap")}), report),
            "power_capped");
}

TEST(PowerCapped, WhatWasSeenWhileItRanCountsBeforeWhatWasSeenAtItsEnd) {
  Record point = with(clocked(1.0, 0.65), {because("")});
  Telemetry& seen = std::get<Measured>(point.outcome).telemetry;
  seen.events = ClockEvents{ClockEvent::sw_power_cap};
  seen.power_w = 398;
  Report report = on_108_units();
  report.environment.push_back({"power_limit_w", 400.0});
  EXPECT_EQ(first(point, report), "power_capped");
  EXPECT_TRUE(
      contains(evidence(point, "power_capped", report), "it draws 398 W; the limit is 400 W"))
      << evidence(point, "power_capped", report);
  seen.events = ClockEvents{ClockEvent::sw_power_cap, ClockEvent::hw_thermal};
  EXPECT_EQ(first(point, report), "clock_throttled") << "heat is the graver one";
  EXPECT_TRUE(contains(evidence(point, "clock_throttled", report), "sw_power_cap, hw_thermal"));
  point = with(clocked(1.0, 0.65), {because("software power cap")});
  std::get<Measured>(point.outcome).telemetry.events = ClockEvents{};
  EXPECT_FALSE(names(point, "power_capped", report));
}

TEST(PowerCapped, NotForAnotherReasonNorAtTheFullClock) {
  const Report report = on_108_units();
  EXPECT_EQ(first(with(clocked(1.0, 0.65), {because("hardware thermal slowdown")}), report),
            "clock_throttled");
  EXPECT_FALSE(names(with(clocked(1.4, 0.65), {because("software power cap")}), "power_capped"));
  EXPECT_FALSE(names(clocked(1.0, 0.65), "power_capped"));
  // What waits for memory has power to spare.
  const Gemm skinny{.m = 8, .n = 8192, .k = 8192};
  EXPECT_FALSE(
      names(with(clocked(1.0, 0.65, skinny), {because("software power cap")}), "power_capped"));
}

TEST(PowerCapped, ZerosThatRunFasterAtAHigherClockTellIt) {
  const Gemm random{.m = 8192, .n = 8192, .k = 8192};
  Gemm zeros = random;
  zeros.data = DataPattern::zeros;
  const Record slow = clocked(1.2, 0.75);
  const Report report = on_108_units({slow, clocked(1.38, 0.86, zeros)});
  EXPECT_EQ(first(slow, report), "power_capped");
  EXPECT_TRUE(contains(evidence(slow, "power_capped", report), "zeros is 14.7 % faster"))
      << evidence(slow, "power_capped", report);
  // Faster at the same clock is a kernel that skips zeros; other sizes tell nothing.
  EXPECT_FALSE(names(slow, "power_capped", on_108_units({slow, clocked(1.2, 0.86, zeros)})));
  zeros.m = 4096;
  EXPECT_FALSE(names(slow, "power_capped", on_108_units({slow, clocked(1.38, 0.86, zeros)})));
}

// Units.

TEST(OrdinaryUnits, LayoutsThatMatrixUnitsDoNotTakeAreNamed) {
  Roofs int8 = test::both(tflop_per_s(624), gb_per_s(2039));
  int8.compute->key = PeakKey::int8;
  Gemm gemm{.m = 4096, .n = 4096, .k = 4096, .input = DType::int8};
  EXPECT_EQ(first(reaching(0.1, gemm, int8)), "ordinary_units");
  gemm.transpose_b = true;
  EXPECT_FALSE(names(reaching(0.1, gemm, int8), "ordinary_units"));
  gemm.transpose_a = true;
  EXPECT_EQ(first(reaching(0.1, gemm, int8)), "ordinary_units");
  EXPECT_FALSE(names(on_cpu(reaching(0.1, gemm, int8)), "ordinary_units"));
}

TEST(OrdinaryUnits, HalfThePeakIsNotTf32s) {
  Report report = on_108_units();
  for (const auto& [key, peak] : {std::pair{PeakKey::tf32, 156.0}, std::pair{PeakKey::fp32, 19.5}})
    report.roofs.push_back(
        {"", *test::compute_only(tflop_per_s(peak), Origin::datasheet, key).compute, ""});
  const Gemm gemm{.m = 8192, .n = 8192, .k = 8192};
  EXPECT_FALSE(names(reaching(0.45, gemm, a100()), "ordinary_units", report));
  EXPECT_EQ(first(reaching(0.055, gemm, a100()), report), "ordinary_units");
}

TEST(OrdinaryUnits, Tf32ThatWasComputedAsFp32IsNamed) {
  Roofs tf32 = test::both(tflop_per_s(156), gb_per_s(2039));
  tf32.compute->key = PeakKey::tf32;
  const Gemm gemm{.m = 4096, .n = 4096, .k = 4096, .input = DType::tf32};
  EXPECT_EQ(first(with(reaching(0.11, gemm, tf32), {{"compute", std::string("32f")}})),
            "ordinary_units");
  EXPECT_FALSE(names(with(reaching(0.11, gemm, tf32), {{"compute", std::string("32f_fast_tf32")}}),
                     "ordinary_units"));
}

Report fp32_beside(const std::vector<std::pair<const char*, double>>& peaks, double share) {
  Roofs roofs = test::both(tflop_per_s(19.5), gb_per_s(2039));
  roofs.compute->key = PeakKey::fp32;
  const Gemm gemm{.m = 4096, .n = 4096, .k = 4096, .input = DType::fp32};
  Report out = on_108_units({reaching(share, gemm, roofs)});
  for (const auto& [name, peak] : peaks) {
    const PeakKey key = std::string(name) == "tf32" ? PeakKey::tf32 : PeakKey::fp16;
    out.roofs.push_back(
        {name, *test::compute_only(tflop_per_s(peak), Origin::datasheet, key).compute, ""});
  }
  return out;
}

TEST(Fp32NotTf32, IsSaidWhereTheDeviceHasTf32) {
  const auto found = findings_for(fp32_beside({{"tf32", 156}}, 0.9));
  ASSERT_EQ(ids(found), std::vector<std::string>{"fp32_not_tf32"});
  EXPECT_TRUE(contains(found[0].evidence, "8 times as much")) << found[0].evidence;
  EXPECT_EQ(found[0].points, std::vector<std::string>{"point"});
  EXPECT_TRUE(findings_for(fp32_beside({{"fp16", 312}}, 0.9)).empty());
  EXPECT_TRUE(findings_for(fp32_beside({{"tf32", 20}}, 0.9)).empty()) << "not worth it";
  EXPECT_TRUE(findings_for(fp32_beside({{"tf32", 156}}, 0.3)).empty()) << "another fault";
}

// The algorithm.

Record losing(double loss, const char* id) {
  Record out = reaching(0.85, Gemm{.m = 4096, .n = 4096, .k = 4096}, a100());
  out.id = id;
  out.implementation = {{"first_suggestion_loss", loss}, {"algo_candidates", std::uint64_t{8}}};
  return out;
}

TEST(FirstSuggestion, IsNamedWhereItLosesMoreThanFivePerCent) {
  const auto found =
      findings_for(test::report_of({losing(0, "a"), losing(0.12, "b"), losing(0.31, "c")}));
  ASSERT_EQ(ids(found), std::vector<std::string>{"first_suggestion_slow"});
  EXPECT_TRUE(contains(found[0].evidence, "in c the library's first suggestion takes 31 % longer"))
      << found[0].evidence;
  EXPECT_TRUE(contains(found[0].evidence, "2 of 3 products")) << found[0].evidence;
  EXPECT_EQ(found[0].points, (std::vector<std::string>{"b", "c"}));
  EXPECT_TRUE(findings_for(test::report_of({losing(0.04, "a"), losing(0.05, "b")})).empty());
}

TEST(FirstSuggestion, WhoTookItIsToldSo) {
  const Gemm gemm{.m = 4096, .n = 4096, .k = 4096};
  const Record point = with(reaching(0.4, gemm, a100()), {{"algo_of", std::string("first")}});
  EXPECT_TRUE(contains(evidence(point, "kernel_choice", {}), "suggests first"));
}

}  // namespace
}  // namespace roofline
