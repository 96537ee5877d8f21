// What a sample was taken under: the clock of every core and how the threads lay to each other,
// before and after, and the share of its CPU that each thread had. Observed in the same waking of
// the threads as the sample itself, so nothing sleeps in between. It costs 0.25 ms a sample with
// one thread, and 0.3 to 0.45 ms with several: 3 % of a sample of 15 ms.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backend/cpu/core_latency.hpp"
#include "backend/cpu/library_thread.hpp"
#include "backend/cpu/team.hpp"
#include "roofline/fact.hpp"
#include "roofline/record.hpp"

namespace roofline::cpu {

/// A sample is clean when every thread had its CPU for this share of the time: below, another
/// process was running there (clean samples scatter between 0.99 and 1).
inline constexpr double kCleanShare = 0.985;

/// A library's work and what its threads say of themselves.
struct LibraryWork {
  std::function<void()> run;
  /// CPU seconds of each of its threads so far; empty where they can't be told.
  std::function<std::vector<double>()> cpu_s;
  bool pinned = true;  ///< to the team's CPUs: else nobody knows how its threads lie
  /// Its threads sleep between the parts of their work, so that a share says nothing.
  bool sleeps = false;
};

class Conditions {
 public:
  /// `watch` is shared by all that runs on the team's CPUs.
  Conditions(Team& team, PlacementWatch& watch);

  /// Times job(worker) on the whole team.
  [[nodiscard]] Sample sample(std::uint64_t iterations, const std::function<void(unsigned)>& job);
  /// Times a library's work on its thread. The placement is that of the team's CPUs, which the
  /// library's threads are pinned to as well.
  [[nodiscard]] Sample sample(std::uint64_t iterations, LibraryThread& thread,
                              const LibraryWork& work);

  /// Of the last sample of the team, by worker, in hertz; 0 where there is no reading.
  [[nodiscard]] const std::vector<double>& clocks_before() const { return before_; }
  [[nodiscard]] const std::vector<double>& clocks_after() const { return after_; }

  /// Over all samples: the median clock, the range of latencies.
  [[nodiscard]] Facts facts() const;

 private:
  void note_clock(const std::vector<double>& clocks, Sample& sample);
  std::vector<Distance> look(const std::vector<double>& latencies);
  std::vector<Distance> measure_latency();

  Team& team_;
  PlacementWatch& watch_;
  CoreLatency latency_before_;
  CoreLatency latency_after_;
  std::vector<double> before_;
  std::vector<double> after_;
  std::vector<double> clocks_hz_;
  double shortest_latency_s_ = 0;
  double longest_latency_s_ = 0;
  std::size_t library_threads_used_ = 0;
};

/// Sets the placement of a sample with its cpu_share, and what spoiled it, the worst first: other
/// work on a CPU, then threads that lay otherwise before and after.
void judge_sample(Sample& sample, const std::vector<Distance>& before,
                  const std::vector<Distance>& after);

/// The smallest share of its CPU that any of a library's threads had, and how many worked at all: a
/// thread that had less than 5 % was not needed, unless none had more. Nothing without threads.
struct LibraryShare {
  std::optional<double> least;
  std::size_t used = 0;
};
[[nodiscard]] LibraryShare library_share(const std::vector<double>& before,
                                         const std::vector<double>& after, double seconds);

}  // namespace roofline::cpu
