// What a reading is of: a whole step, or one operation of it.
#pragma once

#include <span>
#include <string>

#include "model/step_bounds.hpp"

namespace roofline::cli {

struct Scope {
  std::string operation;  ///< by its name in the plan; empty: the whole step

  [[nodiscard]] bool whole() const { return operation.empty(); }
};

/// `step`, or an operation that does arithmetic, without which it has no ceiling. Throws
/// InputError, with those that there are.
[[nodiscard]] Scope scope_option(const std::string& text, const model::StepPlan& plan,
                                 std::span<const model::Requests> step);

/// What the scope is computed in, whose peak its MFU is a part of: the products' type of a step,
/// the operation's own of an operation.
[[nodiscard]] DType arithmetic_of(const Scope& scope, const model::StepPlan& plan);

/// All that is held against roofs of what the scope names. The work of an operation is what the
/// device executes of it, as a profiler counts it of a kernel; that of a step is the model's.
[[nodiscard]] model::StepBounds bounds_of(const Scope& scope, const model::StepPlan& plan,
                                          std::span<const model::Requests> step,
                                          const model::StepRoofs& roofs);

/// Of the model's work in the operation, what is divided among the devices: 1/t of what each of
/// them does whole, and no work twice.
[[nodiscard]] Flops model_share_of(const Scope& scope, const model::StepPlan& plan,
                                   std::span<const model::Requests> step);

}  // namespace roofline::cli
