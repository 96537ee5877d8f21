// The shipped program from end to end over the simulated driver of tests/fakegpu: what a GPU user
// gets, and how everything that can go wrong with a GPU ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "gpu_machine.hpp"

namespace roofline::test {
namespace {

using nlohmann::json;

// Kernels really run, so memories are small; rates and names are those of the real devices.
// Sanitizers check each of the millions of steps that a kernel's threads take here.
#if ROOFLINE_SANITIZED
constexpr const char* kSmall = " memory=8MiB l2=64KiB\n";
#define FEW_SHAPE "256x1024"
#else
constexpr const char* kSmall = " memory=40MiB l2=256KiB\n";
#define FEW_SHAPE "1024x2048"
#endif

constexpr const char* kSuite = R"({"name":"small",
  "sampling":{"warm_up_s":0.005,"sample_s":0.002,"budget_s":0.05,"min_samples":3},
  "points":[
    {"kind":"launch","path":["kernel","graph","event"]},
    {"kind":"stream","stream":["read","copy","triad"],"dtype":"fp32"},
    {"kind":"matvec","weights":"bf16","rows":[1,8],"shape":"1024x2048"},
    {"kind":"matvec","weights":"int4","activations":"bf16","scale_group":128,"rows":[1,8],
     "shape":"1024x2048"}]})";
constexpr std::size_t kPoints = 10;

/// Where what happens to a GPU matters and not what it measures.
constexpr const char* kFew = R"({"name":"few",
  "sampling":{"warm_up_s":0.005,"sample_s":0.002,"budget_s":0.02,"min_samples":3},
  "points":[
    {"kind":"launch","path":"kernel"},
    {"kind":"stream","stream":["copy","scale"],"dtype":"fp32"},
    {"kind":"matvec","weights":"bf16","rows":1,"shape":")" FEW_SHAPE R"("}]})";
constexpr std::size_t kFewPoints = 4;

TEST(GpuSession, EveryPointOfAnA100IsMeasuredAndVerified) {
  const GpuMachine machine(std::string("device a100-80gb") + kSmall, kSanitized ? kFew : kSuite);
  const auto run = machine.run("cuda:0");
  ASSERT_EQ(run.status, 0) << run.err;
  const json report = machine.report();
  ASSERT_EQ(report.at("points").size(), kSanitized ? kFewPoints : kPoints);
  for (const json& point : report.at("points")) {
    EXPECT_EQ(point.at("outcome"), "measured") << point.at("id");
    EXPECT_EQ(point.at("verification").at("state"), "verified") << point.at("id");
  }
  // Nobody takes it for a GPU.
  EXPECT_TRUE(report.at("device").at("name").get<std::string>().starts_with("FAKE "));
  EXPECT_NE(report.dump().find("580.00-fake"), std::string::npos);
  EXPECT_NE(run.out.find("FAKE"), std::string::npos);
}

TEST(GpuSession, TheQuickSuiteOfAnA100IsVerifiedInEveryPoint) {
  if (kSanitized) GTEST_SKIP() << "a minute of computing without sanitizers";
  const GpuMachine machine("device a100-80gb memory=256MiB l2=2MiB\n");
  const auto run = machine.quick();
  ASSERT_EQ(run.status, 0) << run.err;
  const json report = machine.report();
  EXPECT_EQ(report.at("run").at("end"), "completed");
  for (const json& point : report.at("points")) {
    const std::string id = point.at("id").get<std::string>();
    if (point.at("outcome") == "skipped") {
      // Products that this memory has no room for.
      const std::string why = point.at("reason").get<std::string>();
      EXPECT_TRUE(id.starts_with("gemm/") && why.find("may be used") != why.npos) << id << why;
      continue;
    }
    ASSERT_EQ(point.at("outcome"), "measured") << id;
    EXPECT_EQ(point.at("verification").at("state"), "verified") << id;
  }
  // The seven mixes of memory, three of L2, two ways over the link, five launches, two peaks, seven
  // matvecs, and four of eight products.
  EXPECT_EQ(count(report, "measured"), 30U) << reasons(report);
}

TEST(GpuSession, TheSlowOneOfEightIsNamedWithTheEvidence) {
  if (kSanitized) GTEST_SKIP() << "eight times as long as one";
  const GpuMachine machine(std::string("device h100 x8") + kSmall + "set 5 slow=87%\n", kFew);
  const auto run = machine.run("cuda:0,cuda:1,cuda:2,cuda:3,cuda:4,cuda:5,cuda:6,cuda:7");
  ASSERT_EQ(run.status, 0) << run.err;
  const json report = machine.report();
  EXPECT_EQ(count(report, "measured", "cuda:7"), kFewPoints);
  std::string said;
  for (const json& finding : report.at("findings")) {
    const std::string text = finding.dump();
    if (text.find("cuda:5") != std::string::npos) said = text;
    EXPECT_EQ(text.find("cuda:4"), std::string::npos) << text;
  }
  EXPECT_NE(said.find("stream/fp32/"), std::string::npos) << report.at("findings").dump(1);
  EXPECT_NE(run.out.find("cuda:5"), std::string::npos);
}

TEST(GpuSession, OtherGpusAndSlicesAreVerifiedToo) {
  if (kSanitized) GTEST_SKIP() << "nothing else than on an A100";
  for (const char* preset : {"h200", "t4", "a100-80gb/3g.40gb"}) {
    const GpuMachine machine("device " + std::string(preset) + kSmall, kSuite);
    const auto run = machine.run("cuda:0");
    ASSERT_EQ(run.status, 0) << preset << ": " << run.err;
    const json report = machine.report();
    for (const json& point : report.at("points")) {
      if (point.at("outcome") != "measured") continue;
      EXPECT_EQ(point.at("verification").at("state"), "verified") << preset << point.at("id");
    }
    EXPECT_GE(count(report, "measured"), 8U) << preset << '\n' << reasons(report);
  }
}

TEST(GpuSession, ASliceThatPassesItsShareOfTheCardIsImpossible) {
  if (kSanitized) GTEST_SKIP() << "nothing else than on an A100";
  // By its little memory it has one of eight memory slices, and it moves as much as four do.
  const GpuMachine machine(std::string("device a100-80gb/3g.40gb") + kSmall, kFew);
  const auto run = machine.run("cuda:0");
  ASSERT_EQ(run.status, 0) << run.err;
  const json report = machine.report();
  std::size_t streams = 0;
  for (const json& point : report.at("points")) {
    if (point.at("kind") != "stream") continue;
    ++streams;
    EXPECT_EQ(point.at("verdict"), "impossible") << point.at("id");
    EXPECT_GT(point.at("of_ceiling"), 2) << point.at("id");
    EXPECT_EQ(point.at("bandwidth_origin"), "derived") << "it is no roof of anything else";
    const std::string causes = point.at("causes").dump();
    EXPECT_NE(causes.find("derived_roof"), std::string::npos) << causes;
    EXPECT_NE(causes.find("1 of 8 memory slices"), std::string::npos) << causes;
  }
  EXPECT_EQ(streams, 2U);
}

// ---- no GPU that could be measured ----

struct Absent {
  const char* name;
  std::string scenario;
  const char* said;  ///< in the reason
};

class NoGpu : public testing::TestWithParam<Absent> {};

TEST_P(NoGpu, NamedItIsStatus3WithTheReasonElseTheCpuGoesOn) {
  const GpuMachine machine(GetParam().scenario, kFew);
  const auto named = machine.run("cuda:0");
  EXPECT_EQ(named.status, 3) << named.err;
  EXPECT_NE(named.err.find(GetParam().said), std::string::npos) << named.err;
  EXPECT_EQ(machine.run("cpu", {"--require", "gpu", "--dry-run"}).status, 3);
  const auto unnamed = machine.tool({"launch", "--path", "kernel"});
  EXPECT_TRUE(unnamed.status == 0 || unnamed.status == 5) << unnamed.err;
  EXPECT_NE(unnamed.err.find("CPU"), std::string::npos) << unnamed.err;
  EXPECT_NE(unnamed.err.find(GetParam().said), std::string::npos) << unnamed.err;
  const auto list = machine.tool({"devices"});
  EXPECT_EQ(list.status, 0);
  EXPECT_NE(list.out.find(GetParam().said), std::string::npos) << list.out;
}

INSTANTIATE_TEST_SUITE_P(Machines, NoGpu,
                         testing::Values(Absent{"NoDevice", "init no_device\n", "no CUDA device"},
                                         Absent{"Stub", "stub\n", "stub"},
                                         Absent{"OldDriver", "driver 12.2\ndevice a100-80gb\n",
                                                "driver"},
                                         Absent{"OldGpu", "device v100\n", "7.0"}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(GpuSession, WithoutALibraryTheCpuGoesOn) {
  GpuMachine machine(std::string("device a100-80gb") + kSmall, kFew);
  machine.set("ROOFLINE_LIBCUDA", "/nowhere/libcuda.so.1");
  EXPECT_EQ(machine.run("cuda:0").status, 3);
  const auto unnamed = machine.tool({"launch", "--path", "kernel"});
  EXPECT_TRUE(unnamed.status == 0 || unnamed.status == 5) << unnamed.err;
  EXPECT_NE(unnamed.err.find("/nowhere/libcuda.so.1"), std::string::npos) << unnamed.err;
}

TEST(GpuSession, WithoutNvmlOrItsPermissionEverythingIsMeasured) {
  for (const char* nvml : {"nvml missing\n", "nvml no_permission\n", ""}) {
    GpuMachine machine(std::string("device a100-80gb") + kSmall + nvml, kFew);
    if (std::string(nvml).empty()) machine.set("ROOFLINE_NVML", "/nowhere/libnvidia-ml.so.1");
    const auto run = machine.run("cuda:0");
    EXPECT_EQ(run.status, 0) << nvml << run.err;
    const json report = machine.report();
    EXPECT_EQ(count(report, "measured"), kFewPoints) << nvml;
    EXPECT_TRUE(report.at("devices").at(0).at("facts").at("power_limit_w").is_null()) << nvml;
  }
}

// ---- a fault in the middle ----

struct Broken {
  const char* name;
  const char* fault;
  const char* said;            ///< in the reason of a point
  std::size_t least_measured;  ///< points that the fault costs nothing
  std::size_t most_measured;
};

class Faulty : public testing::TestWithParam<Broken> {};

TEST_P(Faulty, CostsWhatItMustAndNoFinishedPoint) {
  const GpuMachine machine(
      std::string("device a100-80gb x2") + kSmall + GetParam().fault + " device=0\n", kFew);
  const auto run = machine.run("cuda:0,cuda:1");
  // A device that was asked for and has no figure at all leaves 5.
  EXPECT_EQ(run.status, GetParam().most_measured == 0 ? 5 : 0) << run.err;
  const json report = machine.report();
  EXPECT_EQ(report.at("run").at("end"), "completed");
  EXPECT_NE(reasons(report).find(GetParam().said), std::string::npos) << reasons(report);
  EXPECT_EQ(count(report, "measured", "cuda:1"), kFewPoints) << "the other GPU is not concerned";
  EXPECT_GE(count(report, "measured", "cuda:0"), GetParam().least_measured) << reasons(report);
  EXPECT_LE(count(report, "measured", "cuda:0"), GetParam().most_measured) << reasons(report);
  EXPECT_EQ(count(report, "measured", "cuda:0") + count(report, "failed", "cuda:0") +
                count(report, "skipped", "cuda:0"),
            kFewPoints);
}

INSTANTIATE_TEST_SUITE_P(
    Faults, Faulty,
    testing::Values(
        Broken{"OutOfMemoryAtFirst", "fault cuMemAlloc 1 out_of_memory", "out of memory", 2, 3},
        Broken{"OutOfMemoryLater", "fault cuMemAlloc 5 out_of_memory", "out of memory", 2, 3},
        Broken{"LaunchFailure", "fault kernel 30 launch_failed", "LAUNCH_FAILED", 0, 3},
        Broken{"IllegalAddress", "fault kernel:roofline_stream_copy* 3 illegal_address",
               "ILLEGAL_ADDRESS", 0, 3},
        Broken{"MisalignedAddress", "fault kernel:roofline_matvec* 2 misaligned_address",
               "MISALIGNED_ADDRESS", 0, 3},
        Broken{"NoBinary", "fault cuModuleLoadData every no_binary", "NO_BINARY", 0, 0},
        Broken{"Ecc", "fault kernel:roofline_matvec* 3 ecc", "ECC", 0, 3},
        Broken{"DeviceLost", "fault kernel:roofline_matvec* 3 device_lost", "cuda:0", 0, 3}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(GpuSession, AHangEndsTheRunAndKeepsWhatIsFinished) {
  const GpuMachine machine(
      std::string("device a100-80gb") + kSmall + "fault kernel:roofline_matvec* 5 hang\n", kFew);
  const auto run = machine.run("cuda:0", {"--point-timeout", kSanitized ? "20s" : "8s"});
  EXPECT_EQ(run.status, 5) << run.err;
  EXPECT_NE(run.err.find("did not return"), std::string::npos) << run.err;
  const json report = machine.report();
  EXPECT_EQ(report.at("run").at("end"), "hung");
  EXPECT_GE(count(report, "measured"), 1U);
  EXPECT_EQ(count(report, "failed"), 1U) << "the point that hung";
}

TEST(GpuSession, AWrongResultIsNoFigure) {
  const GpuMachine machine(std::string("device a100-80gb") + kSmall +
                               "fault kernel:roofline_stream_copy* every corrupt\n",
                           kFew);
  const auto run = machine.run("cuda:0");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(count(machine.report(), "incorrect"), 1U);
  EXPECT_EQ(machine.run("cuda:0", {"--strict"}).status, 1);
}

}  // namespace
}  // namespace roofline::test
