// Memory of all devices of this process. Device addresses are aliases in a range that nothing may
// touch: host code that dereferences one crashes. The bytes themselves lie elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace fakegpu {

struct Allocation {
  std::uint64_t address = 0;
  std::size_t bytes = 0;
  int device = 0;
  std::unique_ptr<std::byte, std::function<void(std::byte*)>> backing;

  [[nodiscard]] std::byte* host(std::uint64_t at) const { return backing.get() + (at - address); }
  [[nodiscard]] std::uint64_t left(std::uint64_t at) const { return address + bytes - at; }
};

class DeviceMemory {
 public:
  DeviceMemory();
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Null when this machine has no room for the bytes.
  [[nodiscard]] const Allocation* allocate(int device, std::size_t bytes);
  /// False unless `address` is the beginning of an allocation.
  bool release(std::uint64_t address);
  /// The same; the bytes stay where they are. Null unless it is the beginning of one.
  [[nodiscard]] decltype(Allocation::backing) take(std::uint64_t address);
  void release_all(int device);
  void for_each(int device, const std::function<void(const Allocation&)>& function) const;
  /// The live allocation that holds [address, address + bytes), or null.
  [[nodiscard]] Allocation* find(std::uint64_t address, std::size_t bytes = 1);
  /// What `device` has given away, as its driver rounds it.
  [[nodiscard]] std::uint64_t used(int device) const;

 private:
  [[nodiscard]] std::uint64_t next_gap(std::uint64_t bytes);

  std::uint64_t base_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t cursor_ = 0;
  std::map<std::uint64_t, Allocation> live_;
};

/// Page-locked host memory: ordinary memory whose addresses are known.
class PinnedMemory {
 public:
  [[nodiscard]] void* allocate(std::size_t bytes);
  bool release(void* pointer);
  [[nodiscard]] bool holds(const void* pointer, std::size_t bytes = 1) const;
  /// The block that `address` lies in: where it begins, and its bytes.
  [[nodiscard]] std::optional<std::pair<std::byte*, std::size_t>> find(
      std::uintptr_t address) const;
  void clear() { live_.clear(); }

 private:
  struct Release {
    void operator()(std::byte* pointer) const;
  };
  struct Block {
    std::size_t bytes = 0;
    std::unique_ptr<std::byte, Release> data;
  };
  std::map<std::uintptr_t, Block> live_;
};

}  // namespace fakegpu
