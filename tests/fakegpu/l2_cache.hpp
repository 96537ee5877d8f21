// Which part of memory lies in a device's L2: whole chunks, the ones least recently touched leave
// first. Addresses only; no data.
#pragma once

#include <cstdint>
#include <vector>

namespace fakegpu {

class L2Cache {
 public:
  explicit L2Cache(std::uint64_t bytes);

  /// Bytes of [address, address + bytes) that were there; afterwards its end is.
  std::uint64_t touch(std::uint64_t address, std::uint64_t bytes);
  void clear() { recent_.clear(); }
  [[nodiscard]] std::uint64_t capacity() const { return chunk_ * capacity_; }

 private:
  std::uint64_t touch_all(std::uint64_t address, std::uint64_t bytes);
  bool touch_chunk(std::uint64_t number);

  std::uint64_t chunk_;
  std::uint64_t capacity_;             ///< in chunks
  std::vector<std::uint64_t> recent_;  ///< chunks that are there, the newest last
};

}  // namespace fakegpu
