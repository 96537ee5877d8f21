#include "host/conditions.hpp"

#include <gtest/gtest.h>

#include "fake_machine.hpp"

namespace roofline::host {
namespace {

constexpr const char* kCpus = "/sys/devices/system/cpu/";

TEST(Conditions, WhatIsNotThereIsNothing) {
  const FakeMachine machine;
  const Conditions found = read_conditions(machine.root(), {0, 1});
  EXPECT_FALSE(found.load);
  EXPECT_FALSE(found.cpu_pressure);
  EXPECT_FALSE(found.memory_pressure);
  EXPECT_FALSE(found.swap_used_bytes);
  EXPECT_TRUE(found.clock_policies.empty());
  EXPECT_FALSE(found.boost);
  EXPECT_FALSE(found.clocksource);
  EXPECT_FALSE(found.numa_balancing);
  EXPECT_FALSE(found.isolated_cpus);
  EXPECT_FALSE(found.on_battery);
  EXPECT_FALSE(found.power_profile);
  EXPECT_FALSE(found.nvidia_driver);
  EXPECT_FALSE(found.libcuda);
  EXPECT_FALSE(found.traced);
  EXPECT_TRUE(found.capacities.empty());
}

TEST(Conditions, LoadPressureAndSwap) {
  const FakeMachine machine;
  machine.write("/proc/loadavg", "2.79 3.55 3.99 4/161 17744\n");
  machine.write("/proc/pressure/cpu",
                "some avg10=12.50 avg60=40.00 avg300=3.00 total=8563362270\n"
                "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
  machine.write("/proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
  machine.write(
      "/proc/meminfo",
      "MemTotal:  1000 kB\nSwapCached: 5 kB\nSwapTotal:    4000 kB\nSwapFree:  1000 kB\n");
  const Conditions found = read_conditions(machine.root(), {});
  EXPECT_DOUBLE_EQ(found.load.value(), 2.79);
  EXPECT_DOUBLE_EQ(found.cpu_pressure.value(), 0.125);
  EXPECT_DOUBLE_EQ(found.memory_pressure.value(), 0);
  EXPECT_EQ(found.swap_used_bytes, 3000U * 1024);
}

TEST(Conditions, MalformedTextsAreNothing) {
  for (const char* bad : {"", "x 1 2", "-1 2 3", "nan 1 1"}) EXPECT_FALSE(parse_load(bad)) << bad;
  for (const char* bad :
       {"", "some", "full avg10=1.00 avg60=0", "some avg10=x avg60=0", "some avg10=101 avg60=0"}) {
    EXPECT_FALSE(parse_pressure(bad)) << bad;
  }
  for (const char* bad : {"", "SwapTotal: 1 kB\n", "SwapTotal: 1 kB\nSwapFree: 2 kB\n",
                          "SwapTotal: x kB\nSwapFree: 1 kB\n"}) {
    EXPECT_FALSE(parse_swap_used(bad)) << bad;
  }
}

TEST(Conditions, ClockPoliciesOfTheCpusAskedFor) {
  const FakeMachine machine;
  for (const char* cpu : {"cpu0", "cpu1", "cpu2"}) {
    machine.write(std::string(kCpus) + cpu + "/cpufreq/scaling_governor", "powersave\n");
    machine.write(std::string(kCpus) + cpu + "/cpu_capacity", "1024\n");
  }
  machine.write(std::string(kCpus) + "cpu1/cpufreq/scaling_driver", "intel_pstate\n");
  machine.write(std::string(kCpus) + "cpu1/cpufreq/energy_performance_preference",
                "balance_power\n");
  machine.write(std::string(kCpus) + "cpu2/cpu_capacity", "446\n");
  const Conditions found = read_conditions(machine.root(), {1, 2});
  ASSERT_EQ(found.clock_policies.size(), 2U);
  EXPECT_EQ(found.clock_policies[0].cpu, 1U);
  EXPECT_EQ(found.clock_policies[0].governor, "powersave");
  EXPECT_EQ(found.clock_policies[0].driver, "intel_pstate");
  EXPECT_EQ(found.clock_policies[0].preference, "balance_power");
  EXPECT_FALSE(found.clock_policies[1].preference);
  EXPECT_EQ(found.capacities, (std::vector<std::uint64_t>{1024, 446}));
}

TEST(Conditions, BoostHasTwoNamesOfOppositeSense) {
  const FakeMachine machine;
  machine.write(std::string(kCpus) + "cpufreq/boost", "1\n");
  EXPECT_EQ(read_conditions(machine.root(), {}).boost, true);
  machine.write(std::string(kCpus) + "cpufreq/boost", "0\n");
  EXPECT_EQ(read_conditions(machine.root(), {}).boost, false);
  machine.write(std::string(kCpus) + "intel_pstate/no_turbo", "0\n");
  EXPECT_EQ(read_conditions(machine.root(), {}).boost, true);
  machine.write(std::string(kCpus) + "intel_pstate/no_turbo", "1\n");
  EXPECT_EQ(read_conditions(machine.root(), {}).boost, false);
}

TEST(Conditions, OnlyTheMachinesOwnBatteryCounts) {
  const FakeMachine machine;
  const std::string folder = "/sys/class/power_supply/";
  machine.write(folder + "hidpp_battery_0/type", "Battery\n");
  machine.write(folder + "hidpp_battery_0/scope", "Device\n");
  machine.write(folder + "hidpp_battery_0/status", "Discharging\n");
  EXPECT_EQ(read_conditions(machine.root(), {}).on_battery, false);
  machine.write(folder + "BAT0/type", "Battery\n");
  machine.write(folder + "BAT0/status", "Charging\n");
  machine.write(folder + "AC/type", "Mains\n");
  machine.write(folder + "AC/online", "1\n");
  EXPECT_EQ(read_conditions(machine.root(), {}).on_battery, false);
  machine.write(folder + "AC/online", "0\n");
  EXPECT_EQ(read_conditions(machine.root(), {}).on_battery, true);
  machine.write(folder + "AC/online", "1\n");
  machine.write(folder + "BAT0/status", "Discharging\n");
  EXPECT_EQ(read_conditions(machine.root(), {}).on_battery, true);
}

TEST(Conditions, SettingsOfTheKernel) {
  const FakeMachine machine;
  machine.write("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
  machine.write("/proc/sys/kernel/numa_balancing", "1\n");
  machine.write("/sys/devices/system/cpu/isolated", "2-3\n");
  machine.write("/sys/firmware/acpi/platform_profile", "low-power\n");
  machine.write("/proc/self/status", "Name:\tx\nTracerPid:\t0\nUid:\t0\n");
  Conditions found = read_conditions(machine.root(), {});
  EXPECT_EQ(found.clocksource, "hpet");
  EXPECT_EQ(found.numa_balancing, true);
  EXPECT_EQ(found.isolated_cpus, (std::vector<unsigned>{2, 3}));
  EXPECT_EQ(found.power_profile, "low-power");
  EXPECT_EQ(found.traced, false);
  machine.write("/sys/devices/system/cpu/isolated", "\n");
  machine.write("/proc/self/status", "Name:\tx\nTracerPid:\t77\nUid:\t0\n");
  found = read_conditions(machine.root(), {});
  EXPECT_EQ(found.isolated_cpus, std::vector<unsigned>{});
  EXPECT_EQ(found.traced, true);
}

TEST(Conditions, DriverVersionOfBothKindsOfModule) {
  EXPECT_EQ(parse_nvidia_version(
                "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 "
                "UTC 2023\nGCC version:  gcc version 11.4.0\n"),
            "535.104.05");
  EXPECT_EQ(parse_nvidia_version("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  "
                                 "550.54.15  Release Build\n"),
            "550.54.15");
  EXPECT_FALSE(parse_nvidia_version("NVRM version: none\nGCC version:  11.4.0\n"));
  const FakeMachine machine;
  machine.write("/usr/lib/x86_64-linux-gnu/libcuda.so.1", "");
  EXPECT_EQ(read_conditions(machine.root(), {}).libcuda, "/usr/lib/x86_64-linux-gnu/libcuda.so.1");
}

TEST(Conditions, TheDaemonOfMpsIsSeenByItsProcessOrItsPipe) {
  const FakeMachine machine;
  EXPECT_FALSE(read_conditions(machine.root(), {}).mps_process) << "no process can be seen";
  machine.write("/proc/1/comm", "systemd\n");
  machine.write("/proc/cpuinfo", "comm\n");
  EXPECT_EQ(read_conditions(machine.root(), {}).mps_process, "");
  EXPECT_EQ(read_conditions(machine.root(), {}).mps_pipe, false);
  machine.write("/proc/4242/comm", "nvidia-cuda-mps\n");
  machine.write("/tmp/nvidia-mps/control", "");
  EXPECT_EQ(read_conditions(machine.root(), {}).mps_process, "nvidia-cuda-mps (pid 4242)");
  EXPECT_EQ(read_conditions(machine.root(), {}).mps_pipe, true);
}

}  // namespace
}  // namespace roofline::host
