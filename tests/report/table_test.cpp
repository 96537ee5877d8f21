// The table a person reads.
#include "report/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/grid.hpp"
#include "report/json_reader.hpp"
#include "report/json_writer.hpp"
#include "sample_reports.hpp"
#include "support/golden.hpp"
#include "support/text.hpp"

namespace roofline::report {
namespace {

/// The first line that holds `part`.
std::string line_with(const std::string& text, const std::string& part) {
  const std::size_t at = text.find(part);
  if (at == std::string::npos) return "no line with " + part;
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

TEST(Table, ReadsAsItShould) {
  test::expect_golden(render_table(test::sample_report()), "report/table.txt");
}

TEST(Table, ReadsAsItShouldInANarrowTerminal) {
  test::expect_golden(render_table(test::sample_report(), {.width = 64}),
                      "report/table_narrow.txt");
}

TEST(Table, FitsTheWidthItIsGiven) {
  for (const std::size_t width : {60U, 72U, 80U, 100U, 120U}) {
    EXPECT_LE(test::widest_line(render_table(test::sample_report(), {.width = width})), width)
        << width;
  }
}

TEST(Table, HasWhatAPersonAsksFor) {
  const std::string row =
      line_with(render_table(test::sample_report(), {.width = 120}), "2048x2048x2048    fp32");
  // Intensity 2048 / 6 = 341, held against 143 GFLOP/s of which 85.7 % were reached: 122.6 GFLOP/s.
  // The ridge is 143 / 20.6 (the triad has the mix of reads and writes of a GEMM: two read, one
  // written).
  for (const char* part : {"341", "6.94", "compute", "123", "143", "85.7", "at roof"}) {
    EXPECT_TRUE(test::holds(row, part)) << part << " in " << row;
  }
}

TEST(Table, StreamsShowBandwidthAndNoFlops) {
  const std::string text = render_table(test::sample_report());
  const std::string streams =
      text.substr(text.find("Streams"), text.find("GEMM") - text.find("Streams"));
  EXPECT_TRUE(test::holds(streams, "GB/s"));
  EXPECT_TRUE(test::holds(line_with(streams, "triad"), "20.6")) << streams;
  EXPECT_FALSE(test::holds(streams, "FLOP")) << streams;
}

TEST(Table, WhatIsTheSameEverywhereStandsAboveTheTable) {
  const std::string text = render_table(test::sample_report());
  const std::string title = line_with(text, "Elementwise");
  EXPECT_TRUE(test::holds(title, "dtype fp32")) << title;
  EXPECT_TRUE(test::holds(title, "side memory")) << title;
  const std::string heading = text.substr(text.find("Elementwise") + title.size() + 1, 100);
  EXPECT_FALSE(test::holds(heading.substr(0, heading.find('\n')), "dtype")) << heading;
}

TEST(Table, OneRowKeepsItsColumns) {
  Report report = test::sample_report();
  std::erase_if(report.points, [](const Record& point) { return point.id != "gemm/fp32/2048"; });
  const std::string text = render_table(report);
  EXPECT_TRUE(test::holds(line_with(text, "2048x2048x2048"), "fp32")) << text;
}

TEST(Table, RoofsAreMarkedAndNotJudgedAgainstThemselves) {
  const std::string text = render_table(test::sample_report());
  const std::string row = line_with(text, "*  triad");
  EXPECT_TRUE(test::holds(row, "is a roof")) << text;
  EXPECT_FALSE(test::holds(row, "100")) << row;
}

TEST(Table, AboveARoofIsFlaggedWithACauseAndNeverClipped) {
  const std::string text = render_table(test::sample_report());
  const std::string above = line_with(text, "512x14336x4096    fp32");
  EXPECT_EQ(above.front(), '!') << above;
  EXPECT_TRUE(test::holds(above, "104")) << above;
  const std::string impossible = line_with(text, "512x14336x4096    bf16");
  EXPECT_TRUE(test::holds(impossible, "IMPOSSIBLE")) << impossible;
  EXPECT_TRUE(test::holds(impossible, "190")) << impossible;
  EXPECT_TRUE(test::holds(text, "impossible at 190 % of the ceiling: "));
}

TEST(Table, ACauseThatWasSaidIsNotSaidAgain) {
  Report report = test::sample_report();
  std::string first_cause;
  for (Record& point : report.points) {
    if (point.id != "gemm/fp32/512") continue;
    first_cause = point.assessment->causes.at(0).text;
    report.points.push_back(point);
    break;
  }
  for (Record& point : report.points) {
    if (point.id == "gemm/bf16/512") point.assessment->causes = {{"other", "another cause"}};
  }
  const std::string text = render_table(report, {.width = 500});
  EXPECT_NE(text.find(first_cause), std::string::npos);
  EXPECT_EQ(text.find(first_cause), text.rfind(first_cause));
  EXPECT_TRUE(test::holds(text, "above its roof at 104 % of the ceiling, as above"));
}

TEST(Table, ThePointBelowItsRoofHasItsLikeliestHypothesisOnceInFull) {
  Report report = test::sample_report();
  report.points[7].hypotheses = {{"likeliest", "", "first figures", "a counter", "Do this.", 0.9},
                                 {"second", "", "other figures", "other", "Do that.", 0.2}};
  Record again = report.points[7];
  again.hypotheses[0].evidence = "second figures";
  report.points.push_back(again);
  // At its roof: nothing to explain.
  report.points[5].hypotheses = {};
  const std::string text = render_table(report, {.width = 200});
  EXPECT_TRUE(test::holds(text, "likeliest: first figures. Confirm: a counter. Do this.")) << text;
  EXPECT_TRUE(test::holds(text, "likeliest: second figures.\n")) << text;
  EXPECT_FALSE(test::holds(text, "other figures"));
}

TEST(Table, FindingsStandBelowTheTables) {
  Report report = test::sample_report();
  report.findings = {{{"a_mode", "What it is.", "its figures", "a counter", "Do this.", 1}, {"x"}}};
  const std::string text = render_table(report, {.width = 200});
  EXPECT_TRUE(test::holds(
      text, "Findings\n   a_mode: its figures. What it is. Confirm: a counter. Do this."))
      << text;
  EXPECT_FALSE(test::holds(render_table(Report{}), "Findings"));
}

TEST(Table, TheHeaderHasTheRidgesOfBothRooflines) {
  // 153.6 and 143 GFLOP/s over 24.1 GB/s.
  const std::string text = render_table(test::sample_report(), {.width = 120});
  EXPECT_TRUE(test::holds(text, "hardware, derived peak / read 24.1 GB/s: ridge fp32 6.37"))
      << text;
  EXPECT_TRUE(test::holds(text, "empirical, measured peak / read 24.1 GB/s: ridge fp32 5.93"))
      << text;
}

TEST(Table, PointsWithoutAMeasurementSayWhy) {
  const std::string text = render_table(test::sample_report(), {.width = 160});
  EXPECT_TRUE(test::holds(text, "skipped: this CPU has no fp8 arithmetic"));
  EXPECT_TRUE(test::holds(text, "failed: out of memory"));
  EXPECT_TRUE(test::holds(text, "incorrect: 3 of 64 values off"));
}

TEST(Table, DoubtsAreSaidInWords) {
  const std::string text = render_table(test::sample_report());
  EXPECT_TRUE(
      test::holds(text, "predicted compute-bound, but the time is nearer to the memory term"));
  EXPECT_TRUE(test::holds(text, "unverified: no reference for this size"));
  EXPECT_EQ(line_with(text, "T=8 4096x14336   fp32").front(), '?');
  EXPECT_TRUE(test::holds(text, "? disturbed by other programs"));
  EXPECT_TRUE(test::holds(text, "Contended: 1."));
}

TEST(Table, TheHeaderNamesDeviceThreadsDateAndRoofs) {
  const std::string text = render_table(test::sample_report());
  const std::string top = text.substr(0, text.find("Peak arithmetic"));
  for (const char* part :
       {"Example 9000 CPU (cpu), 2 threads", "2026-03-01 12:34 UTC", "suite quick", "48.2 s",
        "measured: read 24.1 GB/s", "fp32 143 GFLOP/s"}) {
    EXPECT_TRUE(test::holds(top, part)) << part << " in\n" << top;
  }
}

TEST(Table, ThreadCountsThatDifferAreNotOneThreadCount) {
  Report report = test::sample_report();
  report.points[0].implementation = {{"threads", std::uint64_t{1}}};
  const std::string text = render_table(report);
  EXPECT_FALSE(test::holds(text.substr(0, text.find('\n')), "thread")) << text;
  report.environment.push_back({"threads", std::uint64_t{1}});
  EXPECT_TRUE(test::holds(render_table(report), "Example 9000 CPU (cpu), 1 thread\n"));
}

TEST(Table, TotalsCountEveryOutcome) {
  const std::string text = render_table(test::sample_report(), {.width = 200});
  EXPECT_TRUE(
      test::holds(text,
                  "18 points: 14 measured and verified, 1 measured but not verified, 1 skipped, "
                  "1 failed, 1 incorrect."))
      << text;
}

TEST(Table, AnInterruptedRunSaysSo) {
  Report report = test::sample_report();
  report.run.interrupted = true;
  EXPECT_TRUE(test::holds(render_table(report), "Interrupted"));
}

TEST(Table, AnEmptyReportIsNoEmptyPage) {
  EXPECT_TRUE(test::holds(render_table(Report{}), "No points."));
}

TEST(Table, WithoutRoofsThereIsNoRatioButAReason) {
  Report report = test::sample_report();
  std::erase_if(report.points,
                [](const Record& point) { return point.id.rfind("gemm/fp32", 0) != 0; });
  for (Record& point : report.points) {
    point.roofs = {};
    point.roofs.compute_reason = "no fp32 peak is known for this device";
    point.placement = place(point.account, point.roofs);
    point.assessment = assess(point.account, point.roofs, point.placement,
                              {.time = std::get<Measured>(point.outcome).time_median});
  }
  const std::string text = render_table(report);
  EXPECT_TRUE(test::holds(text, "no ceiling: no fp32 peak is known for this device")) << text;
  EXPECT_FALSE(test::holds(text, "MFU  ")) << text;
}

TEST(Table, TypesThatDifferFromTheUsualAreTold) {
  Report report;
  for (const Workload& workload :
       {Workload(Projection{.rows = 8,
       .d_in = 4096,
       .d_out = 4096,
       .activation = DType::fp32,
       .weight = DType::int8,
       .scale_group = 128}),
        Workload(Projection{.rows = 8, .d_in = 4096, .d_out = 4096}),
        Workload(Gemm{.m = 64,
        .n = 64,
        .k = 64,
        .input = DType::fp16,
        .accumulate = DType::fp16,
        .output = DType::fp32}),
        Workload(Gemm{.m = 64, .n = 64, .k = 64, .input = DType::fp16})}) {
    Record point;
    point.id = "p";
    point.workload = workload;
    point.outcome = Skipped{"-"};
    report.points.push_back(point);
  }
  const std::string text = render_table(report);
  EXPECT_TRUE(test::holds(text, "int8*fp32 g128")) << text;
  EXPECT_TRUE(test::holds(text, "fp16 acc fp16 to fp32")) << text;
}

TEST(Table, RatesFarApartEachCarryTheirPrefix) {
  Report report = test::sample_report();
  std::erase_if(report.points,
                [](const Record& point) { return point.id.rfind("gemm/bf16/2048", 0) != 0; });
  report.points.push_back(report.points[0]);
  report.points[0].assessment->achieved = flop_per_s(1.5e6);
  const std::string text = render_table(report);
  EXPECT_TRUE(test::holds(text, "1.50 M")) << text;
  EXPECT_TRUE(test::holds(text, "570 G")) << text;
}

TEST(Table, TextFromAFileCannotSteerTheTerminal) {
  Report report = test::sample_report();
  report.device_name = "evil \x1b]0;title\x07";
  report.run.suite = "s\x1b[2J";
  report.points[9].outcome = Skipped{"reason\x1b[1m\nnext"};
  report.roofs[0].name = "\x1b[5m";
  report.points[7].hypotheses = {{"id\x1b[1m", "", "evidence\x1b[2m", "counter\x07", "remedy", 1}};
  report.findings = {{{"\x1b[3m", "text", "evidence\x07", "", "", 1}, {}}};
  const std::string text = render_table(report);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
}

TEST(Table, ColourIsOnlyAddedWhenAskedFor) {
  const Report report = test::sample_report();
  EXPECT_EQ(render_table(report).find('\x1b'), std::string::npos);
  std::string coloured = render_table(report, {.colour = true});
  EXPECT_NE(coloured.find('\x1b'), std::string::npos);
  for (std::size_t at; (at = coloured.find('\x1b')) != std::string::npos;) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  EXPECT_EQ(coloured, render_table(report));
}

TEST(Table, AnyReportThatCanBeReadCanBeShown) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Report report = read_report(to_json(test::random_report(seed)), "report.json");
    const std::string text = render_table(report);
    EXPECT_EQ(text.find("nan"), std::string::npos) << seed;
    EXPECT_EQ(text.find("inf"), std::string::npos) << seed;
  }
}

}  // namespace
}  // namespace roofline::report
