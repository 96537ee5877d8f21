// How near to each other the CPUs of a team lie, by bouncing cache lines between neighbouring
// workers. On virtual machines it tells when the host moved the CPUs between dies, which changes
// what bandwidth they have together. It knows no sample.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "backend/cpu/team.hpp"

namespace roofline::cpu {

/// One-way latencies of the pairs (0,1), (1,2) ... of a team.
class CoreLatency {
 public:
  explicit CoreLatency(unsigned workers);

  /// Called by every worker inside a job: no other has to wake. Takes about 2 x kRounds x kTrips
  /// latencies, whatever the number of workers: 20 to 80 microseconds for one pair.
  void measure(Team& team, unsigned worker);
  /// By pair, in seconds; 0 where a worker had no CPU of its own in every round.
  [[nodiscard]] std::vector<double> seconds() const;

  static constexpr int kTrips = 100;
  static constexpr int kRounds = 3;

 private:
  struct alignas(64) Pair {
    std::atomic<int> ball = 0;
    /// By round; 0 for one that did not go through.
    std::array<double, kRounds> took_s{};
    /// By side and round: it gave its CPU away while it waited.
    std::array<std::array<bool, kRounds>, 2> waited{};
  };
  /// True when the rally went through.
  static bool rally(Pair& pair, std::size_t side, std::size_t round);
  void play(Pair& pair, std::size_t side);

  unsigned workers_;
  std::unique_ptr<Pair[]> pairs_;
};

enum class Distance : unsigned char { unknown, near, far };

/// What the latencies of a team's pairs say in words, with a memory: a pair changes its class only
/// when it is well past the limit, so that one that lies near it does not flicker.
class PlacementWatch {
 public:
  /// A pair is near below so many seconds, one way. Within one die or mesh 20 to 70 ns are seen,
  /// across dies or sockets 110 to 300 ns: 100 ns lies between on machines of either kind, and on
  /// the guest that this was first seen on (38-64 and 180-200 ns) it is the geometric middle.
  static constexpr double kNear = 100e-9;
  /// Past the limit by this factor before a known class changes.
  static constexpr double kMargin = 1.2;

  /// The classes of the pairs now; one without a reading keeps what it was.
  std::vector<Distance> observe(const std::vector<double>& seconds);

 private:
  std::vector<Distance> known_;
};

/// `near`, `far`, or for a team whose pairs differ `5 near, 2 far`; empty for no pair, and while
/// one is unknown.
[[nodiscard]] std::string placement_text(const std::vector<Distance>& pairs);

}  // namespace roofline::cpu
