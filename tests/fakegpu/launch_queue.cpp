#include "launch_queue.hpp"

#include <algorithm>
#include <utility>

namespace fakegpu {
namespace {

constexpr std::size_t kTidy = 64;

bool is_dead(const Touch& touch, const std::vector<Range>& dead) {
  if (!touch.writes) return true;
  if (touch.written.begin == touch.written.end) return false;
  return std::any_of(dead.begin(), dead.end(),
                     [&](const Range& range) { return range.contains(touch.written); });
}

}  // namespace

void LaunchQueue::put_off(PendingLaunch launch) {
  pending_.push_back(std::move(launch));
  if (pending_.size() < tidy_at_) return;
  leave_out_dead({});
  tidy_at_ = std::max(kTidy, 2 * pending_.size());
}

bool LaunchQueue::involves(const Range& bytes) const {
  return std::any_of(pending_.begin(), pending_.end(), [&](const PendingLaunch& launch) {
    return std::any_of(launch.touches.begin(), launch.touches.end(),
                       [&](const Touch& touch) { return touch.allocation.overlaps(bytes); });
  });
}

void LaunchQueue::before_use(const Range& bytes) {
  if (!involves(bytes)) return;
  leave_out_dead({});
  run_all();
}

void LaunchQueue::before_overwrite(const Range& bytes) {
  if (!involves(bytes)) return;
  leave_out_dead({bytes});
  if (involves(bytes)) run_all();
}

/// From the last launch to the first, with what is `dead` at each: overwritten later, and not read
/// before that.
void LaunchQueue::leave_out_dead(std::vector<Range> dead) {
  std::vector<PendingLaunch> kept;
  for (auto launch = pending_.rbegin(); launch != pending_.rend(); ++launch) {
    const auto& touches = launch->touches;
    if (std::all_of(touches.begin(), touches.end(),
                    [&](const Touch& touch) { return is_dead(touch, dead); })) {
      continue;
    }
    for (const Touch& touch : touches) {
      if (touch.writes && touch.written.begin < touch.written.end) dead.push_back(touch.written);
    }
    for (const Touch& touch : touches) {
      if (!touch.reads) continue;
      dead.erase(
          std::remove_if(dead.begin(), dead.end(),
                         [&](const Range& range) { return range.overlaps(touch.allocation); }),
          dead.end());
    }
    kept.push_back(std::move(*launch));
  }
  std::reverse(kept.begin(), kept.end());
  pending_ = std::move(kept);
}

void LaunchQueue::run_all() {
  for (PendingLaunch& launch : pending_) {
    std::vector<void*> pointers;
    for (auto& argument : launch.arguments) pointers.push_back(argument.data());
    ++executed_;
    run_kernel(*launch.kernel, launch.shape, pointers.data(), launch.regions);
  }
  pending_.clear();
  tidy_at_ = kTidy;
}

}  // namespace fakegpu
