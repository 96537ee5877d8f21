#include "backend/cpu/cache_levels.hpp"

#include <algorithm>

#include "backend/cpu/sizing.hpp"
#include "backend/size_text.hpp"

namespace roofline::cpu {
namespace {

std::optional<std::uint64_t> share_of(const host::Topology& topology, unsigned level,
                                      const std::vector<unsigned>& cpus) {
  std::optional<std::uint64_t> least;
  for (const host::Cache& cache : topology.caches) {
    if (cache.level != level || cache.kind == host::CacheKind::instruction || cache.bytes == 0)
      continue;
    const auto sharing = std::count_if(cpus.begin(), cpus.end(), [&](unsigned cpu) {
      return std::binary_search(cache.cpus.begin(), cache.cpus.end(), cpu);
    });
    if (sharing == 0) continue;
    const std::uint64_t share = cache.bytes / static_cast<std::uint64_t>(sharing);
    least = std::min(least.value_or(share), share);
  }
  return least;
}

struct Level {
  Boundary boundary;
  std::optional<std::uint64_t> bytes;
};

std::vector<Level> known_levels(const CacheShares& shares) {
  std::vector<Level> out;
  for (const Level& level : {Level{Boundary::l1, shares.l1}, Level{Boundary::l2, shares.l2},
                             Level{Boundary::l3, shares.l3}}) {
    if (level.bytes) out.push_back(level);
  }
  return out;
}

}  // namespace

CacheShares cache_shares(const host::Topology& topology, const std::vector<unsigned>& cpus) {
  return {share_of(topology, 1, cpus), share_of(topology, 2, cpus), share_of(topology, 3, cpus)};
}

LevelSet level_set(const CacheShares& shares, Boundary level) {
  constexpr double kLeast = 2;
  const std::vector<Level> levels = known_levels(shares);
  const auto found = std::find_if(levels.begin(), levels.end(),
                                  [&](const Level& l) { return l.boundary == level; });
  const std::string word(name(level));
  if (found == levels.end())
    return {0, 0, "the size of an " + word + " cache is not known here; use dram"};
  const auto size = static_cast<double>(*found->bytes);
  const double inside = kInside * size;
  const auto most = static_cast<std::uint64_t>(inside);
  if (found == levels.begin()) return {most, most, ""};
  const auto inner = static_cast<double>(*std::prev(found)->bytes);
  const double bytes = level == Boundary::l3 ? std::min(kOutside * inner, inside) : inside;
  if (bytes < kLeast * inner) {
    return {0, 0,
            "a thread's share of " + word + " (" + backend::size_text(size) +
                ") leaves no room for a set that is twice its " +
                std::string(name(std::prev(found)->boundary)) + " (" + backend::size_text(inner) +
                ") and half of the share; use fewer threads, or dram"};
  }
  return {static_cast<std::uint64_t>(bytes), most, ""};
}

std::string level_of(const CacheShares& shares, double bytes_of_a_thread) {
  const std::vector<Level> levels = known_levels(shares);
  if (levels.empty()) return {};
  // A set that is rounded to whole lines and arrays is no other for it.
  constexpr double kRounding = 0.995;
  std::string outer = "dram";
  for (std::size_t i = levels.size(); i-- > 0;) {
    const Level& level = levels[i];
    const auto size = static_cast<double>(*level.bytes);
    if (bytes_of_a_thread >= kRounding * kOutside * size) return outer;
    const std::string word(name(level.boundary));
    if (bytes_of_a_thread > kInside * size) return "between " + word + " and " + outer;
    outer = word;
  }
  return outer;
}

}  // namespace roofline::cpu
