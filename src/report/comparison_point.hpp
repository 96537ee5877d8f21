// What a comparison keeps of a point of a run: what it was, and its times as levels. Runs of
// 100,000 points are reduced to it while they are read. Knows nothing of other points.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "roofline/comparison.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

struct RunPoint {
  std::string id;
  std::string device_id;
  Workload workload;
  std::optional<Count> work;
  std::optional<Count> bytes;  ///< nothing where they are unknown
  Boundary boundary = Boundary::dram;
  VariationKind kind = VariationKind::memory;
  std::optional<double> threads;
  std::shared_ptr<const Facts> facts;  ///< of how it was measured, those that are compared

  // Of its outcome.
  bool measured = false;
  bool skipped = false;
  bool spoilt = false;      ///< failed, or with a wrong result
  bool broken = false;      ///< spoilt, or a figure that cannot be
  bool unverified = false;  ///< measured, and its result was never checked
  Text unusable;            ///< why nothing may be held against its figure; empty where it may
  double least_s = 0;       ///< what its rated peak or an empty call leaves it at least; 0: unknown

  // Of one that was measured.
  double median_s = 0;  ///< of a call
  double per = 1;       ///< what its levels are of: a call, or one FLOP of as many in a call
  Text placement;
  RunLevels seconds;           ///< of its repetitions, those that have samples enough
  RunLevels cycles;            ///< likewise, where every sample has a clock
  std::vector<double> clocks;  ///< of the samples that count, in Hz
  double sample_s = 0;         ///< what a sample takes
  bool many_calls = false;     ///< in one sample

  std::uint64_t digest = 0;  ///< of its outcome: the very same measurement has the same
};

/// Points of a kind are measured alike: equal facts are there once.
class SharedFacts {
 public:
  [[nodiscard]] std::shared_ptr<const Facts> operator()(Facts facts);

 private:
  std::vector<std::shared_ptr<const Facts>> known_;
  std::size_t next_ = 0;
};

[[nodiscard]] RunPoint run_point(Record record, SharedFacts& facts);

/// Whether a roof of this origin tells what cannot be: a measured one may be beaten.
[[nodiscard]] bool is_rated(Origin origin);
/// The time, in seconds, below which an amount at a rated rate is impossible, not fast; 0 where
/// either is not known.
[[nodiscard]] double least_time(double amount, double rate);

}  // namespace roofline::report
