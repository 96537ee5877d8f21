#include "host/activity.hpp"

#include <gtest/gtest.h>

#include "fake_machine.hpp"

namespace roofline::host {
namespace {

/// Columns of proc_stat(5): user nice system idle iowait irq softirq steal guest guest_nice.
constexpr const char* kBefore =
    "cpu  1000 0 1000 9000 0 0 0 0 0 0\n"
    "cpu0 100 10 20 800 30 4 6 30 50 0\n"
    "cpu1 0 0 0 1000 0 0 0 0 0 0\n"
    "intr 1 2 3\n";
/// 20 ticks later: CPU 0 ran 15 of them (5 user, 2 nice, 3 system, 2 irq, 3 softirq), waited for
/// the disk in 1 and lost 4; CPU 1 was idle.
constexpr const char* kAfter =
    "cpu  1000 0 1000 9000 0 0 0 0 0 0\n"
    "cpu0 105 12 23 800 31 6 9 34 53 0\n"
    "cpu1 0 0 0 1020 0 0 0 0 0 0\n"
    "intr 1 2 3\n";

std::string process(unsigned pid, const std::string& name, unsigned user, unsigned system) {
  return std::to_string(pid) + " (" + name + ") R 1 1 1 0 -1 4194304 10 0 0 0 " +
         std::to_string(user) + " " + std::to_string(system) + " 0 0 20 0 1 0 100 1000 10\n";
}

TEST(Activity, SharesAreThoseOfTheTicksBetween) {
  const Activity before{parse_cpu_ticks(kBefore), {}, {}};
  const Activity after{parse_cpu_ticks(kAfter), {}, {}};
  const Use use = use_between(before, after, 0);
  ASSERT_EQ(use.cpus.size(), 2U);
  EXPECT_EQ(use.cpus[0].cpu, 0U);
  EXPECT_DOUBLE_EQ(use.cpus[0].busy, 15.0 / 20);
  EXPECT_DOUBLE_EQ(use.cpus[0].steal, 4.0 / 20);
  EXPECT_DOUBLE_EQ(use.cpus[1].busy, 0);
  EXPECT_DOUBLE_EQ(use.cpus[1].steal, 0);
}

TEST(Activity, MalformedLinesAreLeftOut) {
  EXPECT_TRUE(parse_cpu_ticks("").empty());
  EXPECT_TRUE(parse_cpu_ticks("cpu0 1 2 3\ncpux 1 2 3 4 5 6 7 8\ncpu1 1 2 3 4 5 6 7 -8\n").empty());
  EXPECT_EQ(parse_cpu_ticks("cpu7 1 2 3 4 5 6 7 8").size(), 1U);
}

TEST(Activity, CountersThatRunBackwardsOrStandStillSayNothing) {
  const Activity later{parse_cpu_ticks(kAfter), {}, {}};
  EXPECT_TRUE(use_between(later, later, 0).cpus.empty());
  const Activity restarted{parse_cpu_ticks("cpu0 1 0 0 1 0 0 0 0"), {}, {}};
  EXPECT_TRUE(use_between(later, restarted, 0).cpus.empty());
}

TEST(Activity, ProcessNamesMayHoldSpacesAndParentheses) {
  const auto found = parse_process_ticks(process(42, "a) R (b c", 7, 5));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pid, 42U);
  EXPECT_EQ(found->name, "a) R (b c");
  EXPECT_EQ(found->busy, 12U);
  for (const char* bad : {"", "42", "42 (a", "x (a) R 1", "42 )a( R", "42 (a) R 1 1 1"}) {
    EXPECT_FALSE(parse_process_ticks(bad)) << bad;
  }
}

TEST(Activity, BusiestProcessFirstWithoutOneself) {
  FakeMachine machine;
  machine.write("/proc/stat", kBefore);
  machine.write("/proc/7/stat", process(7, "old", 100, 0));
  machine.write("/proc/8/stat", process(8, "self", 0, 0));
  machine.write("/proc/9/stat", process(9, "asleep", 50, 50));
  const Activity before = read_activity(machine.root(), Instant::begin);
  machine.write("/proc/stat", kAfter);
  machine.write("/proc/7/stat", process(7, "old", 104, 1));
  machine.write("/proc/8/stat", process(8, "self", 20, 0));
  machine.write("/proc/10/stat", process(10, "new", 30, 0));
  machine.write("/proc/irq/stat", "no process");
  const Use use = use_between(before, read_activity(machine.root(), Instant::end), 8);
  ASSERT_EQ(use.processes.size(), 2U);
  EXPECT_EQ(use.processes[0].name, "new");
  EXPECT_DOUBLE_EQ(use.processes[0].cpus, 1.5);
  EXPECT_EQ(use.processes[1].pid, 7U);
  EXPECT_DOUBLE_EQ(use.processes[1].cpus, 0.25);
}

TEST(Activity, ThrottleEventsOfAllCoresAreAddedUp) {
  FakeMachine machine;
  machine.write("/proc/stat", kBefore);
  EXPECT_FALSE(read_activity(machine.root(), Instant::end).throttlings);
  const auto count = [&](int cpu, const char* events) {
    machine.write("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                      "/thermal_throttle/core_throttle_count",
                  events);
  };
  count(0, "100\n");
  count(1, "7\n");
  const Activity before = read_activity(machine.root(), Instant::begin);
  count(1, "10\n");
  EXPECT_EQ(use_between(before, read_activity(machine.root(), Instant::end), 0).throttlings, 3U);
  count(1, "nonsense");
  EXPECT_FALSE(use_between(before, read_activity(machine.root(), Instant::end), 0).throttlings);
}

TEST(Activity, ThisMachineIsSeen) {
  const Activity here = read_activity("/", Instant::end);
  EXPECT_FALSE(here.cpus.empty());
  EXPECT_FALSE(here.processes.empty());
}

}  // namespace
}  // namespace roofline::host
