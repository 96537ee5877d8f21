// Reports of several devices: what is of which, and the one that is slower than its equals.
#include <gtest/gtest.h>

#include <set>

#include "diagnosis_support.hpp"
#include "roofline/fact_lookup.hpp"
#include "roofline/point_id.hpp"
#include "roofline/time_model.hpp"

namespace roofline {
namespace {

constexpr const char* kName = "NVIDIA H100 80GB HBM3";
const Stream kRead{.kind = StreamKind::read, .elements = 100'000'000};
const Stream kCopy{.kind = StreamKind::copy, .elements = 100'000'000};

Record on(const std::string& device, const Workload& workload, double seconds,
          double noise = 0.003) {
  Roofs roofs;
  roofs.memory = MemoryRoof{gb_per_s(3352), Boundary::dram, Origin::datasheet, "datasheet"};
  Record out = test::timed(point_id(workload), workload, account(workload), roofs, seconds);
  out.device_id = device;
  std::get<Measured>(out.outcome).noise = noise;
  return out;
}

/// A box of `count` equal GPUs of which each reads in 0.3 ms and copies in 0.6 ms.
Report box(std::size_t count) {
  Report out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string id = "cuda:" + std::to_string(i);
    out.devices.push_back(
        {id, kName, {{"sm_count", std::uint64_t{132}}, {"power_limit_w", std::uint64_t{700}}}});
    out.points.push_back(on(id, kRead, 0.3e-3));
    out.points.push_back(on(id, kCopy, 0.6e-3));
  }
  out.device_id = out.devices.front().id;
  out.device_name = out.devices.front().name;
  return out;
}

Record& point(Report& report, const std::string& device, const Workload& workload) {
  for (Record& one : report.points) {
    if (one.device_id == device && one.id == point_id(workload)) return one;
  }
  throw std::runtime_error("no such point");
}

void take(Report& report, const std::string& device, const Workload& workload, double seconds) {
  auto& measured = std::get<Measured>(point(report, device, workload).outcome);
  measured.time_median = second(seconds);
}

MemoryRoof read_at(double gigabytes) {
  return {gb_per_s(gigabytes), Boundary::dram, Origin::measured, "stream read, median"};
}

TEST(OnlyDevice, LeavesWhatIsOfItAndTakesItsNameOff) {
  Report report = box(2);
  report.environment = {{"kernel", std::string("6.1")}, {"threads", std::uint64_t{9}}};
  report.devices[1].facts.push_back({"threads", std::uint64_t{2}});
  report.roofs = {{"read", read_at(3000), "stream/fp64/read", "cuda:0"},
                  {"read", read_at(2000), "stream/fp64/read", "cuda:1"}};
  report.time_model.emplace_back();
  report.time_model.back().device = "cuda:0";
  report.findings.emplace_back();
  report.findings.back().device = "cuda:1";
  const Report own = only_device(report, report.devices[1]);
  EXPECT_EQ(own.device_id, "cuda:1");
  EXPECT_EQ(own.points.size(), 2U);
  ASSERT_EQ(own.roofs.size(), 1U);
  EXPECT_EQ(std::get<MemoryRoof>(own.roofs[0].roof).bandwidth, gb_per_s(2000));
  EXPECT_EQ(own.roofs[0].device, "");
  EXPECT_TRUE(own.time_model.empty());
  ASSERT_EQ(own.findings.size(), 1U);
  EXPECT_EQ(own.findings[0].device, "");
  EXPECT_FALSE(of_several_devices(own));
  EXPECT_EQ(number_fact(own.environment, "threads"), 2) << "its own facts come first";
  EXPECT_EQ(text_fact(own.environment, "kernel"), "6.1");
}

TEST(OnlyDevice, OfAReportOfOneIsAll) {
  Report report = box(1);
  report.roofs = {{"read", read_at(3000), "stream/fp64/read"}};
  const Report own = only_device(report, report.devices[0]);
  EXPECT_EQ(own.roofs.size(), 1U);
  EXPECT_EQ(own.points.size(), 2U);
  EXPECT_EQ(number_fact(own.environment, "sm_count"), 132);
}

TEST(SlowDevice, IsNamedWithTheEvidence) {
  Report report = box(8);
  take(report, "cuda:3", kRead, 0.4e-3);
  report.devices[3].facts[1].value = std::uint64_t{450};
  const auto found = findings_across(report);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].id, "slow_device");
  EXPECT_EQ(found[0].device, "cuda:3");
  EXPECT_EQ(found[0].points, std::vector<std::string>{"stream/fp64/read-100000000"});
  const std::string& evidence = found[0].evidence;
  // 800 MB in 0.4 ms and in 0.3 ms; a quarter less.
  EXPECT_TRUE(test::contains(evidence, "2 TB/s")) << evidence;
  EXPECT_TRUE(test::contains(evidence, "2.67 TB/s")) << evidence;
  EXPECT_TRUE(test::contains(evidence, "25 %")) << evidence;
  EXPECT_TRUE(test::contains(evidence, "median of its 7 equals")) << evidence;
  EXPECT_TRUE(test::contains(evidence, "1 of 2 points")) << evidence;
  EXPECT_TRUE(test::contains(evidence, "power_limit_w is 450, theirs 700")) << evidence;
}

TEST(SlowDevice, TheClockOfItsSamplesIsEvidence) {
  Report report = box(4);
  for (Record& one : report.points)
    std::get<Measured>(one.outcome).clock = hertz(one.device_id == "cuda:1" ? 1.2e9 : 1.7e9);
  take(report, "cuda:1", kCopy, 0.9e-3);
  const auto found = findings_across(report);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(test::contains(found[0].evidence, "1.2 GHz, theirs 1.7 GHz")) << found[0].evidence;
}

TEST(SlowDevice, WithinFivePerCentNoneIs) {
  Report near = box(8);
  take(near, "cuda:3", kRead, 0.3e-3 / 0.951);
  EXPECT_TRUE(findings_across(near).empty());
  Report far = box(8);
  take(far, "cuda:3", kRead, 0.3e-3 / 0.949);
  EXPECT_EQ(findings_across(far).size(), 1U);
}

TEST(SlowDevice, NoiseIsNoSlowness) {
  Report report = box(8);
  take(report, "cuda:3", kRead, 0.3e-3 * 1.10);
  std::get<Measured>(point(report, "cuda:3", kRead).outcome).noise = 0.04;
  EXPECT_TRUE(findings_across(report).empty()) << "10 % is within three times 4 %";
  std::get<Measured>(point(report, "cuda:3", kRead).outcome).noise = 0.03;
  EXPECT_EQ(findings_across(report).size(), 1U);
}

TEST(SlowDevice, ASpreadAmongTheOthersIsNoSlowness) {
  Report report = box(8);
  // Times of a node at its power limit: 0.285 .. 0.315 ms; the slowest lies at 0.325.
  for (std::size_t i = 0; i < 8; ++i)
    take(report, "cuda:" + std::to_string(i), kRead,
         (0.285 + 0.005 * static_cast<double>(i)) * 1e-3);
  take(report, "cuda:7", kRead, 0.325e-3);
  EXPECT_TRUE(findings_across(report).empty());
  take(report, "cuda:7", kRead, 0.45e-3);
  EXPECT_EQ(findings_across(report).size(), 1U);
}

TEST(SlowDevice, OnlyEqualsAreComparedAndOnlyTrustedFigures) {
  Report report = box(3);
  report.devices[2].name = "NVIDIA A100-SXM4-80GB";
  take(report, "cuda:2", kRead, 0.6e-3);
  EXPECT_TRUE(findings_across(report).empty()) << "another product";
  Report slices = box(3);
  slices.devices[2].facts[0].value = std::uint64_t{16};
  take(slices, "cuda:2", kRead, 0.6e-3);
  EXPECT_TRUE(findings_across(slices).empty()) << "a slice of the same name";
  Report busy = box(3);
  take(busy, "cuda:2", kRead, 0.6e-3);
  std::get<Measured>(point(busy, "cuda:2", kRead).outcome).end = MeasurementEnd::contended;
  EXPECT_TRUE(findings_across(busy).empty()) << "a disturbed figure";
  std::get<Measured>(point(busy, "cuda:2", kRead).outcome).end = MeasurementEnd::unsettled;
  EXPECT_TRUE(findings_across(busy).empty()) << "a figure of its moment";
}

TEST(SlowDevice, OfTwoTheSlowerIsNamedAndOfOneNone) {
  Report two = box(2);
  take(two, "cuda:1", kCopy, 0.8e-3);
  const auto found = findings_across(two);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].device, "cuda:1");
  EXPECT_TRUE(test::contains(found[0].evidence, "its equal")) << found[0].evidence;
  EXPECT_TRUE(findings_across(box(1)).empty());
  EXPECT_TRUE(findings_across(Report{}).empty());
}

TEST(SlowDevice, TwoSlowOnesAreTwoFindingsTheSlowestFirst) {
  Report report = box(8);
  take(report, "cuda:2", kRead, 0.35e-3);
  take(report, "cuda:5", kRead, 0.60e-3);
  const auto found = findings_across(report);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].device, "cuda:5");
  EXPECT_EQ(found[1].device, "cuda:2");
}

TEST(Diagnose, EachDeviceIsJudgedForItself) {
  Report report = box(2);
  take(report, "cuda:1", kRead, 0.5e-3);
  report.devices[0].facts.push_back({"default_power_limit_w", std::uint64_t{1400}});
  diagnose(report);
  ASSERT_EQ(report.findings.size(), 2U);
  std::set<std::string> told;
  for (const Finding& finding : report.findings) told.insert(finding.id + " " + finding.device);
  EXPECT_EQ(told, (std::set<std::string>{"slow_device cuda:1", "power_limited cuda:0"}));
}

TEST(Diagnose, ASingleDevicesOwnFactsCount) {
  Report report = box(1);
  report.devices[0].facts.push_back({"default_power_limit_w", std::uint64_t{1400}});
  diagnose(report);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].id, "power_limited");
  EXPECT_EQ(report.findings[0].device, "") << "there is only one";
}

TEST(Diagnose, ALimitBelowTheBoardsOwnIsSaid) {
  Report report;
  const auto limited = [&](double limit, double own) {
    report.environment = {{"power_limit_w", limit}, {"default_power_limit_w", own}};
    return test::ids(findings_for(report));
  };
  EXPECT_EQ(limited(500, 1000), std::vector<std::string>{"power_limited"});
  EXPECT_TRUE(limited(960, 1000).empty());
  report.environment = {{"power_limit_w", Unknown{"no NVML"}}};
  EXPECT_TRUE(findings_for(report).empty());
}

TEST(Diagnose, ABandwidthThatTheCatalogueDoesNotConfirmIsSaid) {
  Report report;
  const auto doubts = [&](FactValue driver, double rated) {
    report.environment = {{"theoretical_bandwidth_byte_per_s", std::move(driver)},
                          {"catalogue_bandwidth_byte_per_s", rated}};
    return test::ids(findings_for(report));
  };
  // B086: an effective memory clock doubles the figure of a GTX 1080.
  EXPECT_EQ(doubts(640.64e9, 320.3e9), std::vector<std::string>{"rated_bandwidth_doubtful"});
  EXPECT_TRUE(doubts(351e9, 320.3e9).empty()) << "within 10 %";
  EXPECT_TRUE(doubts(Unknown{"0 kHz"}, 320.3e9).empty());
}

TEST(TimeModel, IsOfOneDevice) {
  Report report = box(2);
  report.points.clear();
  for (const char* device : {"cuda:0", "cuda:1"}) {
    const double rate = device == std::string("cuda:0") ? 3e12 : 2e12;
    for (const std::uint64_t elements : {1'000'000U, 4'000'000U, 16'000'000U}) {
      const Stream stream{.kind = StreamKind::read, .elements = elements};
      Record one = on(device, stream, 5e-6 + 8.0 * static_cast<double>(elements) / rate);
      one.implementation = {{"level", std::string("dram")}};
      report.points.push_back(one);
    }
  }
  model_times(report);
  ASSERT_EQ(report.time_model.size(), 2U);
  EXPECT_EQ(report.time_model[1].device, "cuda:1");
  EXPECT_TRUE(test::near(in_gb_per_s(report.time_model[1].bandwidth), 2000, 1e-6));
  EXPECT_TRUE(test::near(in_gb_per_s(report.time_model[0].bandwidth), 3000, 1e-6));
}

}  // namespace
}  // namespace roofline
