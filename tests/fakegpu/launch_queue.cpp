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
  run_tied_to(bytes);
}

void LaunchQueue::before_overwrite(const Range& bytes) {
  if (!involves(bytes)) return;
  leave_out_dead({bytes});
  if (involves(bytes)) run_tied_to(bytes);
}

void LaunchQueue::before_overwrite(const std::vector<Range>& all) {
  leave_out_dead(all);
  for (const Range& bytes : all) before_overwrite(bytes);
}

bool LaunchQueue::writes_to(const Range& bytes) const {
  return std::any_of(pending_.begin(), pending_.end(), [&](const PendingLaunch& launch) {
    return std::any_of(launch.touches.begin(), launch.touches.end(), [&](const Touch& touch) {
      return touch.writes && touch.allocation.overlaps(bytes);
    });
  });
}

void LaunchQueue::keep(const Range& bytes, std::shared_ptr<void> backing) {
  kept_.emplace_back(bytes, std::move(backing));
  let_go();
}

void LaunchQueue::let_go() {
  kept_.erase(std::remove_if(kept_.begin(), kept_.end(),
                             [&](const auto& kept) { return !involves(kept.first); }),
              kept_.end());
}

/// From the last launch to the first, with what is `dead` at each: overwritten later, and not read
/// before that.
void LaunchQueue::leave_out_dead(std::vector<Range> dead) {
  std::vector<PendingLaunch> kept;
  // NOLINTNEXTLINE(modernize-loop-convert): what it suggests for reverse order is not in g++ 11.
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
  let_go();
}

/// Which launches share an allocation with these bytes, or with a launch that does.
std::vector<bool> LaunchQueue::tied_to(const Range& bytes) const {
  std::vector<bool> tied(pending_.size(), false);
  std::vector<Range> reached{bytes};
  for (bool grown = true; grown;) {
    grown = false;
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      const auto& touches = pending_[i].touches;
      const bool meets = std::any_of(touches.begin(), touches.end(), [&](const Touch& touch) {
        return std::any_of(reached.begin(), reached.end(),
                           [&](const Range& range) { return range.overlaps(touch.allocation); });
      });
      if (tied[i] || !meets) continue;
      tied[i] = grown = true;
      for (const Touch& touch : touches) {
        const bool known = std::any_of(reached.begin(), reached.end(), [&](const Range& range) {
          return range.contains(touch.allocation);
        });
        if (!known) reached.push_back(touch.allocation);
      }
    }
  }
  return tied;
}

/// In their order; the others, which have nothing to do with them, stay put off.
void LaunchQueue::run_tied_to(const Range& bytes) {
  const std::vector<bool> tied = tied_to(bytes);
  std::vector<PendingLaunch> pending;
  pending.swap(pending_);
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if (tied[i]) {
      run(pending[i]);
    } else {
      pending_.push_back(std::move(pending[i]));
    }
  }
  tidy_at_ = std::max(kTidy, 2 * pending_.size());
  let_go();
}

void LaunchQueue::run(PendingLaunch& launch) {
  std::vector<void*> pointers;
  for (auto& argument : launch.arguments) pointers.push_back(argument.data());
  ++executed_;
  run_kernel(*launch.kernel, launch.shape, pointers.data(), launch.regions);
}

}  // namespace fakegpu
