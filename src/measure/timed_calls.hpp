// Calls of one prepared workload, as many at a time as make a sample long enough. Knows no rule
// that ends sampling.
#pragma once

#include <cstdint>

#include "backend/backend.hpp"

namespace roofline::measure {

inline constexpr std::uint64_t kMostCalls = 1'000'000'000;

/// So many calls of `call` each take `wanted`; 1 to kMostCalls.
[[nodiscard]] std::uint64_t calls_for(Seconds wanted, Seconds call);
/// The time of one of a sample's calls.
[[nodiscard]] Seconds time_of_call(const Sample& sample);

class TimedCalls {
 public:
  /// `run` must outlive it. A sample is to last `sample` or longer.
  TimedCalls(backend::PreparedRun& run, Seconds sample) : run_(run), sample_(sample) {}

  /// So many calls, however long they take.
  Sample time(std::uint64_t calls);
  /// How many calls to time next, where `tried` took less than `wanted`: towards it, and not too
  /// far at once. Throws BackendError when time stands still.
  [[nodiscard]] std::uint64_t more_calls(const Sample& tried, Seconds wanted) const;
  /// From now on a sample has as many calls of `call` each as it needs to be long enough.
  void fit(Seconds call);
  /// As long as a sample, for what it does to clocks and caches.
  Sample warm() { return time(calls_); }
  /// Taken again with more calls where it turns out too short.
  [[nodiscard]] Sample sample();

  [[nodiscard]] std::uint64_t calls() const { return calls_; }
  /// How long a sample should take.
  [[nodiscard]] Seconds one_sample() const { return one_sample_; }
  /// All that was timed so far.
  [[nodiscard]] Seconds load() const { return load_; }

 private:
  backend::PreparedRun& run_;
  Seconds sample_;
  std::uint64_t calls_ = 1;
  Seconds one_sample_;
  Seconds load_;
};

}  // namespace roofline::measure
