#include "cli/step_figures.hpp"

#include <algorithm>

namespace roofline::cli {
namespace {

/// Where no roof is known, only what is counted is read of a bound: these make no time of it.
model::StepRoofs roofs_of(const Deployment& d) {
  if (d.roofs) return d.roofs->values;
  model::StepRoofs out;
  for (const DTypeInfo& type : dtypes()) out.peaks.set(type.dtype, flop_per_s(1));
  out.bandwidth = byte_per_s(1);
  return out;
}

double rows_met(const model::Operation& operation, const model::RowCounts& rows) {
  const double met = operation.on_logits ? rows.logits : rows.fresh;
  if (operation.experts <= 0) return met;
  return met * operation.chosen / model::expected_experts(operation.experts, operation.chosen, met);
}

std::optional<double> ridge_rows(const model::Operation& operation, const Deployment& d) {
  if (!d.roofs) return std::nullopt;
  const model::StepRoofs& roofs = d.roofs->values;
  return model::rows_to_ridge(operation, d.types,
                              ridge_point(roofs.peaks.of(operation.arithmetic), roofs.bandwidth));
}

std::optional<ExpertsRead> experts_read(const model::StepPlan& plan, const model::RowCounts& rows) {
  for (const model::Operation& operation : plan.operations()) {
    if (operation.experts <= 0) continue;
    return ExpertsRead{
        operation.experts, model::expected_experts(operation.experts, operation.chosen, rows.fresh),
        operation.chosen, std::min(operation.experts, rows.fresh * operation.chosen)};
  }
  return std::nullopt;
}

AllowedBatch allowed(const StepFigures& figures, std::uint64_t batch) {
  AllowedBatch out{batch, std::nullopt};
  const Deployment& d = *figures.deployment;
  if (batch > 0)
    out.bounds = model::bound(figures.plan, step_of(d, batch, d.context), d.roofs->values);
  return out;
}

void add_limits(StepFigures& out) {
  const Deployment& d = *out.deployment;
  const model::StepRoofs& roofs = d.roofs->values;
  out.limits = model::decode_limits(model::decode_law(out.plan, d.context, roofs, d.shared_prefix),
                                    roofs.bandwidth, roofs.peaks.of(d.types.linear));
  if (out.experts && out.limits->tokens_per_s_limit)
    out.half_limit = model::half_limit_batch_with_experts(
        out.plan, d.context, roofs, *out.limits->tokens_per_s_limit, d.shared_prefix);
  if (d.deadline)
    out.in_deadline =
        allowed(out, model::batch_within(out.plan, d.context, roofs, *d.deadline, d.shared_prefix));
  out.first_token =
      model::bound(out.plan, std::vector{model::prefill(1, d.context)}, roofs).floor();
}

/// How many such sequences weights and caches leave room for.
void add_capacity(StepFigures& out) {
  const Deployment& d = *out.deployment;
  const auto batch = batch_capacity(d, out.plan, d.context);
  if (!batch) return;
  out.in_memory = AllowedBatch{*batch, std::nullopt};
  if (d.roofs && d.phase == Phase::decode && d.riding == 0) out.in_memory = allowed(out, *batch);
}

}  // namespace

StepFigures::StepFigures(const Deployment& d)
    : deployment(&d), plan(d.model, d.types, d.plan), step(step_of(d, d.batch, d.context)) {
  const model::RowCounts rows = model::rows_of(step);
  const model::StepRoofs roofs = roofs_of(d);
  tokens = tokens_passed(d.phase, step);
  bounds = model::bound(plan, step, roofs);
  const auto bound = model::bound_operations(plan, step, roofs);
  by_class = model::by_class(plan, bound);
  experts = experts_read(plan, rows);
  for (const model::OperationBound& one : bound)
    operations.push_back({one, rows_met(*one.operation, rows), ridge_rows(*one.operation, d)});
  add_capacity(*this);
  if (d.roofs && d.roofs->launch && !d.measured) {
    upper = model::without_overlap(plan, step, d.roofs->values, d.roofs->launch->time);
  } else if (!d.measured) {
    upper_reason =
        "no measured roofs (--measured REPORT) and no launch floor (--overhead) are given";
  } else if (!d.measured->launch) {
    upper_reason = "the report holds no launch floor: roofline launch measures it";
  } else {
    upper = model::without_overlap(plan, step, d.measured->values, d.measured->launch->time);
  }
  if (!timed()) return;
  const Performance peak = roofs.peaks.of(d.types.linear);
  ridge = ridge_point(peak, roofs.bandwidth);
  mfu_ceiling = model::mfu_ceiling(bounds, peak);
  // What a convention counts beyond what is executed, it counts in both.
  hfu_ceiling = std::max(*mfu_ceiling, (bounds.executed / peak) / bounds.floor());
  if (d.phase == Phase::decode && d.riding == 0) add_limits(*this);
}

}  // namespace roofline::cli
