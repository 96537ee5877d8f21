#include "memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace fakegpu {
namespace {

constexpr std::uint64_t kSmall = 512;                     // alignment of small allocations
constexpr std::uint64_t kLarge = std::uint64_t{2} << 20;  // pages of large ones
constexpr std::size_t kVector = 16;                       // the widest access of a thread
constexpr std::size_t kPinnedAlignment = 4096;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint64_t granularity(std::uint64_t bytes) { return bytes < kLarge / 2 ? kSmall : kLarge; }

using Backing = decltype(Allocation::backing);

/// Mapped whatever the size, so that what is never touched costs nothing. The bytes end at a page
/// that may not be touched.
Backing backing_for(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t room = round_up(bytes, page);
  void* const mapped = ::mmap(nullptr, room + page, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return {nullptr, [](std::byte*) {}};
  auto* const start = static_cast<std::byte*>(mapped);
  ::mprotect(start + room, page, PROT_NONE);
  return {start + (room - round_up(bytes, kVector)),
          [start, room, page](std::byte*) { ::munmap(start, room + page); }};
}

/// Fresh memory holds what was there before. Only its ends are spoilt, so that large arrays that
/// are never used cost nothing.
void spoil(std::byte* data, std::size_t bytes) {
  const std::size_t end = std::min<std::size_t>(bytes, 4096);
  std::memset(data, 0xcb, end);
  std::memset(data + (bytes - end), 0xcb, end);
}

}  // namespace

DeviceMemory::DeviceMemory() {
  for (std::uint64_t size = std::uint64_t{1} << 40; size >= std::uint64_t{1} << 32; size /= 16) {
    void* const range =
        ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) continue;
    base_ = reinterpret_cast<std::uintptr_t>(range);
    size_ = size;
    cursor_ = base_;
    return;
  }
}

DeviceMemory::~DeviceMemory() {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the range is kept as a number, like its addresses
  if (size_ > 0) ::munmap(reinterpret_cast<void*>(base_), size_);
}

/// Addresses are used again as late as possible, so that a pointer to freed memory is found out.
std::uint64_t DeviceMemory::next_gap(std::uint64_t bytes) {
  const std::uint64_t unit = granularity(bytes);
  for (int round = 0; round < 2; ++round) {
    std::uint64_t at = round_up(cursor_, unit);
    for (auto next = live_.lower_bound(cursor_); at + bytes < base_ + size_; ++next) {
      if (next == live_.end() || at + bytes < next->first) {
        cursor_ = at + bytes + kSmall;
        return at;
      }
      at = round_up(next->first + next->second.bytes + kSmall, unit);
    }
    cursor_ = base_ + kLarge;
  }
  return 0;
}

const Allocation* DeviceMemory::allocate(int device, std::size_t bytes) {
  const std::uint64_t address = next_gap(bytes);
  if (address == 0) return nullptr;
  Backing backing = backing_for(bytes);
  if (backing == nullptr) return nullptr;
  spoil(backing.get(), bytes);
  Allocation allocation{
      .address = address, .bytes = bytes, .device = device, .backing = std::move(backing)};
  return &live_.emplace(address, std::move(allocation)).first->second;
}

bool DeviceMemory::release(std::uint64_t address) { return live_.erase(address) > 0; }

Backing DeviceMemory::take(std::uint64_t address) {
  const auto found = live_.find(address);
  if (found == live_.end()) return {nullptr, [](std::byte*) {}};
  Backing backing = std::move(found->second.backing);
  live_.erase(found);
  return backing;
}

void DeviceMemory::release_all(int device) {
  for (auto at = live_.begin(); at != live_.end();) {
    at = at->second.device == device ? live_.erase(at) : std::next(at);
  }
}

void DeviceMemory::for_each(int device,
                            const std::function<void(const Allocation&)>& function) const {
  for (const auto& [address, allocation] : live_) {
    if (allocation.device == device) function(allocation);
  }
}

Allocation* DeviceMemory::find(std::uint64_t address, std::size_t bytes) {
  auto after = live_.upper_bound(address);
  if (after == live_.begin()) return nullptr;
  Allocation& candidate = std::prev(after)->second;
  if (address >= candidate.address + candidate.bytes) return nullptr;
  return bytes <= candidate.left(address) ? &candidate : nullptr;
}

std::uint64_t DeviceMemory::used(int device) const {
  std::uint64_t sum = 0;
  for (const auto& [address, allocation] : live_) {
    if (allocation.device == device) {
      sum += round_up(allocation.bytes, granularity(allocation.bytes));
    }
  }
  return sum;
}

void* PinnedMemory::allocate(std::size_t bytes) {
  auto* const data = static_cast<std::byte*>(
      ::operator new (bytes, std::align_val_t{kPinnedAlignment}, std::nothrow));
  if (data == nullptr) return nullptr;
  live_.emplace(reinterpret_cast<std::uintptr_t>(data),
                Block{bytes, std::unique_ptr<std::byte, Release>(data)});
  return data;
}

bool PinnedMemory::release(void* pointer) {
  return live_.erase(reinterpret_cast<std::uintptr_t>(pointer)) > 0;
}

bool PinnedMemory::holds(const void* pointer, std::size_t bytes) const {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const auto block = find(address);
  if (!block) return false;
  return address + bytes <= reinterpret_cast<std::uintptr_t>(block->first) + block->second;
}

std::optional<std::pair<std::byte*, std::size_t>> PinnedMemory::find(std::uintptr_t address) const {
  auto after = live_.upper_bound(address);
  if (after == live_.begin()) return std::nullopt;
  const auto& [begin, block] = *std::prev(after);
  if (address >= begin + block.bytes) return std::nullopt;
  return std::pair{block.data.get(), block.bytes};
}

void PinnedMemory::Release::operator()(std::byte* pointer) const {
  ::operator delete (pointer, std::align_val_t{kPinnedAlignment});
}

}  // namespace fakegpu
