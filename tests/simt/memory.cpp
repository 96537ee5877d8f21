#include "simt/memory.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "simt/launch.hpp"

namespace simt {
namespace {

std::string describe(Access access, std::size_t bytes) {
  return std::string(access == Access::load ? "load" : "store") + " of " + std::to_string(bytes) +
         " bytes";
}

}  // namespace

void Memory::add(std::string name, const void* begin, std::size_t bytes, bool writable) {
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  if (bytes == 0) throw std::invalid_argument("region " + name + " is empty");
  const auto next = regions_.lower_bound(first);
  const bool meets_next = next != regions_.end() && next->first < first + bytes;
  const bool meets_previous =
      next != regions_.begin() && std::prev(next)->first + std::prev(next)->second.bytes > first;
  if (meets_next || meets_previous) {
    throw std::invalid_argument("region " + name + " overlaps another");
  }
  Region region;
  region.name = std::move(name);
  region.begin = first;
  region.bytes = bytes;
  region.writable = writable;
  if (coverage_ == Coverage::on) {
    region.loaded.resize(bytes);
    region.stored.resize(bytes);
    region.visits.resize(bytes);
  }
  regions_.emplace(first, std::move(region));
}

void Memory::remove(const void* begin) {
  if (regions_.erase(reinterpret_cast<std::uintptr_t>(begin)) == 0) {
    throw std::invalid_argument("no region begins there");
  }
  recent_ = {};
}

Memory::Traffic Memory::traffic(const std::string& name) const {
  for (const auto& [begin, region] : regions_) {
    if (region.name != name) continue;
    const auto count = [](const std::vector<bool>& bytes) {
      return static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), true));
    };
    return {.loaded_bytes = region.loaded_bytes,
            .stored_bytes = region.stored_bytes,
            .distinct_loaded_bytes = count(region.loaded),
            .distinct_stored_bytes = count(region.stored),
            .uncounted_loaded_bytes = region.uncounted_loaded_bytes,
            .uncounted_stored_bytes = region.uncounted_stored_bytes};
  }
  throw std::invalid_argument("there is no region " + name);
}

// The region that begins last at or before it: of an address behind the end, what it is behind.
Memory::Region* Memory::find(std::uintptr_t address) {
  for (Region* const region : recent_) {
    if (region != nullptr && address - region->begin < region->bytes) return region;
  }
  const auto after = regions_.upper_bound(address);
  if (after == regions_.begin()) return nullptr;
  // One by one: ThreadSanitizer takes a memmove, from wherever, for the kernel's.
  Region* const region = &std::prev(after)->second;
  recent_[oldest_++ % recent_.size()] = region;
  return region;
}

[[gnu::cold]] void Memory::refuse(const Region* region, std::size_t at, std::size_t bytes,
                                  Access access) {
  std::string text = describe(access, bytes);
  if (region == nullptr) {
    text += " below every region";
  } else {
    text += " at " + region->name + " + " + std::to_string(at);
    const bool inside = at < region->bytes && bytes <= region->bytes - at;
    text += inside ? ", which is read-only" : ", which ends at " + std::to_string(region->bytes);
  }
  throw Error(Cause::illegal_address, text);
}

void Memory::touch(const void* address, std::size_t bytes, Access access, bool counted,
                   std::uint64_t block) {
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  Region* const region = find(first);
  if (region == nullptr) refuse(nullptr, 0, bytes, access);
  const std::size_t at = first - region->begin;
  if (at >= region->bytes || bytes > region->bytes - at ||
      (access == Access::store && !region->writable)) {
    refuse(region, at, bytes, access);
  }
  if (counted) {
    (access == Access::load ? region->loaded_bytes : region->stored_bytes) += bytes;
  } else {
    (access == Access::load ? region->uncounted_loaded_bytes : region->uncounted_stored_bytes) +=
        bytes;
  }
  if (coverage_ == Coverage::on) cover(*region, at, bytes, access, block);
}

void Memory::cover(Region& region, std::size_t at, std::size_t bytes, Access access,
                   std::uint64_t block) {
  const auto self = static_cast<std::uint32_t>(block + 1);
  for (std::size_t i = at; i < at + bytes; ++i) {
    (access == Access::load ? region.loaded : region.stored)[i] = true;
    Visit& visit = region.visits[i];
    if (visit.launch != launch_) visit = {launch_, 0, false, false};
    const bool foreign = visit.block != 0 && (visit.block != self || visit.by_several);
    if (foreign && (visit.stored || access == Access::store)) {
      const std::string other =
          visit.block == self ? "another block" : "block " + std::to_string(visit.block - 1);
      throw Error(Cause::conflict, describe(access, bytes) + " at " + region.name + " + " +
                                       std::to_string(i) + ", which " + other + " has " +
                                       (visit.stored ? "stored to" : "loaded"));
    }
    visit.by_several = foreign;
    visit.stored = visit.stored || access == Access::store;
    visit.block = self;
  }
}

}  // namespace simt
