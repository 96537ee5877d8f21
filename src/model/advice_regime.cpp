#include "model/advice_regime.hpp"

#include "model/config_node.hpp"

namespace roofline::model {

Step step_of(const Load& load, std::uint64_t batch) {
  Step out{load.each};
  out.front().count = batch;
  out.insert(out.end(), load.beside.begin(), load.beside.end());
  return out;
}

Yield yield_of(const StepPlan& plan, const Load& load, const StepRoofs& roofs,
               std::uint64_t batch) {
  Yield out;
  out.batch = batch;
  out.bounds = bound(plan, step_of(load, batch), roofs);
  double tokens = static_cast<double>(batch) * load.tokens_each;
  for (const Requests& one : load.beside)
    tokens += static_cast<double>(one.count) * static_cast<double>(one.logits);
  out.tokens_per_s = tokens / in_second(out.bounds.floor());
  out.time_per_token = out.bounds.floor() / load.tokens_each;
  return out;
}

std::string_view name(BatchLimit limit) {
  switch (limit) {
    case BatchLimit::memory:
      return "memory";
    case BatchLimit::deadline:
      return "deadline";
    case BatchLimit::demand:
      break;
  }
  return "demand";
}

std::optional<AllowedBatch> allowed_batch(const StepPlan& plan, const Load& load,
                                          const StepRoofs& roofs, const Room& room) {
  std::optional<AllowedBatch> out;
  const auto limit = [&](std::uint64_t batch, BatchLimit by) {
    if (!out || batch < out->batch) out = AllowedBatch{batch, by};
  };
  if (room.memory)
    limit(capacity_batch(plan, load.each.cached, load.each.shared, room.layout, *room.memory),
          BatchLimit::memory);
  if (room.demand) limit(*room.demand, BatchLimit::demand);
  if (room.deadline) {
    const auto in_time = [&](std::uint64_t batch) {
      return yield_of(plan, load, roofs, batch).time_per_token <= *room.deadline;
    };
    const std::uint64_t most = out ? out->batch : kLargestSize;
    const std::uint64_t batch = largest_that_fits(most, in_time);
    if (!out || batch < most) limit(batch, BatchLimit::deadline);
  }
  return out;
}

}  // namespace roofline::model
