#include "model/decode_limits.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/config_node.hpp"

namespace roofline::model {
namespace {

std::uint64_t widest_window(const StepPlan& plan) {
  std::uint64_t out = 0;
  for (const Operation& operation : plan.operations())
    if (operation.attention) out = std::max(out, operation.attention->span.tokens);
  return out;
}

/// Of some sequences: what they come to without the weights that all of them share.
struct Load {
  Bytes traffic;
  Flops work;
  WorkByType executed;
};

Load load_of(const StepPlan& plan, const Requests& requests) {
  Load out;
  const std::vector<Requests> step{requests};
  const RowCounts rows = rows_of(step);
  Flops exact;
  for (const Operation& operation : plan.operations()) {
    OperationCost cost = plan.cost(operation, step, rows);
    cost.weights = Bytes{};
    cost.vectors = Bytes{};
    out.traffic = out.traffic + plan.traffic(cost);
    exact = exact + cost.work;
    out.executed.add(operation.arithmetic, cost.work + cost.repeated);
  }
  out.work = plan.model_work(step, rows, exact);
  return out;
}

Requests sequences(std::uint64_t count, std::uint64_t context, std::uint64_t shared) {
  Requests out = decode(count, context);
  out.shared = std::min(shared, context);
  return out;
}

Bytes weights_read(const StepPlan& plan) {
  const bool counts_vectors = plan.options().account != TrafficAccount::minimal;
  double out = 0;
  for (const Operation& operation : plan.operations())
    out += operation.weight_bytes + (counts_vectors ? operation.vector_bytes : 0);
  if (plan.options().account == TrafficAccount::all_weights)
    return byte(out) + plan.beyond_operations();
  return byte(out);
}

}  // namespace

DecodeLaw decode_law(const StepPlan& plan, std::uint64_t context, const StepRoofs& roofs,
                     std::uint64_t shared) {
  const Load one = load_of(plan, sequences(1, context, shared));
  const Load two = load_of(plan, sequences(2, context, shared));
  DecodeLaw out;
  out.per_sequence = two.traffic - one.traffic;
  out.once = weights_read(plan) + (one.traffic - out.per_sequence);
  out.work_per_sequence = one.work;
  out.compute_per_sequence = one.executed.time(roofs.peaks);
  const std::uint64_t beyond = std::max(context, widest_window(plan));
  const Load longer = load_of(plan, sequences(1, beyond + 1, 0));
  const Load before = load_of(plan, sequences(1, beyond, 0));
  out.per_further_token = longer.traffic - before.traffic;
  out.work_per_further_token = longer.work - before.work;
  out.compute_per_further_token = (longer.executed - before.executed).time(roofs.peaks);
  return out;
}

DecodeLimits decode_limits(const DecodeLaw& law, Bandwidth bandwidth, Performance peak) {
  DecodeLimits out;
  const Seconds memory = law.per_sequence / bandwidth;
  const Seconds slowest = std::max(memory, law.compute_per_sequence);
  if (law.per_sequence > Bytes{}) out.half_saturation_batch = law.once / law.per_sequence;
  // B / (once + B m) is half of 1 / slowest.
  if (slowest > Seconds{}) out.half_limit_batch = (law.once / bandwidth) / (2 * slowest - memory);
  if (slowest > Seconds{}) {
    out.tokens_per_s_limit = 1 / in_second(slowest);
    out.mfu_limit = (law.work_per_sequence / peak) / slowest;
  }
  if (law.compute_per_sequence > memory)
    out.ridge_batch = (law.once / bandwidth) / (law.compute_per_sequence - memory);
  const Seconds further =
      std::max(law.per_further_token / bandwidth, law.compute_per_further_token);
  if (further > Seconds{}) out.mfu_limit_of_context = (law.work_per_further_token / peak) / further;
  return out;
}

Bytes cache_bytes(const StepPlan& plan, std::uint64_t tokens, CacheLayout layout) {
  double out = 0;
  for (const Operation& operation : plan.operations()) {
    if (!operation.attention) continue;
    const std::uint64_t kept = layout == CacheLayout::in_full
                                   ? tokens
                                   : tokens_in_reach(operation.attention->span, tokens);
    out += operation.attention->byte_per_cached_token * as_double(kept);
  }
  return byte(out);
}

std::uint64_t capacity_batch(const StepPlan& plan, std::uint64_t context, std::uint64_t shared,
                             CacheLayout layout, const MemoryBudget& budget) {
  const Bytes prefix = cache_bytes(plan, shared, layout);
  const Bytes room = budget.memory * budget.usable - budget.reserve - plan.resident() - prefix;
  // A window beyond the prefix is a sequence's own.
  const std::uint64_t own = std::max<std::uint64_t>(1, context - std::min(context, shared));
  const Bytes each = cache_bytes(plan, own, layout);
  if (room < Bytes{}) return 0;
  const double fits = each > Bytes{} ? std::floor(room / each) : as_double(kLargestSize);
  return static_cast<std::uint64_t>(std::min(fits, as_double(kLargestSize)));
}

std::optional<std::uint64_t> half_limit_batch_with_experts(const StepPlan& plan,
                                                           std::uint64_t context,
                                                           const StepRoofs& roofs,
                                                           double tokens_per_s_limit,
                                                           std::uint64_t shared) {
  const std::uint64_t below = largest_that_fits(kLargestSize, [&](std::uint64_t batch) {
    const StepBounds step = bound(plan, std::vector{sequences(batch, context, shared)}, roofs);
    return as_double(batch) < tokens_per_s_limit / 2 * in_second(step.floor());
  });
  if (below == kLargestSize) return std::nullopt;
  return below + 1;
}

std::uint64_t batch_within(const StepPlan& plan, std::uint64_t context, const StepRoofs& roofs,
                           Seconds deadline, std::uint64_t shared) {
  return largest_that_fits(kLargestSize, [&](std::uint64_t batch) {
    return bound(plan, std::vector{sequences(batch, context, shared)}, roofs).floor() <= deadline;
  });
}

}  // namespace roofline::model
