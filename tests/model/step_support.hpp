// Plans and roofs for tests of steps. The roofs are those that the worked examples state.
#pragma once

#include "model/step_bounds.hpp"
#include "model/support.hpp"

namespace roofline::model::test {

inline StepRoofs roofs(double bf16_tflop_per_s, double gb) {
  StepRoofs out;
  out.peaks.set(DType::bf16, tflop_per_s(bf16_tflop_per_s));
  out.bandwidth = gb_per_s(gb);
  return out;
}
inline StepRoofs a100() { return roofs(312, 2039); }
inline StepRoofs h100() { return roofs(989, 3350); }

/// Types as a model's configuration states them, unless `alter` says otherwise.
inline StepTypes types_of(const Architecture& model) {
  StepTypes out;
  out.weights = model.weights;
  return out;
}

inline StepPlan plan_of(const std::string& name, const std::optional<StepTypes>& types = {},
                        const PlanOptions& options = {}) {
  const Architecture model = read(config(name));
  return {model, types ? *types : types_of(model), options};
}

}  // namespace roofline::model::test
