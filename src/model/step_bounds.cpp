#include "model/step_bounds.hpp"

#include <algorithm>
#include <string>

#include "roofline/error.hpp"

namespace roofline::model {
namespace {

OperationBound bound_one(const StepPlan& plan, const Operation& operation,
                         std::span<const Requests> step, const RowCounts& rows,
                         const StepRoofs& roofs) {
  OperationBound out;
  out.operation = &operation;
  out.cost = plan.cost(operation, step, rows);
  out.traffic = plan.traffic(out.cost);
  const Flops executed = out.executed();
  if (executed > Flops{}) out.compute = executed / roofs.peaks.of(operation.arithmetic);
  out.memory = out.traffic / roofs.bandwidth;
  return out;
}

}  // namespace

void require_peaks(const StepPlan& plan, const Peaks& peaks) {
  for (const Operation& operation : plan.operations()) {
    if (operation.computes() && !(peaks.of(operation.arithmetic) > Performance{}))
      throw InputError("there is no peak for arithmetic in " +
                       std::string(name(operation.arithmetic)) + ", which " +
                       std::string(operation.name) + " is computed in");
  }
}

StepBounds bound(const StepPlan& plan, std::span<const Requests> step, const StepRoofs& roofs) {
  StepBounds out;
  const RowCounts rows = rows_of(step);
  Flops exact;
  WorkByType executed;
  for (const Operation& operation : plan.operations()) {
    const OperationBound one = bound_one(plan, operation, step, rows, roofs);
    exact = exact + one.cost.work;
    out.executed = out.executed + one.executed();
    executed.add(operation.arithmetic, one.executed());
    out.traffic = out.traffic + one.traffic;
    out.serial = out.serial + one.time();
    out.launches += operation.launches;
  }
  if (plan.options().account == TrafficAccount::all_weights) {
    out.traffic = out.traffic + plan.beyond_operations();
    out.serial = out.serial + plan.beyond_operations() / roofs.bandwidth;
  }
  out.compute = executed.time(roofs.peaks);
  out.memory = out.traffic / roofs.bandwidth;
  out.work = plan.model_work(step, rows, exact);
  out.serial = std::max(out.serial, out.floor());
  return out;
}

std::vector<OperationBound> bound_operations(const StepPlan& plan, std::span<const Requests> step,
                                             const StepRoofs& roofs) {
  std::vector<OperationBound> out;
  const RowCounts rows = rows_of(step);
  for (const Operation& operation : plan.operations())
    out.push_back(bound_one(plan, operation, step, rows, roofs));
  return out;
}

Seconds without_overlap(const StepPlan& plan, std::span<const Requests> step,
                        const StepRoofs& roofs, Seconds launch) {
  const StepBounds all = bound(plan, step, roofs);
  return all.compute + all.memory + launch * all.launches;
}

double mfu_ceiling(const StepBounds& bounds, Performance peak) {
  // Divided as the floor divides it, so that no rounding takes work that fills the peak above 1.
  return (bounds.work / peak) / bounds.floor();
}

std::optional<double> rows_to_ridge(const Operation& operation, const StepTypes& types,
                                    Intensity ridge) {
  if (operation.d_out == 0) return std::nullopt;
  const double outputs = as_double(operation.d_out);
  const double inputs = as_double(operation.d_in);
  const double matrices = operation.launches * std::max(1.0, operation.experts);
  const double byte_in = static_cast<double>(storage_bits(operation.arithmetic)) / 8;
  const double byte_out = static_cast<double>(storage_bits(types.activation)) / 8;
  const double r = in_flop_per_byte(ridge);
  const double gain = 2 * inputs * outputs - r * (byte_in * inputs + byte_out * outputs);
  if (gain <= 0) return std::nullopt;
  return r * (operation.weight_bytes / matrices) / gain;
}

ByClass by_class(const StepPlan& plan, std::span<const OperationBound> operations) {
  ByClass out;
  const auto at = [](StepClass kind) { return static_cast<std::size_t>(kind); };
  const TrafficAccount account = plan.options().account;
  for (const OperationBound& one : operations) {
    const OperationCost& cost = one.cost;
    const std::size_t kind = at(one.operation->kind);
    out.work[kind] = out.work[kind] + cost.work + cost.repeated;
    out.traffic[kind] = out.traffic[kind] + cost.weights;
    out.traffic[at(StepClass::kv_read)] = out.traffic[at(StepClass::kv_read)] + cost.kv_read;
    if (account == TrafficAccount::minimal) continue;
    out.traffic[kind] = out.traffic[kind] + cost.vectors;
    if (account == TrafficAccount::all_weights) continue;
    out.traffic[kind] = out.traffic[kind] + cost.gathered;
    const auto add = [&](StepClass to, Bytes bytes) {
      out.traffic[at(to)] = out.traffic[at(to)] + bytes;
    };
    add(StepClass::kv_write, cost.kv_write);
    add(StepClass::activations, cost.activations);
    add(StepClass::logits, cost.logits);
  }
  if (account == TrafficAccount::all_weights)
    out.traffic[at(StepClass::embedding)] =
        out.traffic[at(StepClass::embedding)] + plan.beyond_operations();
  return out;
}

}  // namespace roofline::model
