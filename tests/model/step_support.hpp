// Plans and roofs for tests of steps. The roofs are those that the worked examples state.
#pragma once

#include <cmath>
#include <string_view>

#include "model/decode_limits.hpp"
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

inline PlanOptions counted_by(TrafficAccount account,
                              WorkConvention convention = WorkConvention::exact) {
  PlanOptions out;
  out.account = account;
  out.counting.convention = convention;
  return out;
}
/// The convention of the seed's examples: every weight, the embedding table included, and 2 N FLOP
/// a token without attention.
inline PlanOptions two_n() {
  return counted_by(TrafficAccount::all_weights, WorkConvention::two_n);
}

inline StepBounds bounds_of(const StepPlan& plan, const Requests& requests,
                            const StepRoofs& roofs) {
  return bound(plan, std::vector{requests}, roofs);
}

inline double gigabytes(Bytes bytes) { return in_byte(bytes) / 1e9; }
inline double milliseconds(Seconds time) { return in_second(time) * 1e3; }
/// Tokens/s of a decode step of `batch`.
inline double rate_of(double batch, const StepBounds& bounds) {
  return batch / in_second(bounds.floor());
}

inline ByClass classes_of(const StepPlan& plan, const Step& step, const StepRoofs& roofs) {
  return by_class(plan, bound_operations(plan, step, roofs));
}
inline double work_of(const ByClass& classes, StepClass kind) {
  return in_flop(classes.work.at(static_cast<std::size_t>(kind)));
}
inline double traffic_of(const ByClass& classes, StepClass kind) {
  return in_byte(classes.traffic.at(static_cast<std::size_t>(kind)));
}

/// The first operation of this name.
inline const Operation& operation_of(const StepPlan& plan, std::string_view name) {
  for (const Operation& one : plan.operations())
    if (one.name == name) return one;
  throw std::runtime_error("no operation is called " + std::string(name));
}

/// A model of round figures, as examples on paper have them: so many weights, all of them
/// multiplied once, and so many values in the cache a token. One layer of width 1 does nearly
/// nothing else.
inline Architecture nominal(std::uint64_t parameters, std::uint64_t cached_values, DType type) {
  Architecture out;
  out.hidden = 1;
  Layer layer;
  layer.attention = Attention{
      .query_heads = 1, .kv_heads = 1, .qk_dim = cached_values / 2, .value_dim = cached_values / 2};
  layer.norms = 0;
  add_layer(out.layers, layer);
  out.tied = true;
  out.final_norm = false;
  // The layer's own: query, key, value, output.
  out.vocabulary = parameters - 2 * cached_values;
  out.weights.type = type;
  return out;
}

inline bool within(double actual, double expected, double tolerance) {
  return std::abs(actual - expected) <= tolerance * std::abs(expected);
}

/// All matrices in this format, the head in 16 bits if it is to stay so.
inline StepTypes stored(const Architecture& model, const WeightFormat& format, bool head_too) {
  StepTypes out;
  out.weights = stored_as(model.weights, format);
  if (!head_too) std::erase(out.weights.classes, TensorClass::lm_head);
  return out;
}

}  // namespace roofline::model::test
