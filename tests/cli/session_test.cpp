// Measuring commands on the CPU that the tests run on, with suites small enough for any machine.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "support/run_tool.hpp"
#include "support/schema_check.hpp"

namespace roofline::test {
namespace {

using nlohmann::json;

/// A few milliseconds per point; arrays far below DRAM size, so figures mean nothing and only the
/// path is tested.
constexpr const char* kTiny = R"({"name":"tiny",
  "sampling":{"warm_up_s":0.005,"sample_s":0.002,"budget_s":0.02,"min_samples":3},
  "points":[{"kind":"peak","dtype":"fp32"},
            {"kind":"stream","stream":["read","copy"],"dtype":"fp64","elements":100000},
            {"kind":"gemm","dtype":["fp32","fp8"],"shape":"64x64x64"},
            {"kind":"matvec","weights":"fp32","rows":[1,8],"shape":"256x512"}]})";

/// It went through: or, on a busy machine, it says that other work disturbed every point. The
/// report is whole then too.
testing::AssertionResult went_through(const Run& run) {
  const bool disturbed = run.status == 5 && run.err.find("disturbed") != std::string::npos;
  if (run.status == 0 || disturbed) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "status " << run.status << ": " << run.err;
}

const json& point(const json& report, const std::string& id) {
  for (const json& entry : report.at("points")) {
    if (entry.at("id") == id) return entry;
  }
  throw std::runtime_error("no point " + id);
}

TEST(Session, ReportHoldsEveryPointVerifiedAndValid) {
  const TemporaryFolder folder;
  const std::string suite = folder.write("tiny.json", kTiny);
  const auto run = roofline({"run", "--suite", suite, "-o", folder.path("report.json")});
  ASSERT_TRUE(went_through(run));
  const std::string text = folder.read("report.json");
  for (const std::string& error : schema_errors(text)) ADD_FAILURE() << error;
  const json report = json::parse(text);
  EXPECT_EQ(report.at("run").at("interrupted"), false);
  EXPECT_EQ(report.at("points").size(), 7U);
  for (const json& entry : report.at("points")) {
    const std::string id = entry.at("id").get<std::string>();
    if (id.starts_with("gemm/fp8")) {
      EXPECT_EQ(entry.at("outcome"), "skipped");
      EXPECT_FALSE(entry.at("reason").get<std::string>().empty());
    } else if (entry.at("outcome") != "skipped") {
      EXPECT_EQ(entry.at("outcome"), "measured") << id;
      EXPECT_EQ(entry.at("verification").at("state"), "verified") << id;
      EXPECT_GT(entry.at("time_median_s").get<double>(), 0) << id;
      // One call may take longer than the budget where it is watched.
      EXPECT_GE(entry.at("samples").size(), ROOFLINE_SANITIZED ? 1U : 3U) << id;
    }
  }
  // The table on stdout speaks of the same points, and `show` prints it again.
  EXPECT_NE(run.out.find("64x64x64"), std::string::npos) << run.out;
  EXPECT_EQ(roofline({"show", folder.path("report.json")}).out, run.out);
}

TEST(Session, PointsUseTheKeysOfExplain) {
  const TemporaryFolder folder;
  const std::string suite = folder.write("tiny.json", kTiny);
  ASSERT_TRUE(went_through(roofline({"run", "--suite", suite, "-o", folder.path("r.json")})));
  const json measured = point(json::parse(folder.read("r.json")), "matvec/fp32/T=8_256x512");
  const json explained = json::parse(
      roofline({"explain", "--matvec", "256x512", "--rows", "8", "--dtype", "fp32", "--peak-flops",
                "1TFLOP/s", "--bandwidth", "10GB/s", "--time", "1ms", "--json"})
          .out);
  for (const auto& [key, value] : explained.items()) EXPECT_TRUE(measured.contains(key)) << key;
  EXPECT_EQ(measured.at("work_flop"), explained.at("work_flop"));
  EXPECT_EQ(measured.at("traffic_byte"), explained.at("traffic_byte"));
}

TEST(Session, MeasuredBandwidthFeedsExplain) {
  const TemporaryFolder folder;
  const std::string script =
      folder.write("m.script", "peak fp64 1TFLOP/s\nbandwidth dram 200GB/s\npoint * noise=0.1%\n");
  ASSERT_EQ(roofline({"bandwidth", "--backend", "scripted:" + script, "-o", folder.path("r.json")})
                .status,
            0);
  const json report = json::parse(folder.read("r.json"));
  double read = 0;
  for (const json& roof : report.at("roofs")) {
    if (roof.at("name") == "read") read = roof.at("bandwidth_byte_per_s").get<double>();
  }
  ASSERT_NEAR(read, 200e9, 1e9);
  const auto run =
      roofline({"explain", "--device", "a100-80gb-sxm", "--matvec", "4096x4096", "--dtype", "bf16",
                "--bandwidth", "measured:" + folder.path("r.json"), "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  const json out = json::parse(run.out);
  EXPECT_EQ(out.at("bandwidth_origin"), "measured");
  EXPECT_EQ(out.at("bandwidth_byte_per_s").get<double>(), read) << "a matvec reads";
}

TEST(Session, DryRunListsPointsAndMeasuresNoneOfThem) {
  const TemporaryFolder folder;
  const auto run = roofline({"gemm", "--dtype", "fp32", "--shape", "64x64x64", "--threads", "1",
                             "--dry-run", "-o", folder.path("never.json")});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("gemm/fp32/64x64x64"), std::string::npos) << run.out;
  // On a busy machine every roof is disturbed, and no side can be told.
  const bool told = run.out.find("compute side") != std::string::npos ||
                    run.out.find("other work disturbed") != std::string::npos;
  EXPECT_TRUE(told) << run.out;
  EXPECT_FALSE(std::filesystem::exists(folder.path("never.json")));
}

TEST(Session, FewerThreadsThanAskedForIsSaid) {
  const auto run = roofline({"bandwidth", "--stream", "read", "--threads", "4096", "--dry-run"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find("warning: --threads: 4096"), std::string::npos) << run.err;
}

TEST(Session, WhatIsNotHereIsStatusThree) {
  const auto gpu = roofline({"run", "--device", "cuda:99"});
  EXPECT_EQ(gpu.status, 3);
  EXPECT_NE(gpu.err.find("'cuda:99' is not here; this machine has"), std::string::npos) << gpu.err;
  EXPECT_EQ(roofline({"run", "--device", "cpu", "--require", "gpu"}).status, 3);
  EXPECT_EQ(roofline({"bandwidth", "--boundary", "link", "--device", "CPU"}).status, 3)
      << "the CPU has no link to itself";
  const auto fp8 = roofline({"gemm", "--dtype", "fp8", "--shape", "64x64x64", "--threads", "1"});
  EXPECT_EQ(fp8.status, 3) << "its roofs could be measured, what was asked for could not: "
                           << fp8.err;
  EXPECT_EQ(fp8.out.find("GB/s"), std::string::npos)
      << "roofs that nothing needs were measured: " << fp8.out;
  const auto none = roofline(
      {"gemm", "--dtype", "fp8", "--shape", "64x64x64", "--threads", "1", "--require-dtype"});
  EXPECT_EQ(none.status, 2) << "unknown options stay usage errors";
}

TEST(Session, BadInputLeavesEarlierResultsWhole) {
  const TemporaryFolder folder;
  const std::string earlier = folder.write("report.json", "precious");
  const std::vector<std::vector<std::string>> calls{
      {"run", "--suite", "nope", "-o", earlier},
      {"run", "--suite", folder.write("bad.json", "{"), "-o", earlier},
      {"gemm", "--shape", "0x0x0", "-o", earlier},
      {"gemm", "--m", "8:1:x2", "-o", earlier},
      {"gemm", "--m", "1:100000000:+1", "-o", earlier},
      {"matvec", "--rows", "0", "-o", earlier},
      {"bandwidth", "--elements", "1e30", "-o", earlier},
      {"bandwidth", "--stream", "quad", "-o", earlier},
      {"run", "--threads", "0", "-o", earlier},
      {"run", "--threads", "", "-o", earlier},
      {"run", "--dry-run", "--json", "-o", earlier},
      {"gemm", "--dry-run", "-o", "-"},
  };
  for (const auto& call : calls) {
    const auto run = roofline(call);
    EXPECT_EQ(run.status, 2) << call[0] << ' ' << call[1] << ' ' << call[2] << ": " << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_EQ(run.err.find("json.exception"), std::string::npos) << run.err;
    EXPECT_EQ(folder.read("report.json"), "precious");
  }
}

TEST(Session, UnwritableOutputIsFoundBeforeMeasuring) {
  const auto begin = std::chrono::steady_clock::now();
  const auto run = roofline({"run", "-o", "/nowhere/at/all.json"});
  EXPECT_EQ(run.status, 4) << run.err;
  EXPECT_NE(run.err.find("/nowhere/at/all.json"), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(Session, InterruptKeepsFinishedPoints) {
  const TemporaryFolder folder;
  const std::string suite = folder.write("slow.json", R"({"name":"slow",
    "sampling":{"warm_up_s":0.005,"sample_s":0.002,"budget_s":0.02,"min_samples":3},
    "points":[{"kind":"stream","stream":["read","copy"],"dtype":"fp64","elements":100000},
              {"kind":"gemm","dtype":"fp64","shape":["2048x2048x2048","4096x4096x4096","8192x8192x8192"]},
              {"kind":"matvec","weights":"fp32","rows":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16],"shape":"8192x8192"}]})");
  const std::string output = folder.path("r.json");
  const std::string binary = roofline_path();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    (void)!freopen("/dev/null", "w", stdout);
    (void)!freopen("/dev/null", "w", stderr);
    execl(binary.c_str(), binary.c_str(), "run", "--suite", suite.c_str(), "-o", output.c_str(),
          nullptr);
    _exit(127);
  }
  const auto finished = [&] {
    if (!std::filesystem::exists(output + ".journal")) return std::ptrdiff_t{0};
    const std::string journal = folder.read("r.json.journal");
    return std::count(journal.begin(), journal.end(), '\n') - 1;
  };
  for (int i = 0; i < 600 && finished() < 1; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ASSERT_GE(finished(), 1) << "finished points are on disk while the sweep runs";
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  const json report = json::parse(folder.read("r.json"));
  EXPECT_EQ(report.at("run").at("interrupted"), true);
  EXPECT_GE(report.at("points").size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(output + ".journal")) << "the report holds all of it";
}

TEST(Session, JsonOnStdoutIsTheReport) {
  const TemporaryFolder folder;
  const auto run = roofline({"run", "--suite", folder.write("tiny.json", kTiny), "-o", "-"});
  ASSERT_TRUE(went_through(run));
  EXPECT_TRUE(schema_errors(run.out).empty());
}

}  // namespace
}  // namespace roofline::test
