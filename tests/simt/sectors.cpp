#include "simt/sectors.hpp"

#include <algorithm>

namespace simt {
namespace {

constexpr std::uintptr_t kSectorBytes = 32;

struct Count {
  std::uint64_t requests = 0;
  std::uint64_t sectors = 0;
};

Count count(const std::vector<const AccessLog*>& lanes, Access access) {
  Count counted;
  std::vector<std::uintptr_t> sectors;
  for (std::size_t nth = 0;; ++nth) {
    sectors.clear();
    for (const AccessLog* lane : lanes) {
      if (nth >= lane->of(access).size()) continue;
      const AccessLog::Entry& entry = lane->of(access)[nth];
      const std::uintptr_t last = (entry.address + entry.bytes - 1) / kSectorBytes;
      for (std::uintptr_t sector = entry.address / kSectorBytes; sector <= last; ++sector) {
        sectors.push_back(sector);
      }
    }
    if (sectors.empty()) return counted;
    std::sort(sectors.begin(), sectors.end());
    const auto end = std::unique(sectors.begin(), sectors.end());
    ++counted.requests;
    counted.sectors += static_cast<std::uint64_t>(end - sectors.begin());
  }
}

}  // namespace

void count_sectors(const std::vector<const AccessLog*>& lanes, Stats& stats) {
  const Count loads = count(lanes, Access::load);
  const Count stores = count(lanes, Access::store);
  stats.load_requests += loads.requests;
  stats.load_sectors += loads.sectors;
  stats.store_requests += stores.requests;
  stats.store_sectors += stores.sectors;
}

}  // namespace simt
