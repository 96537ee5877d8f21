// Cores, hardware threads, caches and memory nodes of this machine, and what follows from them for
// a set of CPUs. Where they were read from (hwloc, sysfs) is one of its facts, not its concern.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace roofline::host {

struct LogicalCpu {
  unsigned id = 0;
  unsigned core = 0;  ///< the lowest CPU number among its hardware threads: names the physical core
};

enum class CacheKind { data, instruction, unified };

struct Cache {
  unsigned level = 0;
  CacheKind kind = CacheKind::unified;
  std::uint64_t bytes = 0;
  std::vector<unsigned> cpus;  ///< sorted; the CPUs that share this one
};

struct Topology {
  std::vector<LogicalCpu> cpus;  ///< those online, by id
  std::vector<Cache> caches;
  std::optional<unsigned> numa_nodes;
  std::string source;   ///< `hwloc, API 2.8.0` or `sysfs`
  std::string problem;  ///< why there are no CPUs; empty otherwise
};

/// From /sys/devices/system below `root`.
[[nodiscard]] Topology read_topology_sysfs(const std::filesystem::path& root);
/// Nothing when the program was built without hwloc or hwloc fails.
[[nodiscard]] std::optional<Topology> read_topology_hwloc();

/// One CPU for each physical core that has a CPU in `allowed` (sorted), in order of CPU number:
/// where one thread per core goes. `spare`, when given, gets the other hardware threads.
[[nodiscard]] std::vector<unsigned> one_cpu_per_core(const Topology& topology,
                                                     const std::vector<unsigned>& allowed,
                                                     std::vector<unsigned>* spare = nullptr);

struct CacheUse {
  unsigned instances = 0;
  std::uint64_t bytes_each = 0;  ///< the largest, should they differ
  std::uint64_t bytes_total = 0;
};
/// The data or unified caches of `level` that any of `cpus` uses; nothing where none is known.
[[nodiscard]] std::optional<CacheUse> caches_used(const Topology& topology, unsigned level,
                                                  const std::vector<unsigned>& cpus);
/// The outermost such level: what an array has to exceed to lie in DRAM.
[[nodiscard]] std::optional<CacheUse> last_level_used(const Topology& topology,
                                                      const std::vector<unsigned>& cpus);

}  // namespace roofline::host
