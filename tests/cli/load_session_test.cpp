// Bursts, sustained points and data patterns through the whole program, on scripted machines: what
// the device could before its clock fell, what it sustains, and which of them is the best measured.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/run_tool.hpp"
#include "support/schema_check.hpp"

namespace roofline::test {
namespace {

using nlohmann::json;

std::string power_limited() {
  const std::ifstream file(ROOFLINE_SOURCE_DIR "/tests/data/scripts/power_limited.script");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Outcome {
  Run run;
  json report;

  [[nodiscard]] const json& point(const std::string& id) const {
    for (const json& entry : report.at("points")) {
      if (entry.at("id") == id) return entry;
    }
    throw std::runtime_error("no point " + id);
  }
  [[nodiscard]] double number(const std::string& id, const std::string& key) const {
    return point(id).at(key).get<double>();
  }
};

Outcome gemm(const std::string& script, std::vector<std::string> options) {
  const TemporaryFolder folder;
  std::vector<std::string> all = {
      "gemm", "--backend",           "scripted:" + folder.write("m.script", script),
      "-o",   folder.path("r.json"), "--seed",
      "5"};
  all.insert(all.end(), options.begin(), options.end());
  Outcome out{roofline(all), {}};
  const std::string text = folder.read("r.json");
  for (const std::string& error : schema_errors(text)) ADD_FAILURE() << error;
  out.report = json::parse(text);
  return out;
}

constexpr const char* kShape = "8192x8192x8192";
constexpr const char* kTurns = "gemm/bf16/8192x8192x8192";
constexpr const char* kBurst = "gemm/bf16/8192x8192x8192_burst";
constexpr const char* kSustained = "gemm/bf16/8192x8192x8192_sustained";
constexpr double kPeak = 989.4e12;

TEST(LoadSession, ABurstKeepsTheClockThatNothingSustains) {
  const Outcome out = gemm(power_limited(), {"--shape", kShape, "--duration", "burst,sustained"});
  ASSERT_EQ(out.run.status, 0) << out.run.err;
  EXPECT_NEAR(out.number(kBurst, "achieved_flop_per_s"), 0.78 * kPeak, 0.005 * kPeak);
  EXPECT_NEAR(out.number(kSustained, "achieved_flop_per_s"), 0.78 * 0.85 * kPeak, 0.005 * kPeak);
  EXPECT_EQ(out.point(kBurst).at("end"), "converged");
  EXPECT_EQ(out.point(kSustained).at("end"), "converged");
  // The clock explains all of it.
  EXPECT_NEAR(out.number(kSustained, "clock_adjusted_mfu"), 0.78, 0.005);
  EXPECT_NEAR(out.number(kSustained, "mfu"), 0.78 * 0.85, 0.005);
  EXPECT_EQ(out.point(kBurst).at("implementation").at("rest_s"), 2.0);
  EXPECT_GE(out.point(kSustained).at("implementation").at("settling_s").get<double>(), 3.0);
  EXPECT_EQ(out.point(kSustained).at("implementation").at("settled"), true);
}

TEST(LoadSession, WhatTheDeviceSaidStandsBesideTheFigure) {
  const Outcome out = gemm(power_limited(), {"--shape", kShape, "--duration", "burst,sustained"});
  for (const char* id : {kBurst, kSustained}) {
    EXPECT_EQ(out.point(id).at("power_w"), 650.0);
    EXPECT_EQ(out.point(id).at("temperature_c"), 61.0);
    for (const json& sample : out.point(id).at("samples")) EXPECT_EQ(sample.at("power_w"), 650.0);
  }
  EXPECT_EQ(out.point(kBurst).at("clock_events"), json::array());
  EXPECT_EQ(out.point(kSustained).at("clock_events"), json::array({"sw_power_cap"}));
  for (const json& sample : out.point(kSustained).at("samples"))
    EXPECT_EQ(sample.at("disturbance"), nullptr) << "the power limit is what it runs into";
}

// The clock hardly falls, but the limit is met from the first sample on.
TEST(LoadSession, ABurstAtThePowerLimitIsNone) {
  const Outcome out = gemm(power_limited() + "point gemm/* clock_events=sw_power_cap\n",
                           {"--shape", kShape, "--duration", "burst,sustained"});
  EXPECT_EQ(out.point(kBurst).at("end"), "throttled");
  EXPECT_GT(out.number(kBurst, "mfu"), 0.5) << "with the figures it has";
  EXPECT_EQ(out.point(kSustained).at("end"), "converged");
}

TEST(LoadSession, HeatEndsAsThrottledAndKeepsTheFigures) {
  const Outcome out = gemm(power_limited() + "point gemm/* clock_events=hw_thermal\n",
                           {"--shape", kShape, "--duration", "turns,burst,sustained"});
  for (const char* id : {kTurns, kBurst, kSustained}) {
    EXPECT_EQ(out.point(id).at("end"), "throttled") << id;
    EXPECT_GT(out.number(id, "mfu"), 0.5) << id;
    EXPECT_FALSE(out.point(id).at("time_median_s").is_null());
  }
  EXPECT_EQ(out.point(kTurns).at("best_measured_mfu"), nullptr) << "what was throttled is no roof";
}

// B066: 158 of 312 TFLOP/s, because the PCIe board may take 250 W and the table's peak is SXM's.
TEST(LoadSession, B066_ABoardWithLessPowerIsHeldAgainstThePeakAndExplained) {
  const std::string script = R"(device cuda:0 "NVIDIA A100-PCIE-40GB"
fact sm_count 108
fact memory_bytes 42505273344
memory 32GiB
clock 1.41GHz
peak fp16 312TFLOP/s
bandwidth dram 1.4TB/s
overhead kernel 3us
overhead library 5us
point * noise=0.3%
point peak/* unsupported="no probe of the matrix units"
point gemm/* efficiency=80% clock=0.9GHz power=250W clock_events=sw_power_cap
)";
  const Outcome out = gemm(script, {"--dtype", "fp16", "--shape", kShape});
  ASSERT_EQ(out.run.status, 0) << out.run.err;
  const json& point = out.point("gemm/fp16/8192x8192x8192");
  EXPECT_EQ(point.at("peak_flop_per_s"), 312e12);
  EXPECT_NEAR(point.at("mfu").get<double>(), 0.506, 0.01);
  EXPECT_NEAR(point.at("clock_adjusted_mfu").get<double>(), 0.80, 0.01);
  EXPECT_EQ(point.at("power_w"), 250.0);
  EXPECT_EQ(point.at("clock_events"), json::array({"sw_power_cap"}));
  EXPECT_EQ(point.at("hypotheses").at(0).at("id"), "power_capped");
  double rated = 0;  // 5120 bits at 2 x 1215 MHz; the datasheet prints 1555 GB/s
  for (const json& roof : out.report.at("roofs"))
    if (roof.at("name") == "rated") rated = roof.at("bandwidth_byte_per_s").get<double>();
  EXPECT_NEAR(rated, 1555.2e9, 0.5e9);
}

TEST(LoadSession, AMachineThatHoldsItsClockSustainsItsBurst) {
  std::string script = power_limited();
  script.erase(script.find("heat"), script.find('\n', script.find("heat")) - script.find("heat"));
  const Outcome out = gemm(script, {"--shape", kShape, "--duration", "burst,sustained"});
  EXPECT_NEAR(out.number(kBurst, "mfu") / out.number(kSustained, "mfu"), 1, 0.005);
}

std::string power_limited_after(const std::string& time) {
  std::string script = power_limited();
  return script.replace(script.find("heat       1s"), 13, "heat " + time);
}

TEST(LoadSession, ABurstEndsWhenTheClockFalls) {
  const Outcome out = gemm(power_limited_after("50ms"), {"--shape", kShape, "--duration", "burst"});
  const json& point = out.point(kBurst);
  EXPECT_EQ(out.run.status, 0) << out.run.err;
  EXPECT_NEAR(point.at("mfu").get<double>(), 0.78, 0.005) << "of the first 50 ms";
  EXPECT_EQ(point.at("implementation").at("bursts"), 1);
  EXPECT_EQ(point.at("samples").back().at("disturbance"), "throttled");
}

TEST(LoadSession, AClockThatFallsAtOnceLeavesNoBurst) {
  const Outcome out = gemm(power_limited_after("10ms"), {"--shape", kShape, "--duration", "burst"});
  const json& point = out.point(kBurst);
  EXPECT_EQ(point.at("end"), "throttled");
  EXPECT_EQ(point.at("implementation").at("bursts"), 3);
  EXPECT_NEAR(point.at("mfu").get<double>(), 0.78 * 0.85, 0.005) << "the figures are kept";
  for (const json& roof : out.report.at("roofs")) EXPECT_NE(roof.at("point"), kBurst);
}

TEST(LoadSession, ThreeRatiosStandBesideTheirPeaks) {
  const Outcome out = gemm(power_limited(), {"--shape", "8192x8192x8192,512x4096x4096",
                                             "--duration", "turns,burst,sustained"});
  ASSERT_EQ(out.run.status, 0) << out.run.err;
  const json& point = out.point("gemm/bf16/512x4096x4096_sustained");
  EXPECT_EQ(point.at("peak_origin"), "datasheet");
  EXPECT_NEAR(out.number(kSustained, "clock_adjusted_peak_flop_per_s"), 0.85 * kPeak, 1e12);
  EXPECT_EQ(point.at("empirical_peak_origin"), "measured");
  const std::string best = point.at("empirical_peak_point").get<std::string>();
  EXPECT_TRUE(best == kTurns || best == kSustained) << best << ": no burst";
  EXPECT_NEAR(point.at("best_measured_mfu").get<double>(),
              point.at("achieved_flop_per_s").get<double>() /
                  point.at("empirical_peak_flop_per_s").get<double>(),
              1e-12);
  EXPECT_EQ(out.point(kBurst).at("empirical_peak_point"), kBurst);
  EXPECT_NEAR(out.number(kBurst, "best_measured_mfu"), 1, 1e-12);
  for (const json& entry : out.report.at("points")) {
    const bool product = entry.at("kind") == "gemm";
    EXPECT_FALSE(product && entry.at("defines_roof") == true) << entry.at("id");
  }
}

// B054: zeros draw less power, so that the clock holds.
TEST(LoadSession, B054_ZerosStandBesideRandomDataAndAreNoRoof) {
  const Outcome out = gemm(power_limited() + "point gemm/*zeros* efficiency=90%\n",
                           {"--shape", kShape, "--data", "random,zeros"});
  ASSERT_EQ(out.run.status, 0) << out.run.err;
  const std::string zeros = std::string(kTurns) + "_zeros";
  EXPECT_EQ(out.point(kTurns).at("workload").at("data"), "random");
  EXPECT_EQ(out.point(zeros).at("workload").at("data"), "zeros");
  EXPECT_GT(out.number(zeros, "achieved_flop_per_s"), out.number(kTurns, "achieved_flop_per_s"));
  EXPECT_EQ(out.point(zeros).at("empirical_peak_point"), kTurns);
  EXPECT_GT(out.number(zeros, "best_measured_mfu"), 1.1);
  for (const json& roof : out.report.at("roofs")) EXPECT_NE(roof.at("point"), zeros);
}

TEST(LoadSession, ClocksSettleOncePerTypeAndTheTimeIsPlanned) {
  const std::vector<std::string> asked = {"--dtype",    "bf16,fp16", "--m", "2048,4096,8192",
                                          "--n",        "8192",      "--k", "8192",
                                          "--duration", "sustained"};
  const Outcome out = gemm(power_limited(), asked);
  ASSERT_EQ(out.run.status, 0) << out.run.err;
  std::size_t at_length = 0;
  for (const json& entry : out.report.at("points")) {
    const json& facts = entry.at("implementation");
    if (facts.contains("settling_s")) at_length += facts.at("settling_s").get<double>() >= 3;
  }
  EXPECT_EQ(at_length, 2U);
  std::vector<std::string> dry = asked;
  dry.emplace_back("--dry-run");
  const TemporaryFolder folder;
  dry.insert(dry.begin(),
             {"gemm", "--backend", "scripted:" + folder.write("m.script", power_limited())});
  const auto planned = roofline(dry);
  ASSERT_EQ(planned.status, 0) << planned.err;
  // 2 x (3 + 2) s and 4 x (1 + 2) s, half a span each, and a second for each of the roofs.
  const std::size_t total = planned.out.find("11 points, about ");
  ASSERT_NE(total, std::string::npos) << planned.out;
  const double seconds = std::stod(planned.out.substr(total + 17));
  EXPECT_GT(seconds, 24) << planned.out;
  EXPECT_LT(seconds, 32) << planned.out;
}

TEST(LoadSession, ABudgetNeverMakesSomethingElseOfASustainedFigure) {
  const Outcome out = gemm(power_limited(), {"--m", "2048,4096,8192", "--n", "8192", "--k", "8192",
                                             "--duration", "turns,sustained", "--budget", "10s"});
  std::size_t skipped = 0;
  for (const json& entry : out.report.at("points")) {
    if (entry.at("kind") != "gemm") continue;
    if (entry.at("outcome") == "skipped") {
      ++skipped;
      const std::string reason = entry.at("reason").get<std::string>();
      EXPECT_NE(reason.find("a sustained figure takes"), std::string::npos) << reason;
      EXPECT_NE(reason.find("budget"), std::string::npos) << reason;
      continue;
    }
    if (entry.at("workload").value("duration", "turns") != "sustained") continue;
    double sampled = 0;
    for (const json& sample : entry.at("samples")) sampled += sample.at("duration_s").get<double>();
    EXPECT_GE(sampled, 2.0) << entry.at("id");
  }
  EXPECT_GE(skipped, 1U);
  EXPECT_LE(skipped, 2U);
  EXPECT_EQ(out.report.at("run").at("end"), "budget_spent");
}

TEST(LoadSession, ASuiteSaysHowLongLoadLasts) {
  const TemporaryFolder folder;
  const std::string suite = folder.write("s.json", R"({"name":"load",
    "sampling":{"rest_s":0.5,"burst_s":0.2,"settle_s":1,"settle_most_s":4,"sustained_s":0.7},
    "points":[{"kind":"gemm","dtype":"bf16","shape":"8192x8192x8192",
               "duration":["burst","sustained"],"data":["random","zeros"]}]})");
  const auto run =
      roofline({"run", "--backend", "scripted:" + folder.write("m.script", power_limited()),
                "--suite", suite, "-o", folder.path("r.json")});
  ASSERT_EQ(run.status, 0) << run.err;
  const json report = json::parse(folder.read("r.json"));
  ASSERT_EQ(report.at("points").size(), 4U);
  for (const json& entry : report.at("points")) {
    const json& facts = entry.at("implementation");
    if (entry.at("workload").at("duration") == "burst") {
      EXPECT_EQ(facts.at("rest_s"), 0.5);
    } else {
      EXPECT_GE(facts.at("settling_s").get<double>(), 1.0);
      EXPECT_LE(facts.at("settling_s").get<double>(), 4.5);
    }
  }
}

}  // namespace
}  // namespace roofline::test
