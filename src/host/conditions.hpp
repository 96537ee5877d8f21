// What on this machine may change from one hour to the next, or that somebody set: load, clocks,
// power, paging. Read once, as plain values beside Host, without judging. What can't be read is
// nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roofline::host {

/// The 1-minute figure of /proc/loadavg.
[[nodiscard]] std::optional<double> parse_load(std::string_view text);
/// The `some avg10` of a /proc/pressure file, as a share from 0 to 1.
[[nodiscard]] std::optional<double> parse_pressure(std::string_view text);
/// SwapTotal less SwapFree of /proc/meminfo.
[[nodiscard]] std::optional<std::uint64_t> parse_swap_used(std::string_view text);
/// The driver's version in /proc/driver/nvidia/version: `550.54.15`.
[[nodiscard]] std::optional<std::string> parse_nvidia_version(std::string_view text);

/// /sys/devices/system/cpu/cpuN/cpufreq.
struct ClockPolicy {
  unsigned cpu = 0;
  std::string governor;
  std::optional<std::string> driver;      ///< `intel_pstate`, `amd-pstate-epp`, `acpi-cpufreq`
  std::optional<std::string> preference;  ///< energy_performance_preference
};

struct Conditions {
  std::optional<double> load;             ///< runnable threads, mean of a minute
  std::optional<double> cpu_pressure;     ///< share of 10 s in which a thread waited for a CPU
  std::optional<double> memory_pressure;  ///< share of 10 s in which a thread waited for memory
  std::optional<std::uint64_t> swap_used_bytes;
  std::vector<ClockPolicy> clock_policies;  ///< of the CPUs asked for; empty in most guests
  std::optional<bool> boost;                ///< clocks above the base clock are allowed
  std::optional<std::string> clocksource;
  std::optional<bool> numa_balancing;
  std::optional<std::vector<unsigned>> isolated_cpus;
  std::optional<bool> on_battery;
  std::optional<std::string> power_profile;  ///< ACPI: `low-power`, `balanced`, `performance`
  std::optional<std::string> nvidia_driver;
  std::optional<std::string> libcuda;  ///< where libcuda.so.1 lies
  /// A process of NVIDIA's MPS daemon; empty: none among those that can be seen.
  std::optional<std::string> mps_process;
  std::optional<bool> mps_pipe;  ///< its pipe lies where it lies by default
  std::optional<bool> traced;    ///< a debugger or strace follows this process
  /// Relative capacity of each CPU asked for (the largest is 1024), where the kernel tells.
  std::vector<std::uint64_t> capacities;
};

/// `cpus`: those whose clock policy counts.
[[nodiscard]] Conditions read_conditions(const std::filesystem::path& root,
                                         const std::vector<unsigned>& cpus);

}  // namespace roofline::host
