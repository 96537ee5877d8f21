#include "host/topology.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "host/files.hpp"
#include "host/proc_text.hpp"

namespace roofline::host {
namespace {

std::optional<CacheKind> cache_kind(std::string_view text) {
  if (text == "Data") return CacheKind::data;
  if (text == "Instruction") return CacheKind::instruction;
  if (text == "Unified") return CacheKind::unified;
  return std::nullopt;
}

unsigned core_of(const std::filesystem::path& cpu_folder, unsigned cpu) {
  // core_cpus_list is the newer name (Linux 5.3) of thread_siblings_list. core_id alone repeats
  // from die to die.
  for (const char* file : {"topology/core_cpus_list", "topology/thread_siblings_list"}) {
    const auto text = read_text(cpu_folder / file);
    if (!text) continue;
    const std::vector<unsigned> siblings = parse_cpu_list(*text);
    if (!siblings.empty()) return *std::min_element(siblings.begin(), siblings.end());
  }
  return cpu;
}

std::optional<Cache> read_cache(const std::filesystem::path& folder) {
  const auto level = read_text(folder / "level");
  const auto kind = read_text(folder / "type");
  const auto size = read_text(folder / "size");
  const auto shared = read_text(folder / "shared_cpu_list");
  if (!level || !kind || !size || !shared) return std::nullopt;
  const auto level_number = parse_number(*level);
  const auto parsed_kind = cache_kind(trimmed(*kind));
  const auto bytes = parse_size(*size);
  // Some arm64 firmware leaves the size out; the kernel then shows no file or 0.
  if (!level_number || *level_number > 9 || !parsed_kind || !bytes || *bytes == 0)
    return std::nullopt;
  Cache cache;
  cache.level = static_cast<unsigned>(*level_number);
  cache.kind = *parsed_kind;
  cache.bytes = *bytes;
  cache.cpus = parse_cpu_list(*shared);
  if (cache.cpus.empty()) return std::nullopt;
  return cache;
}

void add_caches(const std::filesystem::path& folder,
                std::set<std::tuple<unsigned, CacheKind, unsigned>>& seen,
                std::vector<Cache>& out) {
  constexpr unsigned kMostIndices = 16;
  for (unsigned i = 0; i < kMostIndices; ++i) {
    auto cache = read_cache(folder / ("index" + std::to_string(i)));
    // Every CPU that shares a cache lists it.
    if (cache && seen.insert({cache->level, cache->kind, cache->cpus.front()}).second) {
      out.push_back(std::move(*cache));
    }
  }
}

bool shares(const Cache& cache, const std::vector<unsigned>& cpus) {
  return std::any_of(cpus.begin(), cpus.end(), [&](unsigned cpu) {
    return std::binary_search(cache.cpus.begin(), cache.cpus.end(), cpu);
  });
}

}  // namespace

Topology read_topology_sysfs(const std::filesystem::path& root) {
  Topology out;
  out.source = "sysfs";
  const auto online = read_text(below(root, "/sys/devices/system/cpu/online"));
  if (!online) {
    out.problem = "/sys/devices/system/cpu/online cannot be read";
    return out;
  }
  std::set<std::tuple<unsigned, CacheKind, unsigned>> seen;
  for (const unsigned cpu : parse_cpu_list(*online)) {
    const auto folder = below(root, "/sys/devices/system/cpu/cpu" + std::to_string(cpu));
    out.cpus.push_back({cpu, core_of(folder, cpu)});
    add_caches(folder / "cache", seen, out.caches);
  }
  if (out.cpus.empty()) out.problem = "/sys/devices/system/cpu/online is malformed";
  if (const auto nodes = read_text(below(root, "/sys/devices/system/node/online"))) {
    const auto list = parse_cpu_list(*nodes);
    if (!list.empty()) out.numa_nodes = static_cast<unsigned>(list.size());
  }
  return out;
}

std::vector<unsigned> one_cpu_per_core(const Topology& topology,
                                       const std::vector<unsigned>& allowed,
                                       std::vector<unsigned>* spare) {
  std::set<unsigned> taken;
  std::vector<unsigned> out;
  for (const LogicalCpu& cpu : topology.cpus) {
    if (!std::binary_search(allowed.begin(), allowed.end(), cpu.id)) continue;
    if (taken.insert(cpu.core).second) {
      out.push_back(cpu.id);
    } else if (spare != nullptr) {
      spare->push_back(cpu.id);
    }
  }
  return out;
}

std::optional<CacheUse> caches_used(const Topology& topology, unsigned level,
                                    const std::vector<unsigned>& cpus) {
  CacheUse out;
  for (const Cache& cache : topology.caches) {
    if (cache.level != level || cache.kind == CacheKind::instruction || !shares(cache, cpus))
      continue;
    ++out.instances;
    out.bytes_each = std::max(out.bytes_each, cache.bytes);
    out.bytes_total += cache.bytes;
  }
  if (out.instances == 0) return std::nullopt;
  return out;
}

std::optional<CacheUse> last_level_used(const Topology& topology,
                                        const std::vector<unsigned>& cpus) {
  unsigned outermost = 0;
  for (const Cache& cache : topology.caches) {
    if (cache.kind != CacheKind::instruction && shares(cache, cpus))
      outermost = std::max(outermost, cache.level);
  }
  if (outermost == 0) return std::nullopt;
  return caches_used(topology, outermost, cpus);
}

}  // namespace roofline::host
