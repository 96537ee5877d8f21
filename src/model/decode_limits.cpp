#include "model/decode_limits.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/config_node.hpp"

namespace roofline::model {
namespace {

Seconds seconds_of(Flops work, Performance peak) {
  return work > Flops{} ? work / peak : Seconds{};
}

/// By the plan's convention, of one sequence.
Flops work_at(const StepPlan& plan, std::uint64_t context) {
  const std::vector<Requests> one{decode(1, context)};
  const RowCounts rows = rows_of(one);
  Flops exact;
  for (const Operation& operation : plan.operations())
    exact = exact + plan.cost(operation, one, rows).work;
  return plan.model_work(one, rows, exact);
}

std::uint64_t widest_window(const StepPlan& plan) {
  std::uint64_t out = 0;
  for (const Operation& operation : plan.operations())
    if (operation.attention) out = std::max(out, operation.attention->span.tokens);
  return out;
}

}  // namespace

DecodeLaw decode_law(const StepPlan& plan, std::uint64_t context, const StepRoofs& roofs) {
  DecodeLaw out;
  const std::vector<Requests> one{decode(1, context)};
  const RowCounts rows = rows_of(one);
  Flops exact;
  const bool counts_vectors = plan.options().account != TrafficAccount::minimal;
  for (const Operation& operation : plan.operations()) {
    OperationCost cost = plan.cost(operation, one, rows);
    out.once = out.once + byte(operation.weight_bytes);
    if (counts_vectors) out.once = out.once + byte(operation.vector_bytes);
    cost.weights = Bytes{};
    cost.vectors = Bytes{};
    out.per_sequence = out.per_sequence + plan.traffic(cost);
    exact = exact + cost.work;
    const Performance peak = roofs.peaks.of(operation.arithmetic);
    out.compute_per_sequence =
        out.compute_per_sequence + seconds_of(cost.work + cost.repeated, peak);
    if (!operation.attention || operation.attention->span.reach != Reach::full) continue;
    const AttentionShape& shape = *operation.attention;
    out.per_further_token = out.per_further_token + byte(shape.byte_per_cached_token);
    out.compute_per_further_token =
        out.compute_per_further_token +
        seconds_of(flop(shape.flop_per_pair + shape.repeated_flop_per_cached_token), peak);
  }
  if (plan.options().account == TrafficAccount::all_weights)
    out.once = out.once + plan.beyond_operations();
  out.work_per_sequence = plan.model_work(one, rows, exact);
  const std::uint64_t beyond = std::max(context, widest_window(plan));
  out.work_per_further_token = work_at(plan, beyond + 1) - work_at(plan, beyond);
  // As of a step: what a convention counts beyond what is executed bounds too.
  const Performance peak = roofs.peaks.of(plan.types().linear);
  out.compute_per_sequence =
      std::max(out.compute_per_sequence, seconds_of(out.work_per_sequence, peak));
  out.compute_per_further_token =
      std::max(out.compute_per_further_token, seconds_of(out.work_per_further_token, peak));
  return out;
}

DecodeLimits decode_limits(const DecodeLaw& law, Bandwidth bandwidth, Performance peak) {
  DecodeLimits out;
  const Seconds memory = law.per_sequence / bandwidth;
  const Seconds slowest = std::max(memory, law.compute_per_sequence);
  if (law.per_sequence > Bytes{}) out.half_saturation_batch = law.once / law.per_sequence;
  if (slowest > Seconds{}) {
    out.tokens_per_s_limit = 1 / in_second(slowest);
    out.mfu_limit = law.work_per_sequence / (peak * slowest);
  }
  if (law.compute_per_sequence > memory)
    out.ridge_batch = (law.once / bandwidth) / (law.compute_per_sequence - memory);
  const Seconds further =
      std::max(law.per_further_token / bandwidth, law.compute_per_further_token);
  if (further > Seconds{}) out.mfu_limit_of_context = law.work_per_further_token / (peak * further);
  return out;
}

Bytes cache_bytes(const StepPlan& plan, std::uint64_t tokens, CacheLayout layout) {
  double out = 0;
  for (const Operation& operation : plan.operations()) {
    if (!operation.attention) continue;
    const Span& span = operation.attention->span;
    const bool all = layout == CacheLayout::in_full || span.reach == Reach::full;
    out += operation.attention->byte_per_cached_token *
           static_cast<double>(all ? tokens : std::min(tokens, span.tokens));
  }
  return byte(out);
}

std::uint64_t capacity_batch(const StepPlan& plan, std::uint64_t context, std::uint64_t shared,
                             CacheLayout layout, const MemoryBudget& budget) {
  const Bytes prefix = cache_bytes(plan, shared, layout);
  const Bytes room = budget.memory * budget.usable - budget.reserve - plan.resident() - prefix;
  // A window beyond the prefix is a sequence's own.
  const Bytes each = cache_bytes(plan, context - std::min(context, shared), layout);
  if (room < Bytes{}) return 0;
  const double fits = each > Bytes{} ? std::floor(room / each) : static_cast<double>(kLargestSize);
  return static_cast<std::uint64_t>(std::min(fits, static_cast<double>(kLargestSize)));
}

std::uint64_t batch_within(const StepPlan& plan, std::uint64_t context, const StepRoofs& roofs,
                           Seconds deadline) {
  const auto fits = [&](std::uint64_t batch) {
    return bound(plan, std::vector{decode(batch, context)}, roofs).floor() <= deadline;
  };
  if (!fits(1)) return 0;
  std::uint64_t low = 1;
  std::uint64_t high = kLargestSize;
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (fits(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace roofline::model
