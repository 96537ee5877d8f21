// What a point and an explanation look like as JSON.
#include "report/json_writer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sample_reports.hpp"

namespace roofline {
namespace {

using Json = nlohmann::ordered_json;
using report::explanation_json;
using report::point_json;
using report::to_json;

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> out;
  for (const auto& entry : object.items()) out.push_back(entry.key());
  return out;
}

Record skipped_kernel(const Kernel& kernel) {
  Record out;
  out.id = "kernel";
  out.workload = kernel;
  out.account = account(out.workload);
  return out;
}

TEST(ExplanationJson, HasItsKeysInTheirOrder) {
  const std::vector<std::string> expected = {"device",
                                             "kind",
                                             "shape",
                                             "workload",
                                             "dtype",
                                             "accumulate",
                                             "work_flop",
                                             "traffic_byte",
                                             "intensity_flop_per_byte",
                                             "ridge_flop_per_byte",
                                             "ridge_distance",
                                             "bound",
                                             "near_ridge",
                                             "ceiling_flop_per_s",
                                             "floor_s",
                                             "overhead_s",
                                             "overhead_path",
                                             "overhead_origin",
                                             "overhead_source",
                                             "mfu_ceiling",
                                             "peak_flop_per_s",
                                             "peak_key",
                                             "peak_sparsity",
                                             "peak_origin",
                                             "peak_source",
                                             "peak_clock_hz",
                                             "bandwidth_byte_per_s",
                                             "bandwidth_boundary",
                                             "bandwidth_origin",
                                             "bandwidth_source",
                                             "bandwidth_placement",
                                             "rows_to_ridge",
                                             "lever",
                                             "convention"};
  EXPECT_EQ(keys(explanation_json(test::on_a100(Gemm{.m = 4096, .n = 4096, .k = 4096}))), expected);
}

TEST(ExplanationJson, AnObservationAddsItsKeysAtTheEnd) {
  const Gemm gemm{.m = 4096, .n = 4096, .k = 4096};
  const auto without = keys(explanation_json(test::on_a100(gemm)));
  auto with = keys(explanation_json(test::on_a100(gemm, {.achieved = tflop_per_s(232)})));
  const std::vector<std::string> expected = {"time_s",
                                             "achieved_flop_per_s",
                                             "achieved_byte_per_s",
                                             "mfu",
                                             "executed_flop_per_s",
                                             "hfu",
                                             "clock_adjusted_peak_flop_per_s",
                                             "clock_adjusted_mfu",
                                             "of_ceiling",
                                             "verdict",
                                             "above_roof",
                                             "impossible",
                                             "causes"};
  ASSERT_EQ(with.size(), without.size() + expected.size());
  const auto middle = with.begin() + static_cast<std::ptrdiff_t>(without.size());
  EXPECT_EQ(std::vector(with.begin(), middle), without);
  EXPECT_EQ(std::vector(middle, with.end()), expected);
}

// The seed's A100: 312 TFLOP/s dense bf16 over 2.039 TB/s is a ridge of 153; a square GEMM of n =
// 4096 has intensity n / 3 = 1365 and moves three matrices of 2 n^2 bytes for 2 n^3 FLOP.
TEST(ExplanationJson, PlacesTheSeedsGemm) {
  const Json at = explanation_json(
      test::on_a100(Gemm{.m = 4096, .n = 4096, .k = 4096}, {.achieved = tflop_per_s(232)}));
  EXPECT_EQ(at["device"]["id"], "a100-80gb-sxm");
  EXPECT_EQ(at["kind"], "gemm");
  EXPECT_EQ(at["shape"], "4096x4096x4096");
  EXPECT_EQ(at["work_flop"], 137438953472U);
  EXPECT_EQ(at["traffic_byte"]["total"], 100663296U);
  EXPECT_EQ(at["traffic_byte"]["boundary"], "dram");
  for (const char* tensor : {"A", "B", "C"}) {
    EXPECT_EQ(at["traffic_byte"]["by_tensor"][tensor]["byte"], 33554432U) << tensor;
  }
  EXPECT_EQ(at["traffic_byte"]["by_tensor"]["C"]["direction"], "write");
  EXPECT_NEAR(at["intensity_flop_per_byte"].get<double>(), 4096.0 / 3, 1e-9);
  EXPECT_NEAR(at["ridge_flop_per_byte"].get<double>(), 312.0 / 2.039, 1e-9);
  EXPECT_EQ(at["bound"], "compute");
  EXPECT_EQ(at["peak_origin"], "datasheet");
  EXPECT_EQ(at["rows_to_ridge"]["first_integer"], 166);
  EXPECT_NEAR(at["mfu"].get<double>(), 232.0 / 312, 1e-12);
  EXPECT_EQ(at["verdict"], "at_compute_roof");
  EXPECT_EQ(at["impossible"], false);
}

TEST(ExplanationJson, AWorkloadIsCompleteWithItsDefaultsWrittenOut) {
  const Json gemm = explanation_json(test::on_a100(Gemm{.m = 1, .n = 2, .k = 3}))["workload"];
  EXPECT_EQ(keys(gemm),
            (std::vector<std::string>{"m", "n", "k", "batch", "input", "accumulate", "output",
                                      "transpose_a", "transpose_b", "alpha", "beta",
                                      "convert_a_from", "convert_b_from", "data", "duration"}));
  EXPECT_EQ(gemm["accumulate"], "fp32");
  EXPECT_EQ(gemm["output"], "bf16");
  EXPECT_TRUE(gemm["convert_a_from"].is_null());
  const Json matvec =
      explanation_json(test::on_a100(Projection{.rows = 1, .d_in = 2, .d_out = 3}))["workload"];
  EXPECT_EQ(matvec["weight"], "bf16");
}

TEST(PointJson, UsesTheVeryKeysAndValuesOfItsExplanation) {
  for (const Record& point : test::sample_report().points) {
    const Json explained = explanation_json(point);
    const Json whole = point_json(point);
    std::vector<std::string> shared;
    for (const std::string& key : keys(whole)) {
      if (explained.contains(key)) shared.push_back(key);
    }
    EXPECT_EQ(shared, keys(explained)) << point.id;
    for (const auto& entry : explained.items())
      EXPECT_EQ(whole[entry.key()], entry.value()) << entry.key();
  }
}

TEST(PointJson, EveryPointHasTheSameKeysApartFromReasons) {
  std::vector<std::string> first;
  for (const Record& point : test::sample_report().points) {
    std::vector<std::string> plain;
    for (const std::string& key : keys(point_json(point))) {
      if (!key.ends_with("_reason")) plain.push_back(key);
    }
    if (first.empty()) first = plain;
    EXPECT_EQ(plain, first) << point.id;
  }
}

TEST(PointJson, CountsAreExactIntegersUpTo64Bits) {
  // 2^53 + 1 is the first whole number that no double holds.
  const Record point = skipped_kernel(
      {.flops = Count{9007199254740993U}, .read_bytes = Count{18446744073709551615U}});
  const std::string text = report::to_line(point_json(point));
  EXPECT_NE(text.find("\"work_flop\":9007199254740993,"), std::string::npos) << text;
  EXPECT_NE(text.find("\"total\":18446744073709551615,"), std::string::npos) << text;
}

TEST(PointJson, WhatIsUnknownIsNullWithItsReason) {
  Record point = skipped_kernel({.intensity = flop_per_byte(10)});
  point.placement = place(point.account, point.roofs);
  point.roofs.compute_reason = "no fp32 peak is known";
  point.outcome = Skipped{"not here"};
  const Json at = point_json(point);
  EXPECT_TRUE(at["work_flop"].is_null());
  EXPECT_EQ(at["work_flop_reason"], "the kernel is given by its intensity alone");
  EXPECT_TRUE(at["traffic_byte"]["total"].is_null());
  EXPECT_TRUE(at["traffic_byte"]["by_tensor"].is_null());
  EXPECT_EQ(at["intensity_flop_per_byte"], 10);
  EXPECT_TRUE(at["peak_flop_per_s"].is_null());
  EXPECT_EQ(at["peak_flop_per_s_reason"], "no fp32 peak is known");
  EXPECT_TRUE(at["near_ridge"].is_null());
  EXPECT_TRUE(at["verdict"].is_null());
  EXPECT_TRUE(at["above_roof"].is_null());
  EXPECT_TRUE(at["time_median_s"].is_null());
  EXPECT_EQ(at["samples"], Json::array());
  EXPECT_EQ(at["outcome"], "skipped");
  EXPECT_EQ(at["reason"], "not here");
  EXPECT_FALSE(at.contains("bandwidth_byte_per_s_reason"));
}

// 153.6 GFLOP/s derived and 143 measured, of which 85.7 % are reached.
TEST(PointJson, BothRooflinesStandBesideTheirRatios) {
  const Json at = point_json(test::sample_report().points[5]);
  EXPECT_NEAR(at["hardware_ceiling_flop_per_s"].get<double>(), 153.6e9, 1);
  EXPECT_EQ(at["hardware_peak_origin"], "derived");
  EXPECT_NEAR(at["empirical_ceiling_flop_per_s"].get<double>(), 143e9, 1);
  EXPECT_EQ(at["empirical_peak_origin"], "measured");
  EXPECT_NEAR(at["platform_opportunity"].get<double>(), 153.6 / 143, 1e-9);
  EXPECT_NEAR(at["kernel_opportunity"].get<double>(), 1 / 0.857, 1e-9);
}

TEST(PointJson, AMissingRooflineSaysWhy) {
  Record point = test::sample_report().points[5];
  point.rooflines = rooflines(point.account, {}, point.roofs.memory, point.assessment);
  const Json at = point_json(point);
  for (const char* key : {"hardware_ceiling_flop_per_s", "empirical_ceiling_flop_per_s",
                          "platform_opportunity", "kernel_opportunity"}) {
    EXPECT_TRUE(at[key].is_null()) << key;
    EXPECT_GT(at[std::string(key) + "_reason"].get<std::string>().size(), 10U) << key;
  }
  EXPECT_TRUE(at["hardware_peak_flop_per_s"].is_null());
}

TEST(PointJson, HypothesesKeepTheirOrderAndKeys) {
  const Json at = point_json(test::sample_report().points[7])["hypotheses"];
  ASSERT_FALSE(at.empty());
  EXPECT_EQ(keys(at[0]),
            (std::vector<std::string>{"id", "text", "evidence", "counter", "remedy", "score"}));
  const Json report = report::report_json(test::sample_report());
  EXPECT_EQ(keys(report),
            (std::vector<std::string>{"schema_version", "tool", "run", "device", "environment",
                                      "roofs", "time_model", "findings", "points"}));
  EXPECT_EQ(report["findings"][0]["id"], "refuted_predictions");
  EXPECT_EQ(report["findings"][0]["points"], Json{"matvec/bf16/T=32"});
}

TEST(PointJson, AReadThatMovesNothingHasZeroBytesNotUnknownOnes) {
  Record point;
  point.workload = PeakProbe{.dtype = DType::fp32, .flops = 1000};
  point.account = account(point.workload);
  const Json at = point_json(point);
  EXPECT_EQ(at["traffic_byte"]["total"], 0);
  EXPECT_EQ(at["traffic_byte"]["by_tensor"], Json::object());
  EXPECT_EQ(at["intensity_flop_per_byte_reason"], "no byte crosses the boundary");
}

TEST(PointJson, MovedBytesHoldTheLinesReadBeforeAStore) {
  Record point;
  point.workload = Stream{
      .kind = StreamKind::copy, .elements = 1000, .dtype = DType::fp64, .write_allocate = true};
  point.account = account(point.workload);
  const Json at = point_json(point)["traffic_byte"];
  EXPECT_EQ(at["total"], 16000);
  EXPECT_EQ(at["moved"], 24000);
}

TEST(ReportJson, FactsThatCouldNotBeReadAreNullAndSayWhy) {
  const Json at = report::report_json(test::sample_report())["environment"];
  EXPECT_TRUE(at["governor"].is_null());
  EXPECT_EQ(at["unknown"]["governor"], "the kernel shows no cpufreq");
  EXPECT_EQ(at["l3_byte"], 33554432);
  EXPECT_EQ(at["smt"], false);
  EXPECT_EQ(at["cgroup_cpus"], 1.5);
  EXPECT_EQ(at["isa"], (Json{"avx2", "fma"}));
}

TEST(ReportJson, NeverHoldsNaNOrInfinity) {
  Report report = test::sample_report();
  EXPECT_EQ(report::non_finite_values(report), std::vector<std::string>{});
  Record& point = report.points[5];
  point.placement.ridge = flop_per_byte(std::numeric_limits<double>::infinity());
  std::get<Measured>(point.outcome).noise = std::nan("");
  std::get<Measured>(point.outcome).samples[0].cpu_share = -std::numeric_limits<double>::infinity();
  report.environment.push_back({"clock_hz", std::nan("")});
  EXPECT_EQ(report::non_finite_values(report),
            (std::vector<std::string>{"/environment/clock_hz", "/points/5/ridge_flop_per_byte",
                                      "/points/5/noise", "/points/5/samples/0/cpu_share"}));
  EXPECT_TRUE(point_json(point)["noise"].is_null());
  EXPECT_TRUE(explanation_json(point)["ridge_flop_per_byte"].is_null());
  const Json read = Json::parse(to_json(report));
  EXPECT_TRUE(read["points"][5]["ridge_flop_per_byte"].is_null());
  EXPECT_TRUE(read["points"][5]["noise"].is_null());
  EXPECT_TRUE(read["environment"]["clock_hz"].is_null());
}

TEST(ReportJson, InvalidUtf8IsReplacedNotPassedOn) {
  Report report = test::sample_report();
  report.device_name = "CPU \xFF\xFE 9000";
  report.environment.push_back({"key\xC3", std::string("value\x80")});
  const Json read = Json::parse(to_json(report));
  EXPECT_EQ(read["device"]["name"], "CPU \uFFFD\uFFFD 9000");
  EXPECT_EQ(read["environment"]["key\uFFFD"], "value\uFFFD");
  EXPECT_NO_THROW((void)report::to_line(point_json(report.points[0])));
}

TEST(ReportJson, QuotesBackslashesAndLineBreaksSurvive) {
  Report report = test::sample_report();
  report.run.command_line = "void k<\"a\\b\">(int)\n\t\x01";
  EXPECT_EQ(Json::parse(to_json(report))["run"]["command_line"], report.run.command_line);
}

TEST(ReportJson, TensorsOfOneNameBothCount) {
  Record point = skipped_kernel({.flops = Count{1}, .read_bytes = Count{8}});
  point.account.traffic.push_back({"read", Direction::read, Count{4}});
  const Json at = point_json(point)["traffic_byte"];
  EXPECT_EQ(at["total"], 12);
  EXPECT_EQ(at["by_tensor"]["read"]["byte"], 8);
  EXPECT_EQ(at["by_tensor"]["read (2)"]["byte"], 4);
}

}  // namespace
}  // namespace roofline
