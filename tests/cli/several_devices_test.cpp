// The whole program on scripted machines of several devices: one report, each device with its own
// roofs, and what befalls one of them costs the others nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "support/run_tool.hpp"
#include "support/schema_check.hpp"

namespace roofline::test {
namespace {

using nlohmann::json;

constexpr const char* kBox = R"(seed 7
clock 1.98GHz
memory 80GiB
peak fp32 60TFLOP/s
peak fp64 30TFLOP/s
peak bf16 800TFLOP/s
bandwidth dram 2.9TB/s
bandwidth l2 7TB/s
level l2 50MiB
bandwidth link 55GB/s
overhead kernel 2us
overhead library 5us
overhead graph 1us
overhead event 0.5us
fact sm_count 132
fact memory_bytes 85520809984
fact memory_clock_hz 2619000000
fact memory_bus_bits 5120
fact pcie_generation 5
fact pcie_width 16
point * noise=0.3%
)";

std::string gpus(std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i)
    out += "device cuda:" + std::to_string(i) + " \"NVIDIA H100 80GB HBM3\"\n";
  return out;
}

constexpr const char* kSuite = R"({"name":"small","points":[
  {"kind":"stream","stream":["read","copy"]},
  {"kind":"transfer","direction":["to_device","to_host"],"devices":"gpu"},
  {"kind":"matvec","weights":"bf16","rows":[1,8],"shape":"4096x14336"}]})";

class Box {
 public:
  explicit Box(const std::string& devices) { write(devices); }

  void write(const std::string& devices) {
    script_ = folder_.write("box.script", kBox + devices);
    suite_ = folder_.write("suite.json", kSuite);
  }
  [[nodiscard]] Run run(std::vector<std::string> more) const {
    std::vector<std::string> all = {"run",     "--backend", "scripted:" + script_,
                                    "--suite", suite_,      "-o",
                                    output(),  "--seed",    "5"};
    all.insert(all.end(), more.begin(), more.end());
    return roofline(all);
  }
  [[nodiscard]] std::string script() const { return script_; }
  [[nodiscard]] std::string output() const { return folder_.path("r.json"); }
  [[nodiscard]] json report() const {
    const std::string text = folder_.read("r.json");
    for (const std::string& error : schema_errors(text)) ADD_FAILURE() << error;
    return json::parse(text);
  }

 private:
  TemporaryFolder folder_;
  std::string script_;
  std::string suite_;
};

std::vector<std::string> device_ids(const json& report) {
  std::vector<std::string> out;
  for (const json& device : report.at("devices")) out.push_back(device.at("id"));
  return out;
}

json points_of(const json& report, const std::string& device) {
  json out = json::array();
  for (const json& point : report.at("points")) {
    if (point.at("device").at("id") == device) out.push_back(point);
  }
  return out;
}

json point(const json& report, const std::string& device, const std::string& id) {
  for (const json& one : points_of(report, device)) {
    if (one.at("id") == id) return one;
  }
  throw std::runtime_error("no point " + id + " of " + device);
}

constexpr const char* kRead = "stream/fp64/read";
constexpr const char* kDecode = "matvec/bf16/T=1_4096x14336";

TEST(SeveralDevices, AreMeasuredInTurnIntoOneReport) {
  const Box box(gpus(2) + "device cpu \"Toy CPU\"\nbandwidth dram 200GB/s\n");
  const auto run = box.run({"--device", "all"});
  ASSERT_EQ(run.status, 0) << run.err;
  const json report = box.report();
  EXPECT_EQ(device_ids(report), (std::vector<std::string>{"cuda:0", "cuda:1", "cpu"}));
  EXPECT_EQ(report.at("device").at("id"), "cuda:0");
  EXPECT_EQ(report.at("environment").at("backend"), "scripted");
  EXPECT_EQ(points_of(report, "cuda:0").size(), 6U);
  EXPECT_EQ(points_of(report, "cuda:1").size(), 6U);
  EXPECT_EQ(points_of(report, "cpu").size(), 4U) << "a CPU has no link";
  // In the order of the devices, each in the order of the suite.
  EXPECT_EQ(report.at("points").front().at("device").at("id"), "cuda:0");
  EXPECT_EQ(report.at("points").back().at("device").at("id"), "cpu");
  std::set<std::string> roofs;
  for (const json& roof : report.at("roofs")) roofs.insert(roof.at("device").get<std::string>());
  EXPECT_EQ(roofs, (std::set<std::string>{"cuda:0", "cuda:1", "cpu"}));
  // Each is held against its own.
  EXPECT_GT(point(report, "cuda:1", kDecode).at("bandwidth_byte_per_s"), 2e12);
  EXPECT_LT(point(report, "cpu", kDecode).at("bandwidth_byte_per_s"), 3e11);
  EXPECT_EQ(point(report, "cuda:0", kDecode).at("peak_origin"), "datasheet");
  EXPECT_TRUE(point(report, "cpu", kRead).at("peak_origin").is_null());
}

TEST(SeveralDevices, AReportOfThemIsReadAgainAndShown) {
  const Box box(gpus(2));
  const auto run = box.run({"--device", "all"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(json::parse(roofline({"show", box.output(), "--json"}).out), box.report());
  const auto shown = roofline({"show", box.output()});
  EXPECT_EQ(shown.out, run.out);
  const std::size_t first = shown.out.find("(cuda:0)");
  const std::size_t second = shown.out.find("(cuda:1)");
  ASSERT_NE(first, std::string::npos) << shown.out;
  ASSERT_NE(second, std::string::npos) << shown.out;
  EXPECT_LT(first, second);
  EXPECT_NE(shown.out.find("2 devices, "), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("side by side"), std::string::npos) << shown.out;
}

TEST(SeveralDevices, OneOfThemMakesAReportOfOne) {
  const Box box(gpus(3));
  ASSERT_EQ(box.run({"--device", "cuda:1"}).status, 0);
  const json report = box.report();
  EXPECT_EQ(report.at("device").at("id"), "cuda:1");
  EXPECT_FALSE(report.contains("devices")) << "as before there could be several";
  EXPECT_EQ(report.at("environment").at("sm_count"), 132);
  EXPECT_FALSE(report.at("roofs").at(0).contains("device"));
  ASSERT_EQ(box.run({}).status, 0);
  EXPECT_EQ(box.report().at("device").at("id"), "cuda:0") << "the first without a choice";
  ASSERT_EQ(box.run({"--device", "CUDA:2,cuda:0"}).status, 0);
  EXPECT_EQ(device_ids(box.report()), (std::vector<std::string>{"cuda:2", "cuda:0"}));
}

TEST(SeveralDevices, WhatIsNotThereIsStatusThreeAndTheRestIsNamed) {
  const Box box(gpus(2));
  const auto none = box.run({"--device", "cuda:7"});
  EXPECT_EQ(none.status, 3);
  EXPECT_NE(none.err.find("cuda:0, cuda:1"), std::string::npos) << none.err;
  EXPECT_EQ(box.run({"--device", "cuda:0,cuda:0"}).status, 2);
  EXPECT_EQ(box.run({"--device", "cuda:0,"}).status, 2);
  EXPECT_EQ(box.run({"--device", "cuda:0", "--require", "gpu"}).status, 0);
  EXPECT_EQ(box.run({"--require", "tpu"}).status, 2);
  const Box plain("");
  EXPECT_EQ(plain.run({"--require", "gpu"}).status, 3);
}

TEST(SeveralDevices, TheSlowOneOfEightStandsOut) {
  std::string devices = gpus(6);
  devices += "bandwidth dram 2.3TB/s\nfact power_limit_w 450\n" + gpus(8).substr(gpus(6).size());
  const Box box(devices);
  const auto run = box.run({"--device", "all"});
  ASSERT_EQ(run.status, 0) << run.err;
  const json report = box.report();
  ASSERT_EQ(report.at("findings").size(), 1U) << report.at("findings").dump(1);
  const json& finding = report.at("findings")[0];
  EXPECT_EQ(finding.at("id"), "slow_device");
  EXPECT_EQ(finding.at("device"), "cuda:5");
  EXPECT_NE(finding.at("evidence").get<std::string>().find("median of its 7 equals"),
            std::string::npos);
  EXPECT_NE(run.out.find("slow_device, cuda:5"), std::string::npos) << run.out;
  const std::set<std::string> points(finding.at("points").begin(), finding.at("points").end());
  EXPECT_TRUE(points.contains(kRead));
  EXPECT_FALSE(points.contains("transfer/to_host-pinned"));
}

TEST(SeveralDevices, OneThatIsLittleSlowerDoesNot) {
  const Box box(gpus(6) + "bandwidth dram 2.8TB/s\n" + gpus(8).substr(gpus(6).size()));
  ASSERT_EQ(box.run({"--device", "all"}).status, 0);
  EXPECT_EQ(box.report().at("findings").size(), 0U);
}

TEST(SeveralDevices, OneThatIsLostCostsTheOthersNothing) {
  const Box box(gpus(1) + R"(device cuda:1 "NVIDIA H100 80GB HBM3"
point matvec/bf16/T=8_* failure="cuEventQuery: device lost" fail_at=4 lost
device cuda:2 "NVIDIA H100 80GB HBM3"
)");
  const auto run = box.run({"--device", "all"});
  EXPECT_EQ(run.status, 0) << "what was finished can be trusted: " << run.err;
  EXPECT_NE(run.err.find("cuda:1 (scripted: NVIDIA H100 80GB HBM3) was lost"), std::string::npos)
      << run.err;
  const json report = box.report();
  EXPECT_EQ(report.at("run").at("end"), "completed");
  EXPECT_EQ(points_of(report, "cuda:1").size(), 6U) << "every point has its outcome";
  EXPECT_EQ(point(report, "cuda:1", kRead).at("outcome"), "measured") << "finished before";
  EXPECT_EQ(point(report, "cuda:1", "matvec/bf16/T=8_4096x14336").at("reason"),
            "cuEventQuery: device lost");
  EXPECT_EQ(point(report, "cuda:1", kDecode).at("outcome"), "failed");
  for (const char* device : {"cuda:0", "cuda:2"}) {
    for (const json& one : points_of(report, device)) EXPECT_EQ(one.at("outcome"), "measured");
  }
  EXPECT_EQ(box.run({"--device", "all", "--strict"}).status, 1);
}

TEST(SeveralDevices, OneWithoutAnyResultIsStatusFive) {
  const Box box(gpus(1) + R"(device cuda:1 "NVIDIA H100 80GB HBM3"
point * failure="cuMemAlloc: device lost" lost
)");
  const auto run = box.run({"--device", "all"});
  EXPECT_EQ(run.status, 5) << run.err;
  EXPECT_NE(run.err.find("no point of cuda:1"), std::string::npos) << run.err;
  for (const json& one : points_of(box.report(), "cuda:0"))
    EXPECT_EQ(one.at("outcome"), "measured");
}

TEST(SeveralDevices, AHangOnOneKeepsWhatWasFinished) {
  const Box box(gpus(1) + "device cuda:1 \"NVIDIA H100 80GB HBM3\"\npoint stream/* hang\n");
  const auto run = box.run({"--device", "all", "--point-timeout", "1s"});
  EXPECT_EQ(run.status, 5) << run.err;
  EXPECT_NE(run.err.find("cuda:1 stream/fp64/"), std::string::npos) << run.err;
  const json report = box.report();
  EXPECT_EQ(report.at("run").at("end"), "hung");
  EXPECT_EQ(points_of(report, "cuda:0").size(), 6U);
  for (const json& one : points_of(report, "cuda:0")) {
    EXPECT_EQ(one.at("outcome"), "measured");
    EXPECT_FALSE(one.at("verdict").is_null());
  }
}

TEST(SeveralDevices, ARunIsResumedWhereItStood) {
  const std::string hang = "device cuda:1 \"NVIDIA H100 80GB HBM3\"\npoint matvec/* hang\n";
  Box box(gpus(1) + hang);
  ASSERT_EQ(box.run({"--device", "all", "--point-timeout", "1s"}).status, 5);
  const std::size_t done = box.report().at("points").size() - 1;
  EXPECT_EQ(box.report().at("points").back().at("outcome"), "failed") << "the one that hung";
  EXPECT_GE(done, 6U);
  EXPECT_LT(done, 12U);
  box.write(gpus(2));
  const auto other = box.run({"--device", "cuda:1", "--resume", box.output()});
  EXPECT_EQ(other.status, 5) << "another choice of devices: " << other.err;
  EXPECT_NE(other.err.find("can't be mixed"), std::string::npos) << other.err;
  const auto run = box.run({"--device", "all", "--resume", box.output()});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find(std::to_string(done) + " points are done"), std::string::npos) << run.err;
  const json report = box.report();
  EXPECT_EQ(report.at("points").size(), 12U);
  for (const json& one : report.at("points")) EXPECT_EQ(one.at("outcome"), "measured");
  EXPECT_FALSE(report.at("run").at("resumed_from").is_null());
}

TEST(SeveralDevices, ABudgetIsForAllOfThem) {
  const Box box(gpus(4));
  const auto run = box.run({"--device", "all", "--budget", "4s"});
  EXPECT_EQ(run.status, 0) << run.err;
  std::map<std::string, double> spent;
  const json report = box.report();
  for (const json& one : report.at("points")) {
    for (const json& sample : one.at("samples"))
      spent[one.at("device").at("id")] += sample.at("duration_s").get<double>();
  }
  double all = 0;
  for (const auto& [device, seconds] : spent) {
    all += seconds;
    EXPECT_GT(seconds, 0.1) << device << " got nothing";
  }
  EXPECT_EQ(spent.size(), 4U);
  EXPECT_LT(all, 4.2);
}

TEST(SeveralDevices, ADryRunListsThePointsOfEach) {
  const Box box(gpus(1) + "device cpu \"Toy CPU\"\n");
  const auto run = roofline({"matvec", "--backend", "scripted:" + box.script(), "--device", "all",
                             "--rows", "1", "--weights", "int8", "--dry-run"});
  ASSERT_EQ(run.status, 0) << run.err;
  const std::size_t gpu = run.out.find("matvec/int8-by-bf16-g128/T=1_4096x14336");
  const std::size_t cpu = run.out.find("matvec/int8-by-fp32/T=1_4096x14336");
  EXPECT_LT(run.out.find("cuda:0 (scripted"), gpu) << run.out;
  EXPECT_LT(gpu, run.out.find("cpu (scripted")) << run.out;
  EXPECT_LT(run.out.find("cpu (scripted"), cpu) << run.out;
  EXPECT_NE(cpu, std::string::npos) << run.out;
}

TEST(SeveralDevices, RoofsOfOneAreTakenFromTheirReport) {
  const Box box(gpus(1) + "device cpu \"Toy CPU\"\nbandwidth dram 200GB/s\n");
  ASSERT_EQ(box.run({"--device", "all"}).status, 0);
  const auto explain = [&](const std::string& report) {
    return roofline({"explain", "--intensity", "1", "--dtype", "fp32", "--peak-flops", "1TFLOP/s",
                     "--bandwidth", "measured:" + report, "--json"});
  };
  const auto open = explain(box.output());
  EXPECT_EQ(open.status, 2);
  EXPECT_NE(open.err.find("cuda:0, cpu"), std::string::npos) << open.err;
  EXPECT_NE(open.err.find("@cuda:0"), std::string::npos) << open.err;
  const auto cpu = explain(box.output() + "@cpu");
  ASSERT_EQ(cpu.status, 0) << cpu.err;
  EXPECT_NEAR(json::parse(cpu.out).at("bandwidth_byte_per_s").get<double>(), 200e9, 5e9);
  EXPECT_EQ(explain(box.output() + "@cuda:3").status, 2);
}

TEST(RatedRoofs, OfAWholeCardAreTheDatasheets) {
  const Box box(gpus(1));
  ASSERT_EQ(box.run({"--device", "cuda:0"}).status, 0);
  const json report = box.report();
  const json decode = point(report, "cuda:0", kDecode);
  EXPECT_EQ(decode.at("peak_origin"), "datasheet");
  EXPECT_NEAR(decode.at("peak_flop_per_s").get<double>(), 989.4e12, 1e12);
  EXPECT_EQ(decode.at("bandwidth_origin"), "measured") << "the sustained rate is the roof";
  // At 1.98 GHz of the samples, where the peak is rated at 1.83 GHz.
  EXPECT_NEAR(decode.at("clock_adjusted_peak_flop_per_s").get<double>(), 989.4e12 * 1.98 / 1.83,
              3e12);
  EXPECT_EQ(report.at("environment").at("catalogue_id"), "h100-80gb-sxm");
  const json up = point(report, "cuda:0", "transfer/to_device-pinned");
  EXPECT_EQ(up.at("traffic_byte").at("boundary"), "link");
  EXPECT_NEAR(up.at("achieved_byte_per_s").get<double>(), 55e9, 1e9);
  bool link = false;
  for (const json& roof : report.at("roofs"))
    link = link || (roof.at("kind") == "memory" && roof.at("boundary") == "link" &&
                    roof.at("origin") == "derived");
  EXPECT_TRUE(link) << "the rated roof of the link";
}

TEST(RatedRoofs, OfAStrangerAndAVirtualGpuAreWithheldWithTheReason) {
  const Box stranger("device cuda:0 \"NVIDIA Z9000\"\n");
  const auto run = stranger.run({});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find("no MFU"), std::string::npos) << run.err;
  const json decode = point(stranger.report(), "cuda:0", kDecode);
  EXPECT_TRUE(decode.at("peak_flop_per_s").is_null());
  EXPECT_TRUE(decode.at("mfu").is_null());
  EXPECT_NE(decode.at("peak_flop_per_s_reason").get<std::string>().find("Z9000"),
            std::string::npos);
  const Box shared("device cuda:0 \"GRID A100D-80C\"\nfact virtual_gpu true\n");
  ASSERT_EQ(shared.run({}).status, 0);
  const json virtual_one = point(shared.report(), "cuda:0", kDecode);
  EXPECT_TRUE(virtual_one.at("mfu").is_null());
  EXPECT_NE(virtual_one.at("peak_flop_per_s_reason").get<std::string>().find("virtual GPU"),
            std::string::npos);
}

TEST(RatedRoofs, OfAMigSliceAreItsShare) {
  const Box box(
      "device cuda:0 \"NVIDIA H100 80GB HBM3 MIG 1g.10gb\"\nfact mig true\nfact sm_count 16\n"
      "fact memory_bytes 10401873920\n");
  const auto run = box.run({});
  ASSERT_EQ(run.status, 0) << run.err;
  const json decode = point(box.report(), "cuda:0", kDecode);
  EXPECT_EQ(decode.at("peak_origin"), "derived");
  EXPECT_NEAR(decode.at("peak_flop_per_s").get<double>(), 989.4e12 * 16 / 132, 1e12);
}

TEST(RatedRoofs, ADoubtfulBandwidthIsWarnedOfAndFound) {
  // B086: the driver of an old card states the effective clock.
  const Box box(
      "device cuda:0 \"NVIDIA GeForce GTX 1080\"\nfact sm_count 20\nfact memory_bytes 8510701568\n"
      "fact memory_clock_hz 10010000000\nfact memory_bus_bits 256\n"
      "fact theoretical_bandwidth_byte_per_s 640640000000\nmemory 8GB\n");
  const auto run = box.run({});
  EXPECT_NE(run.err.find("640.6 GB/s"), std::string::npos) << run.err;
  const json report = box.report();
  bool found = false;
  for (const json& finding : report.at("findings"))
    found = found || finding.at("id") == "rated_bandwidth_doubtful";
  EXPECT_TRUE(found) << report.at("findings").dump(1);
  for (const json& roof : report.at("roofs")) {
    if (roof.at("kind") != "memory" || roof.at("origin") != "datasheet") continue;
    EXPECT_NEAR(roof.at("bandwidth_byte_per_s").get<double>(), 320.3e9, 1e9);
  }
}

}  // namespace
}  // namespace roofline::test
