// Which of several algorithms is the fastest, found by timing them in two passes: one that drops
// the hopeless, and one in which the others take turns. Knows neither what an algorithm is nor what
// times it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace roofline::cuda {

struct AlgorithmSearch {
  /// Candidates that take longer than this times the best of the first pass are dropped.
  double hopeless = 1.5;
  /// At most so many take turns.
  std::size_t most_finalists = 12;
  std::size_t rounds = 5;
  /// No new candidate, or round, begins once a pass has taken so long; the first always does.
  double most_seconds = 1.0;
  std::uint64_t seed = 1;  ///< of the order of turns
};

/// Seconds of one launch of a candidate. Nothing: it can't run, and `why` says so.
struct CandidateTime {
  std::optional<double> seconds;
  double spent_s = 0;  ///< that finding out took
  std::string why = {};
};
using TimeCandidate = std::function<CandidateTime(std::size_t candidate)>;

struct SearchResult {
  std::optional<std::size_t> winner;  ///< nothing when no candidate can run
  std::size_t tried = 0;              ///< that ran
  std::size_t refused = 0;
  bool cut = false;  ///< time ran out before all were tried
  /// How much longer the first candidate takes than the winner, minus 1; nothing when it can't run.
  std::optional<double> first_loss;
  std::string last_refusal = {};
};

/// `warm_and_time` runs a candidate once before it times it, `time` doesn't.
[[nodiscard]] SearchResult search_algorithms(std::size_t candidates,
                                             const TimeCandidate& warm_and_time,
                                             const TimeCandidate& time,
                                             const AlgorithmSearch& search = {});

}  // namespace roofline::cuda
