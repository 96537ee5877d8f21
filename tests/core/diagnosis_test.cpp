// The failure modes of single points: what each is named for, and what comes near and is not it.
// Figures are the seed's (A100 80 GB: 312 TFLOP/s dense bf16, 19.5 fp32, 2039 GB/s) and those
// measured by public tools, named where they stand.
#include "roofline/diagnosis.hpp"

#include <set>

#include "diagnosis_support.hpp"

namespace roofline {
namespace {

using test::a100;
using test::contains;
using test::first;
using test::named;
using test::names;
using test::on_cpu;
using test::reaching;

const Gemm kGemm{.m = 4096, .n = 4096, .k = 4096};

// MFU above 100 %.

TEST(MfuAboveOne, IsNamedFirst) {
  // 330 of 312 TFLOP/s, within what a boosting board may do; and fp32's 16 times (S13).
  const Record slightly = reaching(330.0 / 312, kGemm, a100());
  EXPECT_EQ(first(slightly), "mfu_above_one");
  EXPECT_TRUE(contains(hypotheses_for(slightly, {})[0].evidence, "MFU 106 %"));
  EXPECT_TRUE(contains(hypotheses_for(slightly, {})[0].evidence, "312 TFLOP/s"));
  const Roofs fp32 = test::both(tflop_per_s(19.5), gb_per_s(2039));
  EXPECT_EQ(named(reaching(16, kGemm, fp32)), std::vector<std::string>{"mfu_above_one"});
}

TEST(MfuAboveOne, NotAtThePeakNorWhereTheClockExplainsIt) {
  EXPECT_EQ(named(reaching(1, kGemm, a100())), std::vector<std::string>{});
  // 2 % above the rating, 2 % below the peak at the clock of the samples.
  const RoofContext boosted{.clock_adjusted_peak = tflop_per_s(312 * 1.04)};
  EXPECT_FALSE(names(reaching(1.02, kGemm, a100(), boosted), "mfu_above_one"));
  const RoofContext not_enough{.clock_adjusted_peak = tflop_per_s(312 * 1.01)};
  EXPECT_TRUE(names(reaching(1.02, kGemm, a100(), not_enough), "mfu_above_one"));
}

TEST(MfuAboveOne, NotWithinTheNoiseOfAMeasuredPeak) {
  const Roofs measured = test::both(tflop_per_s(2), gb_per_s(200), Origin::measured);
  EXPECT_FALSE(names(reaching(1.001, kGemm, measured), "mfu_above_one"));
  EXPECT_EQ(first(reaching(1.09, kGemm, measured)), "mfu_above_one");
}

// Decode "only" reaches 1 % MFU.

TEST(LowMfuAtItsRoof, DecodeAtItsBoundIsNoFault) {
  // 0.6 % MFU is 92 % of the achievable 0.653 % (S19).
  const Projection decode{.rows = 1, .d_in = 4096, .d_out = 14336};
  const Record point = reaching(0.92, decode, a100());
  EXPECT_EQ(first(point), "low_mfu_at_its_roof");
  const Hypothesis found = hypotheses_for(point, {})[0];
  EXPECT_TRUE(contains(found.evidence, "MFU 0.601 % is 92 %")) << found.evidence;
  EXPECT_TRUE(contains(found.evidence, "0.653 %")) << found.evidence;
}

TEST(LowMfuAtItsRoof, NotBelowTheRoofNorWhereTheCeilingIsHigh) {
  const Projection decode{.rows = 1, .d_in = 4096, .d_out = 14336};
  EXPECT_FALSE(names(reaching(0.3, decode, a100()), "low_mfu_at_its_roof"));
  // T = 64 has a ceiling of about 40 % of the peak.
  const Projection batch{.rows = 64, .d_in = 4096, .d_out = 4096};
  EXPECT_EQ(named(reaching(0.92, batch, a100())), std::vector<std::string>{});
  // A stream is at its roof by nature; nobody escalates its MFU.
  const Stream triad{.kind = StreamKind::triad, .elements = 1 << 28, .dtype = DType::fp32};
  EXPECT_EQ(named(reaching(0.95, triad, a100())), std::vector<std::string>{});
}

// A low-intensity kernel sits far below the sloped roof.

/// fp16 GEMV 1024 x 1024 on an H200: 0.54 of 4.8 TB/s, an overhead-bound specimen (TileOPs).
Record small_gemv(std::optional<double> overhead_s) {
  Roofs h200 = test::both(tflop_per_s(989.5), gb_per_s(4800));
  h200.compute->key = PeakKey::fp16;
  if (overhead_s)
    h200.overhead = OverheadRoof{second(*overhead_s), LaunchPath::kernel, Origin::measured, ""};
  const Projection gemv{.rows = 1, .d_in = 1024, .d_out = 1024, .activation = DType::fp16};
  return reaching(0.54 / 4.8, gemv, h200);
}

TEST(BelowTheSlope, LaunchOverheadIsNamedWhereItTakesTheTime) {
  const Record point = small_gemv(3e-6);
  EXPECT_EQ(point.assessment->verdict, Verdict::overhead_bound);
  EXPECT_EQ(first(point), "call_overhead");
  EXPECT_TRUE(contains(hypotheses_for(point, {})[0].evidence, "3 us"));
  EXPECT_FALSE(names(small_gemv(0.2e-6), "call_overhead"));  // a twentieth of the time
}

TEST(BelowTheSlope, ATinyTransferIsNamedWhereNoOverheadIsKnown) {
  EXPECT_EQ(first(small_gemv({})), "small_transfer");
  EXPECT_EQ(first(small_gemv(0.2e-6)), "small_transfer");
  // 57344 x 7168 in fp16 is 822 MB: large.
  const Projection large{.rows = 1, .d_in = 57344, .d_out = 7168, .activation = DType::fp16};
  const Record point = reaching(0.4, large, test::both(tflop_per_s(989.5), gb_per_s(4800)));
  EXPECT_FALSE(names(point, "small_transfer"));
  EXPECT_EQ(first(point), "uncoalesced_access");
}

TEST(BelowTheSlope, AccessPatternIsNamedOnlyMoreThanThirtyPerCentBelow) {
  const Elementwise chain{.elements = 1 << 28, .ops = 2, .ops_per_kernel = 2};
  EXPECT_EQ(first(reaching(0.5, chain, a100())), "uncoalesced_access");
  EXPECT_EQ(first(reaching(0.69, chain, a100())), "uncoalesced_access");
  EXPECT_EQ(named(reaching(0.70, chain, a100())), std::vector<std::string>{});
}

/// One thread reads 42.6 GB/s where two read 81 (a two-core Zen 5 guest).
Report one_of_two_threads(std::uint64_t threads_of_roof) {
  Roofs roofs = test::both(tflop_per_s(0.5), gb_per_s(81), Origin::measured);
  const Stream read{.kind = StreamKind::read, .elements = 1 << 27, .dtype = DType::fp32};
  Record point = on_cpu(reaching(42.6 / 81, read, roofs), {{"threads", std::uint64_t{1}}});
  Record roof = on_cpu(reaching(1, read, roofs), {{"threads", threads_of_roof}});
  roof.id = "stream/read";
  roof.defines_roof = true;
  Report out = test::report_of({point, roof});
  out.roofs.push_back({"read", *roofs.memory, "stream/read"});
  out.environment = {{"physical_cores", std::uint64_t{2}}};
  return out;
}

TEST(BelowTheSlope, TooFewThreadsAreNamedAgainstThoseOfTheRoof) {
  const Report report = one_of_two_threads(2);
  EXPECT_EQ(first(report.points[0], report), "too_few_threads");
  EXPECT_TRUE(contains(hypotheses_for(report.points[0], report)[0].evidence,
                       "1 thread ran it, 2 showed the roof"));
  // A roof of one thread too: another core would raise both.
  const Report alike = one_of_two_threads(1);
  EXPECT_FALSE(names(alike.points[0], "too_few_threads", alike));
}

TEST(BelowTheSlope, StoresThatReadTheirLinesAreNamedWhereThatExplainsTheGap) {
  // A regular copy moves three words for two counted; triad NT / regular is 1.27 to 1.36 here.
  const Stream copy{
      .kind = StreamKind::copy, .elements = 1 << 27, .dtype = DType::fp64, .write_allocate = true};
  EXPECT_EQ(first(on_cpu(reaching(0.62, copy, test::memory_only(gb_per_s(57.7))))),
            "stores_read_lines");
  EXPECT_FALSE(
      names(on_cpu(reaching(0.4, copy, test::memory_only(gb_per_s(57.7)))), "stores_read_lines"));
}

TEST(BelowTheSlope, AnotherPlacementThanTheRoofsIsNamed) {
  Roofs roofs = test::memory_only(gb_per_s(81), Origin::measured);
  roofs.memory->placement = "far";
  const Stream read{.kind = StreamKind::read, .elements = 1 << 27, .dtype = DType::fp32};
  Record point = on_cpu(reaching(49.0 / 81, read, roofs));
  std::get<Measured>(point.outcome).placement = "near";
  EXPECT_EQ(first(point), "other_placement");
  std::get<Measured>(point.outcome).placement = "far";
  EXPECT_FALSE(names(point, "other_placement"));
}

// A high-intensity GEMM sits far below the flat roof.

TEST(BelowTheFlatRoof, AnAwkwardShapeIsNamed) {
  const Record odd = reaching(0.4, Gemm{.m = 4096, .n = 4095, .k = 4096}, a100());
  EXPECT_EQ(first(odd), "awkward_shape");
  EXPECT_TRUE(contains(hypotheses_for(odd, {})[0].evidence, "n = 4095 makes rows of 8190 bytes"))
      << hypotheses_for(odd, {})[0].evidence;
  // 385 rows fill four tiles of 128 to 75 %.
  const Record padded = reaching(0.5, Gemm{.m = 385, .n = 4096, .k = 4096}, a100());
  EXPECT_TRUE(names(padded, "tile_quantisation"));
  // The vocabulary head is 501 x 256: aligned, whatever it reaches.
  const Record head = reaching(0.25, Gemm{.m = 4096, .n = 128256, .k = 4096}, a100());
  EXPECT_FALSE(names(head, "awkward_shape"));
  EXPECT_EQ(first(head), "kernel_choice");
  // Awkward, but at the roof.
  EXPECT_EQ(named(reaching(0.75, Gemm{.m = 4096, .n = 4095, .k = 4096}, a100())),
            std::vector<std::string>{});
}

TEST(BelowTheFlatRoof, AWaveThatIsHalfEmptyIsNamed) {
  // 15 x 8 = 120 tiles of 128 x 128 on 108 SMs take two waves: 55.6 % of them.
  Report a100_report;
  a100_report.environment = {{"sm_count", std::uint64_t{108}}};
  const Record point = reaching(0.55, Gemm{.m = 1920, .n = 1024, .k = 8192}, a100());
  EXPECT_EQ(first(point, a100_report), "wave_quantisation");
  EXPECT_TRUE(contains(hypotheses_for(point, a100_report)[0].evidence, "55.6 % of 2 waves"));
  // 4096 tiles take 38 waves, 99.8 % of them.
  const Record full = reaching(0.55, Gemm{.m = 8192, .n = 8192, .k = 8192}, a100());
  EXPECT_FALSE(names(full, "wave_quantisation", a100_report));
}

TEST(BelowTheFlatRoof, TheRateOfOrdinaryUnitsIsNamed) {
  Report a100_report;
  const Roofs fp32 = test::compute_only(tflop_per_s(19.5), Origin::datasheet, PeakKey::fp32);
  a100_report.roofs.push_back({"fp32", *fp32.compute, ""});
  const Record vector = reaching(17.5 / 312, kGemm, a100());
  EXPECT_EQ(first(vector, a100_report), "ordinary_units");
  EXPECT_TRUE(contains(hypotheses_for(vector, a100_report)[0].evidence, "fp32"));
  // Too fast for the ordinary units.
  EXPECT_FALSE(names(reaching(60.0 / 312, kGemm, a100()), "ordinary_units", a100_report));
}

/// fp32 GEMM on a CPU whose roof is of 4.2 GHz, at another clock.
Record at_clock(double hz, double mfu) {
  Roofs roofs = test::both(tflop_per_s(0.54), gb_per_s(81), Origin::measured);
  roofs.compute->clock = hertz(4.2e9);
  const RoofContext context{.clock_adjusted_peak = roofs.compute->peak * (hz / 4.2e9)};
  Record out = on_cpu(
      reaching(mfu, Gemm{.m = 2048, .n = 2048, .k = 2048, .input = DType::fp32}, roofs, context));
  std::get<Measured>(out.outcome).clock = hertz(hz);
  return out;
}

TEST(BelowTheFlatRoof, AHalvedClockIsNamed) {
  const Record halved = at_clock(2.1e9, 0.46);
  EXPECT_NEAR(*halved.assessment->clock_adjusted_mfu, 0.92, 1e-12);
  EXPECT_EQ(first(halved), "clock_throttled");
  const std::string evidence = hypotheses_for(halved, {})[0].evidence;
  EXPECT_TRUE(contains(evidence, "2.1 GHz") && contains(evidence, "4.2 GHz")) << evidence;
  EXPECT_TRUE(contains(evidence, "46 %") && contains(evidence, "92 %")) << evidence;
  EXPECT_FALSE(names(at_clock(4.1e9, 0.46), "clock_throttled"));
  Record ended = at_clock(4.2e9, 0.46);
  std::get<Measured>(ended.outcome).end = MeasurementEnd::throttled;
  EXPECT_EQ(first(ended), "clock_throttled");
}

/// fp64 through OpenBLAS: 65 of 136 GFLOP/s with its Haswell core on a CPU with AVX-512.
Record openblas(const std::string& core, bool below, double share) {
  const Gemm gemm{.m = 4096, .n = 4096, .k = 4096, .input = DType::fp64};
  return on_cpu(reaching(share, gemm, test::both(tflop_per_s(0.136), gb_per_s(42))),
                {{"provider", std::string("OpenBLAS 0.3.21")},
                 {"library_core", core},
                 {"library_below_cpu_isa", below},
                 {"isa_path", std::string("avx512")}});
}

TEST(BelowTheFlatRoof, ALibraryHeldBelowTheCpuIsNamed) {
  const Record held = openblas("Haswell", true, 65.0 / 136);
  EXPECT_EQ(first(held), "library_held_back");
  EXPECT_TRUE(contains(hypotheses_for(held, {})[0].evidence, "Haswell"));
  EXPECT_FALSE(names(openblas("SkylakeX", false, 0.5), "library_held_back"));
  EXPECT_EQ(named(openblas("SkylakeX", false, 108.0 / 136)), std::vector<std::string>{});
}

TEST(BelowTheFlatRoof, EmulatedArithmeticIsNamed) {
  // bf16 without its instructions: 87 of 526 GFLOP/s.
  const auto point = [](const Facts& facts) {
    return on_cpu(reaching(87.0 / 526, kGemm, test::both(tflop_per_s(0.526), gb_per_s(42))), facts);
  };
  EXPECT_EQ(first(point({{"emulated", std::string("bf16 is widened to fp32")}})),
            "emulated_arithmetic");
  EXPECT_EQ(first(point({{"arithmetic_note", std::string("bf16 by fp32 FMA")}})),
            "emulated_arithmetic");
  EXPECT_FALSE(names(point({{"emulated", false}}), "emulated_arithmetic"));
}

TEST(AnyPoint, ADisturbedMeasurementIsDoubtedFirst) {
  Record point = on_cpu(reaching(0.4, kGemm, a100()));
  auto& seen = std::get<Measured>(point.outcome);
  seen.samples.resize(4);
  for (int i = 0; i < 3; ++i)
    seen.samples[static_cast<std::size_t>(i)].disturbance = Disturbance::contended;
  seen.samples[0].cpu_share = 0.42;
  seen.end = MeasurementEnd::contended;
  EXPECT_EQ(first(point), "disturbed_measurement");
  const std::string evidence = hypotheses_for(point, {})[0].evidence;
  EXPECT_TRUE(contains(evidence, "3 of 4 samples") && contains(evidence, "42 %")) << evidence;
  seen.end = MeasurementEnd::budget_spent;
  EXPECT_FALSE(names(point, "disturbed_measurement"));
}

TEST(AnyPoint, BelowItsRoofHasAHypothesisWithEverythingFilledIn) {
  const Workload workloads[] = {kGemm,
                                Projection{.rows = 1, .d_in = 64, .d_out = 64},
                                Projection{.rows = 512, .d_in = 4096, .d_out = 4096},
                                Elementwise{.elements = 1000},
                                Stream{.kind = StreamKind::copy, .elements = 1 << 26},
                                Kernel{.flops = Count{1000}, .read_bytes = Count{10}}};
  for (const Workload& workload : workloads) {
    for (const double overhead_s : {0.0, 1e-7, 1e-3}) {
      Roofs roofs = a100();
      if (overhead_s > 0)
        roofs.overhead = OverheadRoof{second(overhead_s), LaunchPath::kernel, Origin::measured, ""};
      for (const bool cpu : {false, true}) {
        Record point = reaching(0.05, workload, roofs);
        if (cpu) point = on_cpu(point);
        const auto all = hypotheses_for(point, {});
        ASSERT_FALSE(all.empty()) << shape_label(workload);
        EXPECT_TRUE(std::is_sorted(all.begin(), all.end(),
                                   [](const auto& a, const auto& b) { return a.score > b.score; }));
        for (const Hypothesis& one : all) {
          EXPECT_TRUE(one.score > 0 && one.score <= 1) << one.id;
          EXPECT_FALSE(one.text.empty() || one.evidence.empty() || one.remedy.empty()) << one.id;
          // Nsight Compute's metrics have two underscores; a CPU has none of them.
          EXPECT_EQ(contains(one.counter, "__"), !cpu) << one.id << ": " << one.counter;
        }
      }
    }
  }
}

TEST(AnyPoint, WithoutAMeasurementThereIsNothingToExplain) {
  Record point = reaching(0.4, kGemm, a100());
  point.outcome = Skipped{"not here"};
  EXPECT_EQ(named(point), std::vector<std::string>{});
  point.outcome = Measured{};
  point.assessment.reset();
  EXPECT_EQ(named(point), std::vector<std::string>{});
}

TEST(FailureModes, AreATableOfCompleteRowsWithNamesOfTheirOwn) {
  std::set<std::string_view> seen;
  for (const FailureMode& mode : failure_modes()) {
    EXPECT_TRUE(seen.insert(mode.id).second) << mode.id;
    EXPECT_EQ(mode.scope == Scope::whole_report,
              std::holds_alternative<ReportSymptom>(mode.symptom))
        << mode.id;
    for (const std::string_view sentence : {mode.hypothesis, mode.remedy})
      EXPECT_TRUE(sentence.ends_with('.')) << mode.id;
    for (const std::string_view counter : {mode.gpu_counter, mode.cpu_counter})
      EXPECT_FALSE(counter.empty() || counter.ends_with('.')) << mode.id;
  }
}

}  // namespace
}  // namespace roofline
