// What a way of serving yields at a batch, and which batch memory, a deadline and demand allow: the
// two regimes that levers are ranked in. Knows no lever and no device by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/decode_limits.hpp"
#include "model/step.hpp"
#include "model/step_bounds.hpp"
#include "model/step_plan.hpp"

namespace roofline::model {

/// Steps of any batch.
struct Load {
  Requests each;           ///< of one sequence; its count is the batch
  Step beside;             ///< what goes along once, whatever the batch
  double tokens_each = 1;  ///< that a step gives a sequence
};
[[nodiscard]] Step step_of(const Load& load, std::uint64_t batch);

struct Yield {
  std::uint64_t batch = 0;
  StepBounds bounds;
  double tokens_per_s = 0;  ///< of all devices that share the step
  Seconds time_per_token;   ///< that each sequence waits
};
[[nodiscard]] Yield yield_of(const StepPlan& plan, const Load& load, const StepRoofs& roofs,
                             std::uint64_t batch);

/// What bounds a batch; nothing of it may be known.
struct Room {
  std::optional<MemoryBudget> memory;
  std::optional<Seconds> deadline;      ///< for each token of a sequence
  std::optional<std::uint64_t> demand;  ///< sequences that there are at once
  CacheLayout layout = CacheLayout::in_windows;
};

enum class BatchLimit { memory, deadline, demand };
[[nodiscard]] std::string_view name(BatchLimit limit);

struct AllowedBatch {
  std::uint64_t batch = 0;  ///< 0: not even one sequence
  BatchLimit by = BatchLimit::memory;
};
/// The lowest of the limits that are known, floors held against the deadline. Nothing where none
/// is.
[[nodiscard]] std::optional<AllowedBatch> allowed_batch(const StepPlan& plan, const Load& load,
                                                        const StepRoofs& roofs, const Room& room);

}  // namespace roofline::model
