// What NVML says under load, through the whole program over the simulated driver: there in the
// report, and null where nobody can be asked.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/run_tool.hpp"
#include "support/schema_check.hpp"

namespace roofline::test {
namespace {

using nlohmann::json;

json report(const std::string& scenario, const std::string& nvml) {
  const TemporaryFolder folder;
  RunOptions options;
  options.environment = {{"FAKEGPU", folder.write("gpu.scenario", scenario)},
                         {"ROOFLINE_LIBCUDA", FAKEGPU_FOLDER "/libcuda.so.1"},
                         {"ROOFLINE_NVML", nvml}};
  const std::string suite = folder.write("s.json", R"({"name":"one",
    "sampling":{"warm_up_s":0.01,"sample_s":0.006,"budget_s":0.05,"min_samples":3},
    "points":[{"kind":"stream","stream":"read","dtype":"fp64"}]})");
  const auto run = roofline(
      {"run", "--device", "cuda:0", "--suite", suite, "-o", folder.path("r.json")}, options);
  EXPECT_EQ(run.status, 0) << run.err;
  const std::string text = folder.read("r.json");
  for (const std::string& error : schema_errors(text)) ADD_FAILURE() << error;
  return json::parse(text);
}

const std::string kSmallA100 = "device a100-80gb l2=256KiB memory=40MiB sms=8\n";
constexpr const char* kNvml = FAKEGPU_FOLDER "/libnvidia-ml.so.1";

TEST(GpuTelemetry, OthersOnTheGpuAreToldBeforeAnythingIsMeasured) {
  const TemporaryFolder folder;
  const auto said = [&](const std::string& processes) {
    RunOptions options;
    options.environment = {{"FAKEGPU", folder.write("gpu.scenario", kSmallA100 + processes)},
                           {"ROOFLINE_LIBCUDA", FAKEGPU_FOLDER "/libcuda.so.1"},
                           {"ROOFLINE_NVML", kNvml}};
    return roofline({"launch", "--device", "cuda:0", "--budget", "1s"}, options).err;
  };
  EXPECT_EQ(said("").find("other process"), std::string::npos);
  EXPECT_NE(said("process 7 1MiB\n").find("warning: cuda:0: another process works on this GPU"),
            std::string::npos);
  EXPECT_NE(said("process 7 1MiB\nprocess 8 1MiB\n").find("cuda:0: 2 other processes work"),
            std::string::npos);
}

TEST(GpuTelemetry, B060_ClocksUnderLoadAreInTheRecordOrNullWithTheReason) {
  const json with = report(kSmallA100, kNvml).at("points").at(0);
  EXPECT_GT(with.at("power_w").get<double>(), 200);
  EXPECT_NEAR(with.at("reported_clock_hz").get<double>(), 1410e6, 1e6);
  EXPECT_GE(with.at("temperature_c").get<double>(), 34);
  EXPECT_EQ(with.at("clock_events"), json::array());
  EXPECT_EQ(with.at("implementation").at("memory_clock_now_hz"), 1593e6);
  const json without = report(kSmallA100, "/nowhere/libnvidia-ml.so.1").at("points").at(0);
  for (const char* key : {"power_w", "reported_clock_hz", "temperature_c", "clock_events"}) {
    ASSERT_TRUE(without.contains(key));
    EXPECT_TRUE(without.at(key).is_null()) << key;
  }
  const json& facts = without.at("implementation");
  EXPECT_TRUE(facts.at("telemetry").is_null());
  EXPECT_NE(facts.at("unknown").at("telemetry").get<std::string>().find("/nowhere"),
            std::string::npos);
  EXPECT_GT(without.at("clock_hz").get<double>(), 1.3e9) << "the device tells that itself";
}

// B061: 200 of 400 W.
TEST(GpuTelemetry, B061_ALimitBelowTheBoardsOwnIsAWarning) {
  const json capped =
      report("device a100-80gb l2=256KiB memory=40MiB sms=8 power_limit=200\n", kNvml);
  EXPECT_EQ(capped.at("points").at(0).at("clock_events"), json::array({"sw_power_cap"}));
  bool said = false;
  for (const json& finding : capped.at("findings")) {
    if (finding.at("id") != "power_limited") continue;
    said = true;
    EXPECT_NE(finding.at("evidence").get<std::string>().find("50"), std::string::npos)
        << finding.at("evidence");
  }
  EXPECT_TRUE(said);
  const json free = report(kSmallA100, kNvml);
  for (const json& finding : free.at("findings")) EXPECT_NE(finding.at("id"), "power_limited");
}

// B063: the power limit in every sample, with the memory's clock where it was.
TEST(GpuTelemetry, B063_ABandwidthAtThePowerLimitIsKept) {
  const json point =
      report(std::string(kSmallA100) + "throttle 0s 80% reason=sw_power_cap\n", kNvml)
          .at("points")
          .at(0);
  EXPECT_EQ(point.at("clock_events"), json::array({"sw_power_cap"}));
  EXPECT_TRUE(point.at("end") == "converged" || point.at("end") == "budget_spent");
  for (const json& sample : point.at("samples")) EXPECT_NE(sample.at("disturbance"), "throttled");
  EXPECT_EQ(point.at("defines_roof"), true);
}

// B054: data run into the power limit, zeros don't.
TEST(GpuTelemetry, B054_ZerosKeepTheClockThatDataLose) {
  const TemporaryFolder folder;
  RunOptions options;
  options.environment = {{"FAKEGPU", folder.write("gpu.scenario",
                                                  "device a100-80gb memory=512MiB l2=256KiB\n"
                                                  "power 500 zeros=250 after=0.2s\n")},
                         {"ROOFLINE_LIBCUDA", FAKEGPU_FOLDER "/libcuda.so.1"},
                         {"ROOFLINE_NVML", kNvml},
                         {"ROOFLINE_CUBLASLT", FAKEGPU_FOLDER "/libcublasLt.so.13"}};
  const std::string suite = folder.write("s.json", R"({"name":"load",
    "sampling":{"sample_s":0.01,"settle_s":1,"settle_most_s":4,"sustained_s":0.2},
    "points":[{"kind":"gemm","dtype":"bf16","shape":"2048x2048x2048","duration":"sustained",
               "data":["random","zeros"]}]})");
  const auto run = roofline(
      {"run", "--device", "cuda:0", "--suite", suite, "-o", folder.path("r.json")}, options);
  ASSERT_EQ(run.status, 0) << run.err;
  const json points = json::parse(folder.read("r.json")).at("points");
  const json& random = points.at(0);
  const json& zeros = points.at(1);
  ASSERT_EQ(zeros.at("workload").at("data"), "zeros");
  EXPECT_EQ(random.at("clock_events"), json::array({"sw_power_cap"}));
  EXPECT_EQ(zeros.at("clock_events"), json::array());
  EXPECT_GT(zeros.at("mfu").get<double>(), 1.02 * random.at("mfu").get<double>());
  EXPECT_NEAR(zeros.at("clock_adjusted_mfu").get<double>(),
              random.at("clock_adjusted_mfu").get<double>(), 0.01);
  EXPECT_GT(random.at("power_w").get<double>(), zeros.at("power_w").get<double>());
  EXPECT_EQ(zeros.at("empirical_peak_point"), random.at("id"));
}

}  // namespace
}  // namespace roofline::test
