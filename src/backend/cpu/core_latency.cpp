#include "backend/cpu/core_latency.hpp"

#include <algorithm>
#include <thread>

#include "backend/cpu/timer.hpp"

namespace roofline::cpu {
namespace {

/// A ball that nobody plays any more.
constexpr int kDropped = -1;

}  // namespace

CoreLatency::CoreLatency(unsigned workers)
    : workers_(workers), pairs_(std::make_unique<Pair[]>(workers)) {}

bool CoreLatency::rally(Pair& pair, std::size_t side, std::size_t round) {
  constexpr unsigned kSpins = 1U << 12;
  constexpr unsigned kYields = 64;
  const int first = static_cast<int>(round) * 2 * kTrips;
  for (int trip = 0; trip < kTrips; ++trip) {
    const int mine = first + 2 * trip + static_cast<int>(side);
    // Without a pause, whose length differs from CPU to CPU and would be measured along.
    for (unsigned waited = 0; true; ++waited) {
      const int ball = pair.ball.load(std::memory_order_acquire);
      if (ball == mine) break;
      if (ball == kDropped) return false;
      if (waited < kSpins) continue;
      // The other side has lost its CPU, or never had another: what it takes to wait is no latency.
      pair.waited[side][round] = true;
      std::this_thread::yield();
      if (waited > kSpins + kYields) {
        pair.ball.store(kDropped, std::memory_order_release);
        return false;
      }
    }
    pair.ball.store(mine + 1, std::memory_order_release);
  }
  return true;
}

void CoreLatency::play(Pair& pair, std::size_t side) {
  for (std::size_t round = 0; round < kRounds; ++round) {
    const double start = wall_s();
    if (!rally(pair, side, round)) return;
    if (side == 0) pair.took_s[round] = wall_s() - start;
  }
}

void CoreLatency::measure(Team& team, unsigned worker) {
  if (workers_ < 2) return;
  // A worker plays with the one behind it, then with the one before it.
  for (const unsigned phase : {0U, 1U}) {
    if (worker + 1 < workers_ && worker % 2 == phase) {
      Pair& pair = pairs_[worker];
      pair.ball.store(0, std::memory_order_relaxed);
      pair.took_s = {};
      pair.waited = {};
    }
    team.meet();
    if (worker % 2 == phase) {
      if (worker + 1 < workers_) play(pairs_[worker], 0);
    } else if (worker > 0) {
      play(pairs_[worker - 1], 1);
    }
    if (workers_ == 2) break;
  }
}

std::vector<double> CoreLatency::seconds() const {
  std::vector<double> out;
  for (unsigned i = 0; i + 1 < workers_; ++i) {
    const Pair& pair = pairs_[i];
    double best_s = 0;
    for (std::size_t round = 0; round < kRounds; ++round) {
      if (pair.took_s[round] <= 0 || pair.waited[0][round] || pair.waited[1][round]) continue;
      if (best_s <= 0 || pair.took_s[round] < best_s) best_s = pair.took_s[round];
    }
    out.push_back(best_s / kTrips / 2);
  }
  return out;
}

std::vector<Distance> PlacementWatch::observe(const std::vector<double>& seconds) {
  known_.resize(seconds.size(), Distance::unknown);
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    if (seconds[i] <= 0) continue;
    double limit = kNear;
    if (known_[i] == Distance::near) limit *= kMargin;
    if (known_[i] == Distance::far) limit /= kMargin;
    known_[i] = seconds[i] < limit ? Distance::near : Distance::far;
  }
  return known_;
}

std::string placement_text(const std::vector<Distance>& pairs) {
  const auto near = std::count(pairs.begin(), pairs.end(), Distance::near);
  const auto far = std::count(pairs.begin(), pairs.end(), Distance::far);
  const auto all = static_cast<std::ptrdiff_t>(pairs.size());
  if (all == 0 || near + far < all) return {};
  if (far == 0) return "near";
  if (near == 0) return "far";
  return std::to_string(near) + " near, " + std::to_string(far) + " far";
}

}  // namespace roofline::cpu
