#include "host/cgroup.hpp"

#include <gtest/gtest.h>

#include "fake_machine.hpp"

namespace roofline::host {
namespace {

TEST(Cgroup, B181_QuotaOfVersion2) {
  EXPECT_EQ(parse_cpu_max("150000 100000\n"), 1.5);
  EXPECT_EQ(parse_cpu_max("200000 100000"), 2.0);
  EXPECT_EQ(parse_cpu_max("max 100000\n"), std::nullopt);
  EXPECT_EQ(parse_cpu_max("50000"), 0.5);
  EXPECT_EQ(parse_cpu_max(""), std::nullopt);
  EXPECT_EQ(parse_cpu_max("0 0"), std::nullopt);
}

TEST(Cgroup, B181_QuotaOfVersion1) {
  EXPECT_EQ(parse_cfs_quota("-1\n", "100000\n"), std::nullopt);
  EXPECT_EQ(parse_cfs_quota("350000\n", "100000\n"), 3.5);
}

TEST(Cgroup, B181_ThreadsAreTheQuotaRoundedUp) {
  EXPECT_EQ(threads_within(1.5), 2U);
  EXPECT_EQ(threads_within(2.0), 2U);
  EXPECT_EQ(threads_within(0.1), 1U);
}

TEST(Cgroup, MemoryLimits) {
  EXPECT_EQ(parse_memory_limit("max\n"), std::nullopt);
  EXPECT_EQ(parse_memory_limit("9223372036854771712\n"), std::nullopt);
  EXPECT_EQ(parse_memory_limit("4294967296\n"), 4ULL << 30);
}

TEST(Cgroup, Version2TakesTheSmallestLimitOnTheWayUp) {
  const FakeMachine machine;
  machine.write("/proc/self/cgroup", sample("cgroup_v2.txt"));
  machine.write("/proc/self/mountinfo", sample("mountinfo_v2.txt"));
  machine.write("/sys/fs/cgroup/system.slice/bench.service/cpu.max", "800000 100000\n");
  machine.write("/sys/fs/cgroup/system.slice/cpu.max", "300000 100000\n");
  machine.write("/sys/fs/cgroup/system.slice/bench.service/memory.max", "1000000\n");
  machine.write("/sys/fs/cgroup/system.slice/bench.service/memory.current", "400000\n");
  machine.write("/sys/fs/cgroup/system.slice/memory.max", "max\n");
  const CgroupLimits limits = read_cgroup_limits(machine.root());
  EXPECT_EQ(limits.version, 2);
  EXPECT_EQ(limits.cpus, 3.0);
  EXPECT_EQ(limits.memory_bytes, 1000000U);
  EXPECT_EQ(limits.memory_left_bytes, 600000U);
  EXPECT_TRUE(limits.problem.empty());
}

TEST(Cgroup, Version1StripsTheMountRoot) {
  const FakeMachine machine;
  machine.write("/proc/self/cgroup", sample("cgroup_v1.txt"));
  machine.write("/proc/self/mountinfo", sample("mountinfo_v1.txt"));
  machine.write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "250000\n");
  machine.write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  machine.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648\n");
  machine.write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "147483648\n");
  const CgroupLimits limits = read_cgroup_limits(machine.root());
  EXPECT_EQ(limits.version, 1);
  EXPECT_EQ(limits.cpus, 2.5);
  EXPECT_EQ(limits.memory_bytes, 2147483648U);
  EXPECT_EQ(limits.memory_left_bytes, 2000000000U);
}

TEST(Cgroup, GroupsBelowTheMountRootCount) {
  const FakeMachine machine;
  machine.write("/proc/self/cgroup", "2:cpu,cpuacct:/docker/4f2c/worker\n");
  machine.write("/proc/self/mountinfo", sample("mountinfo_v1.txt"));
  machine.write("/sys/fs/cgroup/cpu,cpuacct/worker/cpu.cfs_quota_us", "100000\n");
  machine.write("/sys/fs/cgroup/cpu,cpuacct/worker/cpu.cfs_period_us", "100000\n");
  machine.write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "400000\n");
  machine.write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(read_cgroup_limits(machine.root()).cpus, 1.0);
}

TEST(Cgroup, HybridReadsTheTreeThatHasTheController) {
  const FakeMachine machine;
  machine.write("/proc/self/cgroup", sample("cgroup_hybrid.txt"));
  machine.write("/proc/self/mountinfo", sample("mountinfo_hybrid.txt"));
  machine.write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  machine.write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  machine.write("/sys/fs/cgroup/memory/job/7/memory.limit_in_bytes", "5000\n");
  machine.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  const CgroupLimits limits = read_cgroup_limits(machine.root());
  EXPECT_EQ(limits.version, 1);
  EXPECT_EQ(limits.cpus, std::nullopt);
  EXPECT_EQ(limits.memory_bytes, 5000U);
  EXPECT_EQ(limits.memory_left_bytes, std::nullopt);  // its use is not shown
}

TEST(Cgroup, NothingMountedSaysSo) {
  const FakeMachine machine;
  EXPECT_FALSE(read_cgroup_limits(machine.root()).problem.empty());
  machine.write("/proc/self/cgroup", "0::/\n");
  machine.write("/proc/self/mountinfo", "22 27 0:21 / /proc rw - proc proc rw\n");
  const CgroupLimits limits = read_cgroup_limits(machine.root());
  EXPECT_EQ(limits.version, std::nullopt);
  EXPECT_FALSE(limits.problem.empty());
}

TEST(Cgroup, PathOutsideTheNamespaceFallsBackToTheMountPoint) {
  const FakeMachine machine;
  machine.write("/proc/self/cgroup", "0::/../other\n");
  machine.write("/proc/self/mountinfo", sample("mountinfo_v2.txt"));
  machine.write("/sys/fs/cgroup/cpu.max", "100000 100000\n");
  EXPECT_EQ(read_cgroup_limits(machine.root()).cpus, 1.0);
}

}  // namespace
}  // namespace roofline::host
