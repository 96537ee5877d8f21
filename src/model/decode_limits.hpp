// Where a decode batch leads: what a sequence adds to a step, how many fill the memory, how many
// meet a deadline, and what more of them or longer ones can come to. Knows no device by name.
#pragma once

#include <cstdint>
#include <optional>

#include "model/step_bounds.hpp"
#include "model/step_plan.hpp"

namespace roofline::model {

/// A decode step of B sequences of one length: what is there once, and what each of them adds. Of a
/// mixture of experts, with all experts read: the law of batches that choose them all.
struct DecodeLaw {
  Bytes once;               ///< weights, and what else the account counts once
  Bytes per_sequence;       ///< its cache, and what else the account counts of a token
  Flops work_per_sequence;  ///< by the plan's convention
  Seconds compute_per_sequence;
  /// Beyond every window, of one more token of context.
  Bytes per_further_token;
  Flops work_per_further_token;
  Seconds compute_per_further_token;
};
/// Of `context` tokens `shared` are a prefix of all, which is read once.
[[nodiscard]] DecodeLaw decode_law(const StepPlan& plan, std::uint64_t context,
                                   const StepRoofs& roofs, std::uint64_t shared = 0);

struct DecodeLimits {
  /// Sequences whose caches are as many bytes as the weights: half of what traffic alone would let
  /// more of them come to. Nothing where a sequence adds no traffic.
  std::optional<double> half_saturation_batch;
  /// Sequences that come to half of tokens_per_s_limit: the same where no batch reaches the ridge.
  std::optional<double> half_limit_batch;
  /// Tokens/s that no batch passes; nothing where a sequence costs nothing.
  std::optional<double> tokens_per_s_limit;
  std::optional<double> mfu_limit;  ///< as the batch grows
  /// Sequences from which arithmetic is the bound; nothing where the traffic of a sequence takes as
  /// long as its arithmetic, so that no batch reaches the ridge.
  std::optional<double> ridge_batch;
  /// As the context grows; nothing where every layer has a window.
  std::optional<double> mfu_limit_of_context;
};
/// `peak` is that of the type of the plan's products.
[[nodiscard]] DecodeLimits decode_limits(const DecodeLaw& law, Bandwidth bandwidth,
                                         Performance peak);

/// Of a mixture of experts, whose weights are read as far as a batch chooses them: the smallest
/// batch that comes to half of the limit.
[[nodiscard]] std::optional<std::uint64_t> half_limit_batch_with_experts(const StepPlan& plan,
                                                                         std::uint64_t context,
                                                                         const StepRoofs& roofs,
                                                                         double tokens_per_s_limit,
                                                                         std::uint64_t shared = 0);

/// How a cache is laid out: a layer with a window keeps its window, or every layer every token.
enum class CacheLayout { in_windows, in_full };
/// Of one device.
[[nodiscard]] Bytes cache_bytes(const StepPlan& plan, std::uint64_t tokens, CacheLayout layout);

struct MemoryBudget {
  Bytes memory;         ///< of one device
  double usable = 0.9;  ///< what an engine takes of it
  Bytes reserve;        ///< of that: activations, workspaces, graphs
};
/// Sequences of `context` tokens whose cache fits beside the weights; `shared` tokens of it are
/// kept once, and each has at least a token of its own. 0 where the weights alone do not fit.
[[nodiscard]] std::uint64_t capacity_batch(const StepPlan& plan, std::uint64_t context,
                                           std::uint64_t shared, CacheLayout layout,
                                           const MemoryBudget& budget);

/// Batches up to `most` that `fits`, which no larger one does where a smaller one does not; 0 where
/// 1 does not.
template <class Fits>
[[nodiscard]] std::uint64_t largest_that_fits(std::uint64_t most, const Fits& fits) {
  std::uint64_t low = 0;
  while (low < most) {
    const std::uint64_t middle = low + (most - low + 1) / 2;
    if (fits(middle)) {
      low = middle;
    } else {
      most = middle - 1;
    }
  }
  return low;
}

/// The largest batch whose floor is within `deadline`; 0 where that of one sequence is not.
[[nodiscard]] std::uint64_t batch_within(const StepPlan& plan, std::uint64_t context,
                                         const StepRoofs& roofs, Seconds deadline,
                                         std::uint64_t shared = 0);

}  // namespace roofline::model
