#include "host/host.hpp"

#include <gtest/gtest.h>

#include "fake_machine.hpp"

namespace roofline::host {
namespace {

const FactValue* find(const Facts& facts, std::string_view key) {
  for (const Fact& fact : facts) {
    if (fact.key == key) return &fact.value;
  }
  return nullptr;
}

std::uint64_t number(const Facts& facts, std::string_view key) {
  const FactValue* const value = find(facts, key);
  const auto* const held = value != nullptr ? std::get_if<std::uint64_t>(value) : nullptr;
  EXPECT_NE(held, nullptr) << key;
  return held != nullptr ? *held : 0;
}

std::string reason(const Facts& facts, std::string_view key) {
  const FactValue* const value = find(facts, key);
  const auto* const held = value != nullptr ? std::get_if<Unknown>(value) : nullptr;
  return held != nullptr ? held->reason : std::string();
}

/// 2 sockets x 4 cores x 2 threads, siblings n and n + 8; an L3 for each pair of cores.
void lay_out_smt_machine(const FakeMachine& machine) {
  machine.write("/sys/devices/system/cpu/online", "0-15\n");
  machine.write("/sys/devices/system/node/online", "0-1\n");
  for (unsigned cpu = 0; cpu < 16; ++cpu) {
    const unsigned core = cpu % 8;
    const std::string siblings = std::to_string(core) + "," + std::to_string(core + 8);
    const unsigned pair = core / 2 * 2;
    const std::string l3 = std::to_string(pair) + "-" + std::to_string(pair + 1) + "," +
                           std::to_string(pair + 8) + "-" + std::to_string(pair + 9);
    machine.cpu(cpu, siblings);
    machine.cache(cpu, 0, 1, "Data", "32K", siblings);
    machine.cache(cpu, 1, 1, "Instruction", "32K", siblings);
    machine.cache(cpu, 2, 2, "Unified", "1M", siblings);
    machine.cache(cpu, 3, 3, "Unified", "16384K", l3);
  }
}

TEST(Host, B175_HardwareThreadsAreNotCores) {
  const FakeMachine machine;
  lay_out_smt_machine(machine);
  const Host host = read_host(machine.root());
  std::vector<unsigned> spare;
  EXPECT_EQ(usable_cores(host, &spare), (std::vector<unsigned>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(spare, (std::vector<unsigned>{8, 9, 10, 11, 12, 13, 14, 15}));
  const Facts list = facts(host);
  EXPECT_EQ(number(list, "physical_cores"), 8U);
  EXPECT_EQ(number(list, "hardware_threads"), 16U);
  EXPECT_EQ(number(list, "numa_nodes"), 2U);
  EXPECT_EQ(number(list, "l3_instances"), 4U);
  EXPECT_EQ(number(list, "last_level_cache_total_byte"), 64ULL << 20);
}

TEST(Host, B176_CoresAreThoseOfTheAffinityMask) {
  const FakeMachine machine;
  lay_out_smt_machine(machine);
  Host host = read_host(machine.root());
  host.allowed_cpus = {1, 9, 10, 11};  // core 1 twice, cores 2 and 3 by their second thread
  std::vector<unsigned> spare;
  EXPECT_EQ(usable_cores(host, &spare), (std::vector<unsigned>{1, 10, 11}));
  EXPECT_EQ(spare, std::vector<unsigned>{9});
  EXPECT_EQ(number(facts(host), "allowed_cores"), 3U);
}

TEST(Host, LastLevelCountsTheCachesUsedOnly) {
  const FakeMachine machine;
  lay_out_smt_machine(machine);
  const Topology topology = read_topology_sysfs(machine.root());
  const auto one = last_level_used(topology, {0, 1});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->bytes_total, 16ULL << 20);
  const auto two = last_level_used(topology, {1, 2});
  ASSERT_TRUE(two);
  EXPECT_EQ(two->instances, 2U);
  EXPECT_EQ(two->bytes_total, 32ULL << 20);
  const auto l1 = caches_used(topology, 1, {0});
  ASSERT_TRUE(l1);
  EXPECT_EQ(l1->bytes_total, 32ULL << 10);  // the instruction cache is no place for data
  EXPECT_FALSE(caches_used(topology, 4, {0}));
}

TEST(Host, MachineWithoutL3UsesWhatIsOutermost) {
  const FakeMachine machine;
  machine.write("/sys/devices/system/cpu/online", "0\n");
  machine.cpu(0, "0");
  machine.cache(0, 0, 1, "Data", "64K", "0");
  machine.cache(0, 1, 2, "Unified", "512K", "0");
  const auto use = last_level_used(read_topology_sysfs(machine.root()), {0});
  ASSERT_TRUE(use);
  EXPECT_EQ(use->bytes_total, 512ULL << 10);
}

TEST(Host, WhatIsNotThereHasAReasonAndNoValue) {
  const FakeMachine machine;
  machine.write("/proc/cpuinfo", "processor : 0\nCPU implementer : 0x99\nCPU part : 0x123\n");
  const Host host = read_host(machine.root());
  const Facts list = facts(host);
  EXPECT_EQ(reason(list, "cpu_model"),
            "/proc/cpuinfo names no model, only implementer 0x99 part 0x123");
  for (const char* key :
       {"governor", "max_clock_hz", "memory_total_byte", "physical_cores", "l1d_byte", "l3_byte",
        "numa_nodes", "huge_pages", "cgroup_cpus", "last_level_cache_total_byte"}) {
    EXPECT_FALSE(reason(list, key).empty()) << key;
  }
}

TEST(Host, GovernorAndClockFromCpufreq) {
  const FakeMachine machine;
  machine.write("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  machine.write("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3700000\n");
  const Facts list = facts(read_host(machine.root()));
  EXPECT_EQ(std::get<std::string>(*find(list, "governor")), "powersave");
  EXPECT_EQ(number(list, "max_clock_hz"), 3700000000U);
}

TEST(Host, MemoryLeftIsTheLesserOfMachineAndGroup) {
  const FakeMachine machine;
  machine.write("/proc/meminfo", sample("meminfo.txt"));
  EXPECT_EQ(memory_left(machine.root()), 24349344ULL * 1024);
  machine.write("/proc/self/cgroup", "0::/\n");
  machine.write("/proc/self/mountinfo", sample("mountinfo_v2.txt"));
  machine.write("/sys/fs/cgroup/memory.max", "2000000000\n");
  machine.write("/sys/fs/cgroup/memory.current", "500000000\n");
  EXPECT_EQ(memory_left(machine.root()), 1500000000U);
}

TEST(Host, ThisMachineIsConsistent) {
  const Host host = read_host();
  const Facts list = facts(host);
  EXPECT_FALSE(host.allowed_cpus.empty());
  EXPECT_GE(number(list, "hardware_threads"), number(list, "physical_cores"));
  EXPECT_GE(number(list, "physical_cores"), number(list, "allowed_cores"));
  EXPECT_GE(number(list, "allowed_cores"), 1U);
  EXPECT_FALSE(host.kernel.empty());
}

TEST(Host, HwlocAndSysfsAgreeHere) {
  const auto by_hwloc = read_topology_hwloc();
  const Topology by_sysfs = read_topology_sysfs("/");
  if (!by_hwloc || by_sysfs.cpus.empty()) GTEST_SKIP() << "only one source here";
  std::vector<unsigned> all;
  ASSERT_EQ(by_hwloc->cpus.size(), by_sysfs.cpus.size());
  for (std::size_t i = 0; i < by_sysfs.cpus.size(); ++i) {
    EXPECT_EQ(by_hwloc->cpus[i].id, by_sysfs.cpus[i].id);
    EXPECT_EQ(by_hwloc->cpus[i].core, by_sysfs.cpus[i].core);
    all.push_back(by_sysfs.cpus[i].id);
  }
  const auto one = last_level_used(*by_hwloc, all);
  const auto other = last_level_used(by_sysfs, all);
  if (!one || !other) GTEST_SKIP() << "only one source knows the caches";
  EXPECT_EQ(one->bytes_total, other->bytes_total);
  EXPECT_EQ(one->instances, other->instances);
}

}  // namespace
}  // namespace roofline::host
