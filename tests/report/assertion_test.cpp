#include "report/assertion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sample_reports.hpp"

namespace roofline::report {
namespace {

/// A product at 150 TFLOP/s of 300 (datasheet) and of 200 (measured), a read at 1.5 TB/s of 2.
Report gpu_report() {
  Report out;
  out.device_id = "cuda:0";
  out.device_name = "NVIDIA X";
  const ComputeRoof sheet{flop_per_s(3e14), PeakKey::bf16, Sparsity::dense, Origin::datasheet, "d"};
  const ComputeRoof shown{flop_per_s(2e14), PeakKey::bf16, Sparsity::dense, Origin::measured, "m"};
  const MemoryRoof rated{byte_per_s(2e12), Boundary::dram, Origin::datasheet, "d"};
  out.roofs = {{"bf16", sheet, {}, {}}, {"bf16", shown, {}, {}}, {"dram", rated, {}, {}}};
  const auto measured = [](double seconds) {
    Measured m;
    m.time_median = second(seconds);
    m.end = MeasurementEnd::converged;
    return m;
  };
  Record gemm;
  gemm.id = "gemm/bf16/1000x1000x1000";
  gemm.workload = Gemm{.m = 1000, .n = 1000, .k = 1000, .input = DType::bf16};
  gemm.account = account(gemm.workload);
  gemm.outcome = measured(2e9 / 1.5e14);
  gemm.roofs.compute = sheet;
  gemm.placement.ceiling = flop_per_s(2.5e14);
  gemm.assessment.emplace();
  gemm.assessment->achieved = flop_per_s(1.5e14);
  gemm.assessment->mfu = 0.5;
  gemm.assessment->of_ceiling = 0.6;
  Record read;
  read.id = "stream/fp64/read";
  read.workload = Stream{StreamKind::read, 1'000'000, DType::fp64};
  read.account = account(read.workload);
  read.outcome = measured(8e6 / 1.5e12);
  read.assessment.emplace();
  read.assessment->achieved_bandwidth = byte_per_s(1.5e12);
  out.points = {gemm, read};
  for (Record& point : out.points)
    std::get<Measured>(point.outcome).verification.state = VerificationState::verified;
  return out;
}

Answer answer(const std::string& text, const Report& report = gpu_report()) {
  return ask(parse_assertion(text), report);
}

TEST(Assertions, HoldOrFailByTheFigure) {
  EXPECT_TRUE(answer("gemm.of_ceiling >= 0.6").holds);
  EXPECT_FALSE(answer("gemm.of_ceiling > 60%").holds);
  EXPECT_TRUE(answer("gemm[dtype=bf16].mfu>=50 %").holds);
  EXPECT_TRUE(answer("read.bandwidth > 1.4 TB/s").holds);
  EXPECT_FALSE(answer("read.bandwidth >= 1501GB/s").holds);
  EXPECT_TRUE(answer("gemm.achieved = 150TFLOP/s").holds);
  EXPECT_TRUE(answer("*.time < 14us").holds);
  EXPECT_FALSE(answer("*.time < 13us").holds);
  EXPECT_TRUE(answer("stream/*/read.outcome = measured").holds);
  EXPECT_TRUE(answer("*.outcome != fail*").holds);
}

TEST(Assertions, AShareIsOfTheRoofThatIsNamed) {
  EXPECT_TRUE(answer("gemm.achieved >= 50% of datasheet").holds);
  EXPECT_FALSE(answer("gemm.achieved >= 51% of datasheet").holds);
  EXPECT_TRUE(answer("gemm.achieved >= 75% of measured").holds);
  EXPECT_FALSE(answer("gemm.achieved >= 76% of measured").holds);
  EXPECT_TRUE(answer("gemm.achieved >= 60% of ceiling").holds);
  EXPECT_FALSE(answer("gemm.achieved >= 61% of ceiling").holds);
  EXPECT_TRUE(answer("read.bandwidth >= 75% of datasheet").holds);
  EXPECT_FALSE(answer("read.bandwidth >= 76% of datasheet").holds);
  const Answer unknown = answer("read.bandwidth >= 1% of measured");
  EXPECT_FALSE(unknown.holds);
  EXPECT_NE(unknown.said.at(0).find("no measured roof figure"), std::string::npos);
}

/// A data sheet's 2:4 sparse row is twice the dense one, and no roof of a dense product.
TEST(Assertions, ADenseProductIsHeldAgainstTheDensePeak) {
  Report report = gpu_report();
  const ComputeRoof sparse{flop_per_s(6e14), PeakKey::bf16, Sparsity::sparse_2_4, Origin::datasheet,
                           "d"};
  report.roofs.push_back({"bf16", sparse, {}, {}});
  EXPECT_TRUE(answer("gemm.achieved >= 50% of datasheet", report).holds);
  EXPECT_FALSE(answer("gemm.achieved <= 49% of datasheet", report).holds);
  report.points[0].roofs.compute = sparse;
  EXPECT_TRUE(answer("gemm.achieved <= 25% of datasheet", report).holds);
}

TEST(Assertions, ADataSheetSpeaksOfMemory) {
  Report report = gpu_report();
  Record cached = report.points[1];
  cached.id = "stream/fp64/read-l2";
  cached.account.boundary = Boundary::l2;
  cached.assessment->achieved_bandwidth = byte_per_s(5e12);
  report.points.push_back(cached);
  const Answer read = answer("read.bandwidth >= 75% of datasheet", report);
  EXPECT_TRUE(read.holds);
  EXPECT_EQ(read.points, 1U);
  // Whoever names the cache is told that nobody rates it.
  for (const char* named : {"stream/fp64/read-l2.bandwidth >= 1% of datasheet",
                            "read[traffic_byte.boundary=l2].bandwidth >= 1% of datasheet"}) {
    const Answer cache = answer(named, report);
    EXPECT_EQ(cache.points, 1U) << named;
    EXPECT_FALSE(cache.holds) << named;
  }
  EXPECT_EQ(answer("read.bandwidth >= 1 TB/s", report).points, 2U);
}

TEST(Assertions, IdsMayHaveAnEqualsSign) {
  Report report = gpu_report();
  report.points[0].id = "matvec/bf16/T=1_4096x4096";
  for (const char* text :
       {"matvec/bf16/T=1_4096x4096.of_ceiling >= 0.5", "matvec/bf16/T=1_*.of_ceiling>=0.5",
        "*T=1_*[dtype=bf16].of_ceiling = 0.6", "*/T=*.outcome = measured"}) {
    EXPECT_EQ(answer(text, report).points, 1U) << text;
    EXPECT_TRUE(answer(text, report).holds) << text;
  }
  EXPECT_EQ(answer("*/T=8_*.of_ceiling >= 0", report).points, 0U);
}

TEST(Assertions, IdsMayHaveDots) {
  Report report = gpu_report();
  report.points[0].id = "kernel/bf16/softmax.v2.time";
  for (const char* text :
       {"kernel/bf16/softmax.v2.time.of_ceiling >= 0.5", "*softmax.v2*.of_ceiling >= 0.5",
        "kernel/bf16/softmax.v2*[dtype=bf16].of_ceiling >= 0.5",
        "*[id=*softmax.v2*].of_ceiling = 60%"})
    EXPECT_TRUE(answer(text, report).holds) << text;
}

TEST(Assertions, ValuesAreWrittenWithTheirUnit) {
  for (const char* text :
       {"gemm.work_flop = 2GFLOP", "gemm.work_flop >= 1.9 GFLOP", "read.traffic_byte.total = 8MB",
        "read.bandwidth >= 0", "gemm.achieved_flop_per_s >= 1e14",
        "gemm[time<14us].of_ceiling >= 0.5", "gemm[achieved>100TFLOP/s].mfu >= 0.5",
        "gemm.achieved >= 50%of datasheet", "gemm.mfu\t>=\t50%"})
    EXPECT_TRUE(answer(text).holds) << text;
}

/// A gate whose limit holds for ever, or never, is none.
TEST(Assertions, WhatCannotBeMeantIsRefused) {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      static_cast<void>(parse_assertion(text));
    } catch (const AssertionError& error) {
      return error.what();
    }
    return "taken";
  };
  EXPECT_EQ(
      refusal("gemm.of_ceiling >= 60"),
      "of_ceiling is a share, and 60 means 6000 %; write 60% or 0.6, or 6000% where that is meant");
  EXPECT_EQ(refusal("gemm.noise <= 5"),
            "noise is a share, and 5 means 500 %; write 5% or 0.05, or 500% where that is meant");
  EXPECT_EQ(refusal("gemm.noise <= 500%"), "taken");
  EXPECT_EQ(refusal("read.bandwidth >= 150"), "150 of what unit? Write for example 150GB/s");
  EXPECT_EQ(refusal("gemm.achieved >= 1"), "1 of what unit? Write for example 1TFLOP/s");
  EXPECT_EQ(refusal("gemm.time <= 3"), "3 of what unit? Write for example 3us");
  EXPECT_EQ(
      refusal("gemm.kernel_opportunity <= 150%"),
      "'150%': kernel_opportunity is no share of anything; it says how many times, as in 1.5");
  EXPECT_EQ(refusal("*.outcome != faild"),
            "outcome is never 'faild'; it is one of measured, skipped, failed, incorrect");
  EXPECT_EQ(refusal("*.dtype = bf61").substr(0, 22), "dtype is never 'bf61';");
  for (const char* sign : {"=>", "==", "=<", "<<"})
    EXPECT_EQ(refusal("read.bandwidth " + std::string(sign) + " 1GB/s"),
              "there is no such relation: >=, <=, >, <, = or !=");
  EXPECT_EQ(refusal("gemm.time <= 3 parsecs").substr(0, 30), "time_median_s: '3 parsecs' has");
}

/// Every value that a column of a list can have is in the list.
TEST(Assertions, WordsOfColumnsAreAllThereAre) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    for (const Record& record : test::random_report(seed).points) {
      for (const Column& column : columns()) {
        if (column.words == nullptr) continue;
        const Cell cell = column.get(record);
        const auto* const word = std::get_if<std::string>(&cell);
        if (word == nullptr) continue;
        const auto words = column.words();
        EXPECT_NE(std::find(words.begin(), words.end(), *word), words.end())
            << column.key << ' ' << *word;
      }
    }
  }
}

TEST(Assertions, YesAndNoAreWhatTablesSay) {
  for (const char* yes : {"yes", "true"}) {
    EXPECT_TRUE(answer("gemm.defines_roof != " + std::string(yes)).holds);
    EXPECT_FALSE(answer("gemm.defines_roof = " + std::string(yes)).holds);
  }
  for (const char* no : {"no", "false"})
    EXPECT_TRUE(answer("gemm.defines_roof = " + std::string(no)).holds);
  for (const char* other : {"maybe", "0", "Yes", "n*", ""})
    EXPECT_THROW((void)parse_assertion("gemm.defines_roof != " + std::string(other)),
                 AssertionError)
        << other;
}

TEST(Assertions, WhatNobodyVerifiedIsMarked) {
  Report report = gpu_report();
  EXPECT_EQ(answer("gemm.of_ceiling >= 0.5", report).said.at(0).find("(unverified)"),
            std::string::npos);
  std::get<Measured>(report.points[0].outcome).verification.state = VerificationState::unverified;
  EXPECT_NE(answer("gemm.of_ceiling >= 0.5", report).said.at(0).find("(unverified)"),
            std::string::npos);
}

/// A gate that looks at nothing, or at a figure that is none, has not passed.
TEST(Assertions, WhatCannotBeSeenFails) {
  const Answer none = answer("matvec.mfu > 0");
  EXPECT_FALSE(none.holds);
  EXPECT_EQ(none.points, 0U);
  EXPECT_EQ(none.said.at(0), "it speaks of no point of the report; it has gemm, read, stream");
  EXPECT_FALSE(answer("gemm[dtype=fp32].mfu >= 0").holds);
  EXPECT_FALSE(answer("read.mfu >= 0").holds);
  EXPECT_FALSE(answer("read.side_agreement != refuted",
                      [] {
                        Report report = gpu_report();
                        report.points[1].outcome = Skipped{"no room"};
                        return report;
                      }())
                   .holds);
  for (const auto end : {MeasurementEnd::contended, MeasurementEnd::throttled}) {
    Report report = gpu_report();
    std::get<Measured>(report.points[0].outcome).end = end;
    EXPECT_FALSE(answer("gemm.of_ceiling > 0.1", report).holds);
  }
  Report impossible = gpu_report();
  impossible.points[0].assessment->impossible = true;
  EXPECT_FALSE(answer("gemm.of_ceiling > 0.1", impossible).holds);
  Report skipped = gpu_report();
  skipped.points[0].outcome = Skipped{"no room"};
  const Answer why = answer("gemm.of_ceiling > 0.1", skipped);
  EXPECT_FALSE(why.holds);
  EXPECT_EQ(why.said.at(0), "gemm/bf16/1000x1000x1000: skipped: no room");
}

TEST(Assertions, OneOfManyIsEnoughToFailAndIsNamed) {
  Report report = gpu_report();
  report.points.push_back(report.points[0]);
  report.points[2].id = "gemm/bf16/8x8x8";
  report.points[2].assessment->of_ceiling = 0.3;
  const Answer found = answer("gemm.of_ceiling >= 0.6", report);
  EXPECT_EQ(found.points, 2U);
  EXPECT_FALSE(found.holds);
  ASSERT_EQ(found.said.size(), 1U);
  EXPECT_EQ(found.said[0], "gemm/bf16/8x8x8: 30.0 %");
  // Of those that hold, the one that comes nearest to failing.
  EXPECT_EQ(answer("gemm.of_ceiling >= 0.1", report).said.at(0), "gemm/bf16/8x8x8: 30.0 %");
  EXPECT_EQ(answer("gemm.of_ceiling <= 0.9", report).said.at(0),
            "gemm/bf16/1000x1000x1000: 60.0 %");
}

/// Of several devices each is held against its own roofs.
TEST(Assertions, RoofsAreThoseOfThePointsDevice) {
  Report report = gpu_report();
  report.devices = {{"cuda:0", "NVIDIA X", {}}, {"cuda:1", "NVIDIA Y", {}}};
  for (RoofEntry& entry : report.roofs) entry.device = "cuda:0";
  RoofEntry slower = report.roofs[2];
  slower.device = "cuda:1";
  std::get<MemoryRoof>(slower.roof).bandwidth = byte_per_s(1.6e12);
  report.roofs.push_back(slower);
  report.points[1].device_id = "cuda:1";
  EXPECT_TRUE(answer("read.bandwidth >= 93% of datasheet", report).holds);
  EXPECT_EQ(answer("read.bandwidth >= 99% of datasheet", report).said.at(0).substr(0, 24),
            "cuda:1 stream/fp64/read:");
  report.points[1].device_id = "cuda:0";
  EXPECT_FALSE(answer("read.bandwidth >= 93% of datasheet", report).holds);
}

TEST(Assertions, AMistakeIsShownWhereItIs) {
  const auto place_of = [](const std::string& text) -> std::size_t {
    try {
      static_cast<void>(parse_assertion(text));
    } catch (const AssertionError& error) {
      EXPECT_FALSE(std::string(error.what()).empty());
      return error.position();
    }
    ADD_FAILURE() << text << " is taken";
    return 0;
  };
  EXPECT_EQ(place_of(""), 0U);
  EXPECT_EQ(place_of("gemm"), 4U);
  EXPECT_EQ(place_of("gemm[dtype=bf16.mfu > 1"), 4U);
  EXPECT_EQ(place_of("gemm[dtyp=1].mfu > 1"), 5U);
  EXPECT_EQ(place_of("gemm.mfo > 1"), 5U);
  EXPECT_EQ(place_of("gemm.mfu 1"), 9U);
  EXPECT_EQ(place_of("gemm.mfu >"), 10U);
  EXPECT_EQ(place_of("gemm.mfu > x"), 11U);
  EXPECT_EQ(place_of("gemm.mfu >= inf"), 12U);
  EXPECT_EQ(place_of("gemm.mfu >= nan"), 12U);
  EXPECT_EQ(place_of("gemm.verdict < x"), 15U);
  EXPECT_EQ(place_of("gemm.achieved > 90%"), 16U);
  EXPECT_EQ(place_of("gemm.achieved > 90% of moon"), 23U);
  EXPECT_EQ(place_of("gemm.mfu > 90% of datasheet"), 18U);
  EXPECT_EQ(place_of("gemm.achieved > 1e12 of datasheet"), 16U);
  EXPECT_EQ(place_of("gemm.achieved > 90% of ceiling now"), 31U);
  EXPECT_EQ(place_of("gemm.time < 5 GB/s"), 12U);
}

/// Whatever a report holds, a question has an answer.
TEST(Assertions, AnyReportCanBeAsked) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Report report = test::random_report(seed);
    for (const char* text : {"*.mfu >= 0", "*.bandwidth > 1% of measured", "*.verdict = at_*",
                             "*.achieved >= 1% of datasheet"}) {
      const Answer found = answer(text, report);
      EXPECT_EQ(found.points, report.points.size());
    }
  }
}

}  // namespace
}  // namespace roofline::report
