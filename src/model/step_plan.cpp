#include "model/step_plan.hpp"

#include <cmath>

#include "roofline/error.hpp"

namespace roofline::model {
namespace {

/// The attention of requests that are alike, in the form that is taken for them.
struct Attended {
  double pairs = 0;  ///< those that causality allows
  double flop_per_pair = 0;
  double repeated_flop = 0;
};

Attended attend(const AttentionShape& shape, const Requests& requests) {
  const double count = as_double(requests.count);
  Attended out{count * pairs(shape.span, requests, Pairs::causal), shape.flop_per_pair,
               count * as_double(requests.cached) * shape.repeated_flop_per_cached_token};
  const double absorbed = out.pairs * shape.absorbed_flop_per_pair;
  if (shape.absorbed_flop_per_pair > 0 &&
      absorbed < out.pairs * out.flop_per_pair + out.repeated_flop)
    return {out.pairs, shape.absorbed_flop_per_pair, 0};
  return out;
}

}  // namespace

double expected_experts(double experts, double chosen, double rows) {
  if (chosen >= experts) return experts;
  return -experts * std::expm1(rows * std::log1p(-chosen / experts));
}

StepPlan::StepPlan(const Architecture& model, const StepTypes& types, const PlanOptions& options)
    : types_(types), options_(options) {
  if (!types.weights.unknown.empty()) throw InputError(types.weights.unknown);
  lay_out(model);
}

OperationCost StepPlan::cost(const Operation& operation, std::span<const Requests> step,
                             const RowCounts& rows) const {
  OperationCost out;
  const double met = operation.on_logits ? rows.logits : rows.fresh;
  if (met == 0) return out;
  out.work = flop(met * operation.flop_per_row);
  out.repeated = flop(met * operation.repeated_flop_per_row);
  double read = 1;
  if (operation.experts > 0)
    read = expected_experts(operation.experts, operation.chosen, met) / operation.experts;
  out.weights = byte(operation.weight_bytes * read);
  out.vectors = byte(operation.vector_bytes * read);
  out.gathered = byte(met * operation.gathered_byte_per_row);
  out.activations = byte(met * operation.activation_byte_per_row);
  out.kv_write = byte(met * operation.kv_written_byte_per_row);
  out.logits = byte(met * operation.logits_byte_per_row);
  if (!operation.attention) return out;
  const AttentionShape& shape = *operation.attention;
  for (const Requests& one : step) {
    const Attended attended = attend(shape, one);
    out.work = out.work + flop(attended.pairs * attended.flop_per_pair);
    out.repeated = out.repeated + flop(attended.repeated_flop);
    out.kv_read = out.kv_read + byte(tokens_read(shape.span, one) * shape.byte_per_cached_token);
  }
  return out;
}

Bytes StepPlan::traffic(const OperationCost& cost) const {
  const Bytes least = cost.weights + cost.kv_read;
  switch (options_.account) {
    case TrafficAccount::minimal:
      break;
    case TrafficAccount::all_weights:
      return least + cost.vectors;
    case TrafficAccount::full:
      return least + cost.vectors + cost.gathered + cost.kv_write + cost.activations + cost.logits;
  }
  return least;
}

Flops StepPlan::excluded(std::span<const Requests> step, const RowCounts& rows) const {
  Flops out;
  for (const Operation& operation : operations_) {
    const bool skipped = (operation.kind == StepClass::attention && !options_.counting.attention) ||
                         (operation.kind == StepClass::lm_head && !options_.counting.lm_head);
    if (skipped) out = out + cost(operation, step, rows).work;
  }
  return out;
}

Flops StepPlan::beyond_causal(std::span<const Requests> step) const {
  double out = 0;
  for (const Operation& operation : operations_) {
    if (!operation.attention) continue;
    for (const Requests& one : step) {
      const Attended attended = attend(*operation.attention, one);
      const double all = as_double(one.count) * pairs(operation.attention->span, one, Pairs::full);
      out += (all - attended.pairs) * attended.flop_per_pair;
    }
  }
  return flop(out);
}

Flops StepPlan::model_work(std::span<const Requests> step, const RowCounts& rows,
                           Flops exact_work) const {
  const WorkCounting& counting = options_.counting;
  if (counting.convention == WorkConvention::exact) {
    Flops out = exact_work;
    if (!counting.attention || !counting.lm_head) out = out - excluded(step, rows);
    if (counting.attention && counting.attended == Pairs::full) out = out + beyond_causal(step);
    if (counting.input_embedding) out = out + flop(rows.fresh * flop_embedding_);
    return out;
  }
  double out = rows.fresh * flop_two_n_;
  if (counting.convention == WorkConvention::palm) {
    for (const Requests& one : step)
      out += static_cast<double>(one.count) * pairs(Span{}, one, Pairs::full) * flop_palm_pair_;
  }
  return flop(out);
}

std::string_view name(TrafficAccount account) {
  switch (account) {
    case TrafficAccount::minimal:
      return "minimal";
    case TrafficAccount::full:
      return "full";
    case TrafficAccount::all_weights:
      break;
  }
  return "all-weights";
}

std::string_view name(Fusion fusion) { return fusion == Fusion::blocks ? "blocks" : "products"; }

std::string_view name(LatentForm form) {
  switch (form) {
    case LatentForm::cheapest:
      return "cheapest";
    case LatentForm::absorbed:
      return "absorbed";
    case LatentForm::expanded:
      break;
  }
  return "expanded";
}

std::string text_of(const WorkCounting& counting) {
  if (counting.convention == WorkConvention::two_n) return "2N";
  if (counting.convention == WorkConvention::palm) return "2N + 4LHdS";
  std::string out = "exact (";
  out += !counting.attention                  ? "no attention"
         : counting.attended == Pairs::causal ? "causal attention"
                                              : "full attention";
  if (!counting.lm_head) out += ", no head";
  if (counting.input_embedding) out += ", input embedding as a product";
  return out + ")";
}

}  // namespace roofline::model
