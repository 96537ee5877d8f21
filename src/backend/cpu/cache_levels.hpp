// How much of each cache a thread has, how large a set must be to lie well inside one level and
// outside the next inner one, and which level a set lies in. Plain arithmetic on the topology,
// which is that of hwloc or sysfs: sysconf() shows the host's whole socket on some virtual
// machines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/topology.hpp"
#include "roofline/time_model.hpp"
#include "roofline/workload.hpp"

namespace roofline::cpu {

/// Bytes of the data caches that one of the threads has to itself: the smallest, should they
/// differ, divided by the threads that share it. Nothing where the level is not known.
struct CacheShares {
  std::optional<std::uint64_t> l1;
  std::optional<std::uint64_t> l2;
  std::optional<std::uint64_t> l3;
};
[[nodiscard]] CacheShares cache_shares(const host::Topology& topology,
                                       const std::vector<unsigned>& cpus);

/// The set of one thread, all of its arrays together, that lies in a level: half of l1 and of l2,
/// which are the core's own. Of l3, which others use as well, the least that is beyond the
/// transition of the inner level, or half as well where that is less. Never less than twice the
/// inner level.
struct LevelSet {
  std::uint64_t bytes = 0;  ///< 0: there is no such set
  std::uint64_t most = 0;   ///< that lie inside
  std::string problem;      ///< why there is none, and a way out
};
/// `level`: l1, l2 or l3.
[[nodiscard]] LevelSet level_set(const CacheShares& shares, Boundary level);

/// `l2`, `dram`, or for a set in a transition `between l2 and l3`. Empty where no cache is known.
[[nodiscard]] std::string level_of(const CacheShares& shares, double bytes_of_a_thread);

}  // namespace roofline::cpu
