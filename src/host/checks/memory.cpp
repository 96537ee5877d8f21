// Whether there is memory enough, of one kind, that stays where it is.
#include <fmt/core.h>

#include <algorithm>

#include "host/checks/check.hpp"

namespace roofline::host {
namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;

std::string capacity(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  return value < kGib ? fmt::format("{:.3g} MiB", value / kGib * 1024)
                      : fmt::format("{:.3g} GiB", value / kGib);
}

/// Memory that may be taken, as host::memory_left() says, from what was read.
std::optional<std::uint64_t> left(const Host& host) {
  auto out = host.memory.available_bytes;
  const auto group = host.limits.memory_left_bytes;
  if (group && (!out || *group < *out)) out = group;
  return out;
}

Verdict memory_size(const Evidence& e) {
  const auto available = left(e.host);
  if (!available) return unknown("/proc/meminfo has no MemAvailable");
  const auto caches = last_level_used(e.host.topology, e.host.allowed_cpus);
  if (!caches) return unknown("the size of the caches is not known; arrays of 256 MiB are used");
  // Three arrays (triad) of 8 times the last-level caches, out of the 70 % that a workload may
  // take.
  constexpr std::uint64_t kArrays = 3;
  constexpr std::uint64_t kFactor = 8;
  constexpr double kUsable = 0.7;
  const std::uint64_t want = kArrays * kFactor * caches->bytes_total;
  const double factor = kUsable * static_cast<double>(*available) /
                        static_cast<double>(kArrays * caches->bytes_total);
  const std::string text =
      fmt::format("{} available; three arrays of 8 x the {} of last-level cache take {}",
                  capacity(*available), capacity(caches->bytes_total), capacity(want));
  if (factor >= static_cast<double>(kFactor)) return {Severity::ok, text};
  return {factor < 4 ? Severity::spoils : Severity::lowers, text};
}

Verdict memory_limit(const Evidence& e) {
  const CgroupLimits& limits = e.host.limits;
  if (!limits.memory_bytes) {
    if (!limits.version)
      return unknown(limits.problem.empty() ? "no control group was read" : limits.problem);
    return {Severity::ok, "no limit of a control group"};
  }
  std::string text = "the control group may use " + capacity(*limits.memory_bytes);
  if (limits.memory_left_bytes)
    text += ", of which " + capacity(*limits.memory_left_bytes) + " are left";
  return {Severity::note, text};
}

Verdict swap(const Evidence& e) {
  if (!e.conditions.swap_used_bytes) return unknown("/proc/meminfo has no SwapTotal or SwapFree");
  const std::uint64_t used = *e.conditions.swap_used_bytes;
  if (used == 0) return {Severity::ok, "nothing is swapped out"};
  const std::uint64_t total = e.host.memory.total_bytes.value_or(0);
  const bool much = used > total / 20;
  return {much ? Severity::lowers : Severity::note, capacity(used) + " are swapped out"};
}

Verdict memory_pressure(const Evidence& e) {
  if (!e.conditions.memory_pressure) return unknown("/proc/pressure/memory cannot be read");
  constexpr double kSpoils = 0.1;
  constexpr double kLowers = 0.01;
  const double share = *e.conditions.memory_pressure;
  const Severity severity = share >= kSpoils   ? Severity::spoils
                            : share >= kLowers ? Severity::lowers
                                               : Severity::ok;
  return {severity,
          fmt::format("a thread waited for memory in {:.1f} % of the last 10 s", 100 * share)};
}

Verdict huge_pages(const Evidence& e) {
  if (!e.host.huge_pages) return unknown("the kernel shows no setting for transparent huge pages");
  const std::string text = "transparent huge pages: " + *e.host.huge_pages;
  return {*e.host.huge_pages == "never" ? Severity::lowers : Severity::ok, text};
}

Verdict numa(const Evidence& e) {
  if (!e.host.topology.numa_nodes) return unknown("the kernel lists no memory node");
  const unsigned nodes = *e.host.topology.numa_nodes;
  if (nodes <= 1) return {Severity::ok, "one memory node"};
  return {Severity::note, fmt::format("{} memory nodes", nodes)};
}

Verdict numa_balancing(const Evidence& e) {
  const auto nodes = e.host.topology.numa_nodes;
  if (nodes && *nodes <= 1) return {Severity::ok, "one memory node: nothing to move pages to"};
  if (!e.conditions.numa_balancing)
    return unknown("/proc/sys/kernel/numa_balancing cannot be read");
  return *e.conditions.numa_balancing
             ? Verdict{Severity::lowers, "the kernel moves pages between memory nodes"}
             : Verdict{Severity::ok, "pages stay on their memory node"};
}

constexpr Check kChecks[] = {
    {"memory_size",
     "smaller arrays stay in the caches in part and bandwidth reads too high: by 36 to 50 % at 2 x "
     "the last-level cache, 9 to 18 % at 4 x, 1 to 3 % at 8 x",
     "free memory (stop programs, raise the container's --memory), or use fewer cores: taskset -c "
     "0 "
     "roofline run",
     false, "", memory_size},
    {"memory_limit", "what exceeds it ends the process; arrays are sized to what is left",
     "docker run --memory=..., or systemctl set-property UNIT MemoryMax=...", true,
     "nothing has to be done while memory_size is ok", memory_limit},
    {"swap",
     "memory was short; what is swapped out comes back at the disk's rate when it is touched",
     "swapoff -a && swapon -a with memory free", true, "stop the programs that need the memory",
     swap},
    {"memory_pressure",
     "pages are being reclaimed: allocation stalls and arrays may be swapped while measured",
     "stop the programs that need the memory", false, "", memory_pressure},
    {"huge_pages",
     "4 KiB pages cost 1 to 4 % on DRAM streams, up to 9 % on non-temporal copies, up to 28 % at "
     "24 "
     "MiB",
     "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled", true,
     "none: state it beside the figures", huge_pages},
    {"numa",
     "memory lies where it is first touched (roofline's threads each touch their own part); a "
     "placement on the far node gave 63 GB/s instead of 111",
     "for the roofs of one node: numactl --cpunodebind=0 --membind=0 roofline run", false, "",
     numa},
    {"numa_balancing", "pages that move while they are measured cost faults and mix near and far",
     "sysctl kernel.numa_balancing=0", true, "numactl --cpunodebind=0 --membind=0 roofline run",
     numa_balancing},
};

}  // namespace

std::span<const Check> checks_of_memory() { return kChecks; }

}  // namespace roofline::host
