// How well the accesses of a warp fit together: the 32-byte sectors that each request covers, as
// the memory system would fetch them. Knows addresses, not caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simt/launch.hpp"
#include "simt/memory.hpp"

namespace simt {

/// The accesses of one thread in order.
class AccessLog {
 public:
  struct Entry {
    std::uintptr_t address;
    std::size_t bytes;
  };

  void add(Access access, const void* address, std::size_t bytes) {
    (access == Access::load ? loads_ : stores_)
        .push_back({reinterpret_cast<std::uintptr_t>(address), bytes});
  }
  [[nodiscard]] const std::vector<Entry>& of(Access access) const {
    return access == Access::load ? loads_ : stores_;
  }
  void clear() {
    loads_.clear();
    stores_.clear();
  }

 private:
  std::vector<Entry> loads_;
  std::vector<Entry> stores_;
};

/// Adds the requests and sectors of one warp.
void count_sectors(const std::vector<const AccessLog*>& lanes, Stats& stats);

}  // namespace simt
