#include "l2_cache.hpp"

#include <algorithm>

namespace fakegpu {
namespace {

// Few enough that a launch over a large array costs little, many enough that a set which is a
// little too large is told from one that fits.
constexpr std::uint64_t kChunks = 64;

}  // namespace

L2Cache::L2Cache(std::uint64_t bytes)
    : chunk_(std::max<std::uint64_t>(bytes / kChunks, 1)), capacity_(bytes == 0 ? 0 : kChunks) {}

std::uint64_t L2Cache::touch(std::uint64_t address, std::uint64_t bytes) {
  // Once as many chunks as there is room for were touched, only those are there, and the next ones
  // are others: of a long range, the rest finds nothing, and its end is what is left.
  const std::uint64_t most = capacity_ * chunk_;
  if (bytes <= 2 * most + chunk_) return touch_all(address, bytes);
  const std::uint64_t hit = touch_all(address, most);
  const std::uint64_t last = (address + bytes - 1) / chunk_;
  recent_.resize(capacity_);
  for (std::uint64_t i = 0; i < capacity_; ++i) recent_[i] = last + 1 - capacity_ + i;
  return hit;
}

std::uint64_t L2Cache::touch_all(std::uint64_t address, std::uint64_t bytes) {
  std::uint64_t hit = 0;
  for (std::uint64_t at = address; at < address + bytes;) {
    const std::uint64_t number = at / chunk_;
    const std::uint64_t end = std::min((number + 1) * chunk_, address + bytes);
    if (touch_chunk(number)) hit += end - at;
    at = end;
  }
  return hit;
}

bool L2Cache::touch_chunk(std::uint64_t number) {
  if (capacity_ == 0) return false;
  const auto found = std::find(recent_.begin(), recent_.end(), number);
  if (found != recent_.end()) {
    std::rotate(found, found + 1, recent_.end());
    return true;
  }
  if (recent_.size() >= capacity_) recent_.erase(recent_.begin());
  recent_.push_back(number);
  return false;
}

}  // namespace fakegpu
