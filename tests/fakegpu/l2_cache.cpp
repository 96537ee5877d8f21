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
  std::uint64_t hit = 0;
  for (std::uint64_t at = address; at < address + bytes;) {
    const std::uint64_t number = at / chunk_;
    const std::uint64_t end = std::min((number + 1) * chunk_, address + bytes);
    if (touch_chunk(number)) hit += end - at;
    at = end;
  }
  return hit;
}

void L2Cache::clear() {
  recent_.clear();
  where_.clear();
}

bool L2Cache::touch_chunk(std::uint64_t number) {
  if (capacity_ == 0) return false;
  const auto found = where_.find(number);
  if (found != where_.end()) {
    recent_.splice(recent_.begin(), recent_, found->second);
    return true;
  }
  if (recent_.size() >= capacity_) {
    where_.erase(recent_.back());
    recent_.pop_back();
  }
  recent_.push_front(number);
  where_[number] = recent_.begin();
  return false;
}

}  // namespace fakegpu
