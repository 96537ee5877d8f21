// The scenario language: what each statement means, and what is said about a wrong one.
#include "scenario.hpp"

#include <gtest/gtest.h>

#include "presets.hpp"

namespace fakegpu {
namespace {

Scenario parse(const std::string& text) { return parse_scenario(text, "s"); }

std::string fault_of(const std::string& text) {
  try {
    (void)parse(text);
  } catch (const ScenarioError& error) {
    return error.what();
  }
  return "";
}

TEST(Scenario, OfNothingHasNoDevice) {
  const Scenario scenario = parse("# nothing\n\n   # still nothing\n");
  EXPECT_TRUE(scenario.devices.empty());
  EXPECT_EQ(scenario.driver, 13000);
}

TEST(Scenario, OfDevices) {
  const Scenario scenario = parse(
      "device h100 x3 l2=8MiB   # three\n"
      "device t4 name=\"Tesla T4 two\" clock=1.2GHz memory=4GB ecc=unknown\n"
      "set 1 slow=0.87 power_limit=300 virtual=on\n"
      "process 7 2GiB device=3\n");
  ASSERT_EQ(scenario.devices.size(), 4U);
  EXPECT_EQ(scenario.devices[2].l2_bytes, 8U << 20);
  EXPECT_EQ(scenario.devices[1].bandwidth_factor, 0.87);
  EXPECT_EQ(scenario.devices[0].bandwidth_factor, 1);
  EXPECT_EQ(scenario.devices[1].power_limit_w, 300);
  EXPECT_EQ(scenario.devices[1].default_power_limit_w, 700);
  EXPECT_TRUE(scenario.devices[1].virtual_gpu);
  const DeviceModel& t4 = scenario.devices[3];
  EXPECT_EQ(t4.name, "Tesla T4 two");
  EXPECT_EQ(t4.clock_khz, 1200000U);
  EXPECT_EQ(t4.memory_bytes, 4000000000U);
  EXPECT_FALSE(t4.ecc_known);
  ASSERT_EQ(t4.processes.size(), 1U);
  EXPECT_EQ(t4.processes[0].memory_bytes, std::uint64_t{2} << 30);
}

TEST(Scenario, OfTime) {
  const Scenario scenario = parse(
      "seed 9\njitter 0.5%\nspikes 1% 3x\ndrift 0.1%\nramp 300ms 50%\nhost real\n"
      "event_resolution 1us\ncost launch 4us\ncost first_launch 1ms\ncost node 700ns\n"
      "throttle 3s 60% reason=hw_thermal bandwidth=0.9 device=2\n");
  EXPECT_EQ(scenario.seed, 9U);
  EXPECT_DOUBLE_EQ(scenario.jitter, 0.005);
  EXPECT_DOUBLE_EQ(scenario.spike_probability, 0.01);
  EXPECT_EQ(scenario.spike_factor, 3);
  EXPECT_DOUBLE_EQ(scenario.drift, 0.001);
  EXPECT_DOUBLE_EQ(scenario.ramp_time, 0.3);
  EXPECT_EQ(scenario.ramp_from, 0.5);
  EXPECT_TRUE(scenario.host_follows_clock);
  EXPECT_DOUBLE_EQ(scenario.event_resolution, 1e-6);
  EXPECT_DOUBLE_EQ(scenario.costs.launch, 4e-6);
  EXPECT_DOUBLE_EQ(scenario.costs.first_launch, 1e-3);
  EXPECT_DOUBLE_EQ(scenario.costs.node, 0.7e-6);
  ASSERT_EQ(scenario.throttles.size(), 1U);
  EXPECT_EQ(scenario.throttles[0].after, 3);
  EXPECT_DOUBLE_EQ(scenario.throttles[0].fraction, 0.6);
  EXPECT_EQ(scenario.throttles[0].bandwidth, 0.9);
  EXPECT_EQ(scenario.throttles[0].reasons, 0x40U);
  EXPECT_EQ(scenario.throttles[0].device, 2);
}

TEST(Scenario, OfFaults) {
  const Scenario scenario = parse(
      "fault cuMemAlloc 3 out_of_memory\n"
      "fault kernel every illegal_address device=1\n"
      "fault sync 2+ 719\n"
      "fault copy 2-4 hang:2s\n"
      "fault kernel:roofline_* 1 corrupt\n"
      "fault cuStreamSynchronize 1 hang\n"
      "fault kernel 9 device_lost code=999\n");
  const auto& faults = scenario.faults;
  ASSERT_EQ(faults.size(), 7U);
  EXPECT_EQ(faults[0].site, "cuMemAlloc");
  EXPECT_EQ(faults[0].first, 3U);
  EXPECT_EQ(faults[0].last, 3U);
  EXPECT_EQ(faults[0].code, 2);
  EXPECT_EQ(faults[1].first, 1U);
  EXPECT_EQ(faults[1].last, kForEver);
  EXPECT_EQ(faults[1].device, 1);
  EXPECT_EQ(faults[2].code, 719);
  EXPECT_EQ(faults[2].last, kForEver);
  EXPECT_EQ(faults[3].kind, FaultKind::hang);
  EXPECT_EQ(faults[3].seconds, 2);
  EXPECT_EQ(faults[3].last, 4U);
  EXPECT_EQ(faults[4].kind, FaultKind::corrupt);
  EXPECT_EQ(faults[5].kind, FaultKind::hang);
  EXPECT_EQ(faults[5].seconds, 0);
  EXPECT_TRUE(faults[6].lost);
  EXPECT_EQ(faults[6].code, 999);
}

TEST(Scenario, OfCublasLt) {
  const Scenario scenario = parse(
      "fault cublasLtMatmul 1 execution_failed\nfault cublasLtCreate 1 3\n"
      "fault cublasLtMatmul 2 hang:1s\nfault cublasLtMatmul 3 corrupt\n"
      "cublaslt no_algorithm\ncublaslt no_algorithm fp8*\ncublaslt candidates 4\n"
      "cublaslt withhold cublasLtMatmul\npower 500\npower 480 zeros=300 after=3s device=1\n");
  ASSERT_EQ(scenario.faults.size(), 4U);
  EXPECT_EQ(scenario.faults[0].code, 13);
  EXPECT_EQ(scenario.faults[1].code, 3);
  EXPECT_EQ(scenario.faults[2].kind, FaultKind::hang);
  EXPECT_EQ(scenario.faults[3].kind, FaultKind::corrupt);
  EXPECT_EQ(scenario.cublaslt.without_algorithm, (std::vector<std::string>{"*", "fp8*"}));
  EXPECT_EQ(scenario.cublaslt.most_candidates, 4);
  EXPECT_EQ(scenario.cublaslt.withheld, std::vector<std::string>{"cublasLtMatmul"});
  ASSERT_EQ(scenario.power.size(), 2U);
  EXPECT_EQ(scenario.power[0].random_w, 500);
  EXPECT_EQ(scenario.power[0].zeros_w, 500);
  EXPECT_EQ(scenario.power[0].after, 0);
  EXPECT_EQ(scenario.power[0].device, kEveryDevice);
  EXPECT_EQ(scenario.power[1].zeros_w, 300);
  EXPECT_EQ(scenario.power[1].after, 3);
  EXPECT_EQ(scenario.power[1].device, 1);
}

TEST(Scenario, OfTheDriver) {
  EXPECT_EQ(parse("driver 12.4").driver, 12040);
  EXPECT_EQ(parse("driver 13.0 \"581.1-fake\"").driver_text, "581.1-fake");
  EXPECT_TRUE(parse("stub").stub);
  EXPECT_TRUE(parse("wsl").wsl);
  EXPECT_EQ(parse("init no_device").init_code, 100);
  EXPECT_EQ(parse("nvml missing").nvml_init_code, 12);
  EXPECT_EQ(parse("nvml no_permission").nvml_init_code, 4);
  const Scenario scenario = parse("nvml deny A\nnvml unsupported B*\nnvml withhold C");
  ASSERT_EQ(scenario.nvml_answers.size(), 3U);
  EXPECT_EQ(scenario.nvml_answers[0].code, 4);
  EXPECT_EQ(scenario.nvml_answers[1].code, 3);
  EXPECT_EQ(scenario.nvml_answers[2].code, 13);
}

TEST(Scenario, SaysWhatIsWrongAndWhere) {
  struct Case {
    const char* text;
    const char* said;
  };
  for (const Case& wrong : {
           Case{"\ndevise h100", "scenario s line 2: `devise` is no statement; there are driver,"},
           Case{"device h900", "`h900` is no preset; there are a100-80gb, h100,"},
           Case{"device", "the preset is missing"},
           Case{"device h100 8", "a count of devices is written x8"},
           Case{"device h100 l3=1", "`l3=` is no key of a device; keys are name=,"},
           Case{"device h100 l2=4", "`4` is no number of bytes; units are B, kB,"},
           Case{"device h100 uuid=12", "32 hexadecimal digits"},
           Case{"set 0 slow=1", "there is no such device above this line"},
           Case{"seed x", "`x` is no whole number"},
           Case{"seed 1 2", "`2` is one word too many"},
           Case{"seed 1 a=2", "`a=` means nothing here"},
           Case{"jitter -1", "`-1` is no ratio"},
           Case{"driver 13", "MAJOR.MINOR"},
           Case{"driver 13.0 \"open", "a quote is never closed"},
           Case{"cost lunch 1us", "`lunch` is no cost; there are call, launch,"},
           Case{"cost launch 1", "`1` is no time; units are ns, us, ms, s"},
           Case{"fault kernel 0 ecc", "calls are counted from 1"},
           Case{"fault kernel 1 explode", "`explode` is no result; write out_of_memory"},
           Case{"fault kernel 1 ecc when=now", "`when=` means nothing here"},
           Case{"throttle 1s 50% reason=heat", "`heat` is no reason; there are sw_power_cap"},
           Case{"throttle 1s 0", "a rate of 0"},
           Case{"fault cublasLtMatmul 1 ecc", "`ecc` is no status of cuBLASLt; there are not_init"},
           Case{"cublaslt broken", "`broken` is nothing that cuBLASLt does: no_algorithm"},
           Case{"cublaslt candidates", "their number is missing"},
           Case{"power", "the watts of random operands is missing"},
           Case{"power 500 ones=1", "`ones=` means nothing here"},
           Case{"nvml broken", "`broken` is nothing that NVML does"},
           Case{"host slow", "host is virtual or real"},
           Case{"process 1 1GiB", "there is no such device above this line"},
       }) {
    EXPECT_NE(fault_of(wrong.text).find(wrong.said), std::string::npos)
        << wrong.text << " -> " << fault_of(wrong.text);
  }
}

TEST(Scenario, OfEachBoxIsGood) {
  for (const char* const box : {"h100x8-slow", "none", "stub", "old-driver"}) {
    ASSERT_TRUE(find_box(box)) << box;
    EXPECT_NO_THROW((void)parse_scenario(*find_box(box), box));
  }
  EXPECT_EQ(parse_scenario(*find_box("h100x8-slow"), "").devices.size(), 8U);
}

TEST(Pattern, Matches) {
  EXPECT_TRUE(matches("cuMemAlloc", "cuMemAlloc"));
  EXPECT_FALSE(matches("cuMemAlloc", "cuMemAllocHost"));
  EXPECT_TRUE(matches("cuMem*", "cuMemAllocHost"));
  EXPECT_TRUE(matches("*triad*u4*", "stream_triad_fp32_u4_cs"));
  EXPECT_FALSE(matches("*triad*u4", "stream_triad_fp32_u4_cs"));
  EXPECT_TRUE(matches("*", ""));
}

}  // namespace
}  // namespace fakegpu
