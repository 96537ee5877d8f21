#include "cli/advise_scope.hpp"

#include <algorithm>
#include <vector>

#include "roofline/error.hpp"

namespace roofline::cli {

Scope scope_option(const std::string& text, const model::StepPlan& plan,
                   std::span<const model::Requests> step) {
  if (text == "step") return {};
  const model::RowCounts rows = model::rows_of(step);
  std::vector<std::string_view> accepted;
  bool known = false;
  for (const model::Operation& one : plan.operations()) {
    if (one.name == text) known = true;
    const bool works = plan.cost(one, step, rows).work > Flops{};
    if (!works || std::find(accepted.begin(), accepted.end(), one.name) != accepted.end()) continue;
    accepted.push_back(one.name);
  }
  if (std::find(accepted.begin(), accepted.end(), text) != accepted.end()) return {text};
  std::string choices = "step";
  for (const std::string_view one : accepted) choices += ", " + std::string(one);
  throw InputError(
      "--scope: '" + text +
      (known ? "' does no arithmetic that is counted, so that it has no ceiling; choose from: "
             : "' is no operation of this step; choose from: ") +
      choices);
}

DType arithmetic_of(const Scope& scope, const model::StepPlan& plan) {
  for (const model::Operation& one : plan.operations())
    if (one.name == scope.operation) return one.arithmetic;
  return plan.types().linear;
}

model::StepBounds bounds_of(const Scope& scope, const model::StepPlan& plan,
                            std::span<const model::Requests> step, const model::StepRoofs& roofs) {
  if (scope.whole()) return model::bound(plan, step, roofs);
  model::StepBounds out;
  model::WorkByType executed;
  for (const model::OperationBound& one : model::bound_operations(plan, step, roofs)) {
    if (one.operation->name != scope.operation) continue;
    out.work = out.executed = out.executed + one.executed();
    executed.add(one.operation->arithmetic, one.executed());
    out.traffic = out.traffic + one.traffic;
    out.memory = out.memory + one.memory;
    out.serial = out.serial + one.time();
    out.launches += one.operation->launches;
  }
  out.compute = executed.time(roofs.peaks);
  return out;
}

Flops model_share_of(const Scope& scope, const model::StepPlan& plan,
                     std::span<const model::Requests> step) {
  Flops out;
  const model::RowCounts rows = model::rows_of(step);
  for (const model::Operation& one : plan.operations())
    if (one.name == scope.operation) out = out + plan.cost(one, step, rows).work;
  return out;
}

}  // namespace roofline::cli
