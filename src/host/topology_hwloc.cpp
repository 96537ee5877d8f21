// The only file that knows hwloc.
#include "host/topology.hpp"

#if defined(ROOFLINE_HAS_HWLOC)
#include <hwloc.h>

#include <algorithm>
#include <memory>

namespace roofline::host {
namespace {

struct Destroy {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Handle = std::unique_ptr<hwloc_topology, Destroy>;

std::vector<unsigned> members(hwloc_const_bitmap_t set) {
  std::vector<unsigned> out;
  for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu)) {
    out.push_back(static_cast<unsigned>(cpu));
  }
  return out;
}

std::string version_text() {
  const unsigned version = hwloc_get_api_version();  // 0x00XXYYZZ
  return "hwloc, API " + std::to_string(version >> 16) + "." +
         std::to_string((version >> 8) & 0xff) + "." + std::to_string(version & 0xff);
}

void add_caches(hwloc_topology_t topology, int depth, std::vector<Cache>& out) {
  for (hwloc_obj_t cache = hwloc_get_next_obj_by_depth(topology, depth, nullptr); cache != nullptr;
       cache = hwloc_get_next_obj_by_depth(topology, depth, cache)) {
    if (cache->attr == nullptr || cache->attr->cache.size == 0 || cache->cpuset == nullptr)
      continue;
    out.push_back({cache->attr->cache.depth, CacheKind::unified, cache->attr->cache.size,
                   members(cache->cpuset)});
    if (cache->attr->cache.type == HWLOC_OBJ_CACHE_DATA) out.back().kind = CacheKind::data;
  }
}

}  // namespace

std::optional<Topology> read_topology_hwloc() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return std::nullopt;
  const Handle handle(raw);
  // CPUs outside the affinity mask belong to the machine too; which of them are allowed is asked
  // separately.
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(raw) != 0) return std::nullopt;

  Topology out;
  out.source = version_text();
  for (hwloc_obj_t pu = hwloc_get_next_obj_by_type(raw, HWLOC_OBJ_PU, nullptr); pu != nullptr;
       pu = hwloc_get_next_obj_by_type(raw, HWLOC_OBJ_PU, pu)) {
    hwloc_obj* const core = hwloc_get_ancestor_obj_by_type(raw, HWLOC_OBJ_CORE, pu);
    const int first = core != nullptr ? hwloc_bitmap_first(core->cpuset) : -1;
    out.cpus.push_back({pu->os_index, first >= 0 ? static_cast<unsigned>(first) : pu->os_index});
  }
  if (out.cpus.empty()) return std::nullopt;
  std::sort(out.cpus.begin(), out.cpus.end(),
            [](const LogicalCpu& a, const LogicalCpu& b) { return a.id < b.id; });
  for (const hwloc_obj_type_t type :
       {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE}) {
    const int depth = hwloc_get_type_depth(raw, type);
    if (depth >= 0) add_caches(raw, depth, out.caches);
  }
  const int nodes = hwloc_get_nbobjs_by_type(raw, HWLOC_OBJ_NUMANODE);
  if (nodes > 0) out.numa_nodes = static_cast<unsigned>(nodes);
  return out;
}

}  // namespace roofline::host

#else

namespace roofline::host {

std::optional<Topology> read_topology_hwloc() { return std::nullopt; }

}  // namespace roofline::host

#endif
