// What the CPUs are doing: counters read at two instants, and what happened in between. Waiting is
// the caller's; nothing here sleeps or judges.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roofline::host {

/// One `cpuN` line of /proc/stat, in clock ticks since boot.
struct CpuTicks {
  unsigned cpu = 0;
  std::uint64_t busy = 0;   ///< user, nice, system, irq, softirq
  std::uint64_t steal = 0;  ///< wanted to run while the hypervisor ran something else
  std::uint64_t total = 0;
};
/// Malformed lines are left out. Guest time is part of user time and not counted again.
[[nodiscard]] std::vector<CpuTicks> parse_cpu_ticks(std::string_view text);

struct ProcessTicks {
  unsigned pid = 0;
  std::string name;
  std::uint64_t busy = 0;  ///< user and system, of all its threads
};
/// /proc/PID/stat, whose name may hold spaces and parentheses.
[[nodiscard]] std::optional<ProcessTicks> parse_process_ticks(std::string_view text);

struct Activity {
  std::vector<CpuTicks> cpus;
  std::vector<ProcessTicks> processes;      ///< those that can be seen, by pid
  std::optional<std::uint64_t> throttlings; /**< thermal throttle events of all cores since boot;
                                                 nothing where the kernel does not count them */
};
/// Looking at thousands of processes takes a CPU's time itself: it is done outside of what is
/// watched.
enum class Instant { begin, end };
/// /proc/stat, /proc/PID/stat and the throttle counters below `root`.
[[nodiscard]] Activity read_activity(const std::filesystem::path& root, Instant instant);

/// Shares of one CPU's time, 0 to 1.
struct CpuUse {
  unsigned cpu = 0;
  double busy = 0;
  double steal = 0;
};
struct ProcessUse {
  unsigned pid = 0;
  std::string name;
  double cpus = 0;  ///< 1.5: one and a half CPUs
};
struct Use {
  std::vector<CpuUse> cpus;           ///< those whose counters moved
  std::vector<ProcessUse> processes;  ///< those that ran, the busiest first
  std::optional<std::uint64_t> throttlings;
};
/// `self`: the process whose own use does not count.
[[nodiscard]] Use use_between(const Activity& before, const Activity& after, unsigned self);

}  // namespace roofline::host
