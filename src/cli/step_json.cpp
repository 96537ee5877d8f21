#include <algorithm>
#include <cmath>

#include "cli/step_sheet.hpp"
#include "report/json_null.hpp"
#include "roofline/printable.hpp"

namespace roofline::cli {
namespace {

using nlohmann::ordered_json;

/// Null where no such token passes.
ordered_json rate_json(double tokens, Seconds floor) {
  return tokens > 0 ? ordered_json(tokens / in_second(floor)) : ordered_json(nullptr);
}

ordered_json requests_json(const model::Step& step) {
  ordered_json out = ordered_json::array();
  for (const model::Requests& one : step)
    out.push_back({{"count", one.count},
                   {"cached_tokens", one.cached},
                   {"fresh_tokens", one.fresh},
                   {"logits_rows", one.logits},
                   {"shared_prefix_tokens", one.shared}});
  return out;
}

ordered_json types_json(const Deployment& d) {
  const model::StoredWeights& weights = d.types.weights;
  const bool head = model::is_quantised(weights, model::TensorClass::lm_head);
  const std::string plain(name(weights.type));
  return {{"weights", weights.quantised ? weights.quantised->name : plain},
          {"head", head && weights.quantised ? weights.quantised->name : plain},
          {"kv", name(d.types.kv)},
          {"activations", name(d.types.activation)},
          {"arithmetic", name(d.types.linear)},
          {"head_arithmetic", name(d.types.head)},
          {"attention_arithmetic", name(d.types.activation)},
          {"logits", name(d.types.logits)}};
}

ordered_json roofs_json(const DeploymentRoofs& roofs) {
  ordered_json peaks = ordered_json::array();
  for (const TypedPeak& one : roofs.peaks)
    peaks.push_back({{"dtype", name(one.type)},
                     {"flop_per_s", number_json(in_flop_per_s(one.roof.peak))},
                     {"peak", name(one.roof.key)},
                     {"sparsity", name(one.roof.sparsity)},
                     {"origin", name(one.roof.origin)},
                     {"source", printable(one.roof.source)}});
  ordered_json out;
  out["device"] = {{"id", printable(roofs.device_id)}, {"name", printable(roofs.device_name)}};
  out["peaks"] = std::move(peaks);
  out["bandwidth"] = {{"byte_per_s", number_json(in_byte_per_s(roofs.memory.bandwidth))},
                      {"origin", name(roofs.memory.origin)},
                      {"source", printable(roofs.memory.source)}};
  out["launch_s"] =
      roofs.launch ? ordered_json(in_second(roofs.launch->time)) : ordered_json(nullptr);
  return out;
}

ordered_json classes_json(const auto& values, auto in_unit) {
  ordered_json out = ordered_json::object();
  for (const model::StepClass kind : model::step_classes()) {
    const double value = in_unit(values[static_cast<std::size_t>(kind)]);
    if (value > 0) out[std::string(name(kind))] = number_json(value);
  }
  return out;
}

ordered_json operation_json(const OperationFigures& one, bool timed) {
  const model::Operation& operation = *one.bound.operation;
  ordered_json out;
  out["name"] = operation.name;
  out["class"] = name(operation.kind);
  out["layer_kind"] = report::or_null(operation.layer_kind);
  out["window_tokens"] = nullptr;
  if (operation.attention && operation.attention->span.reach != model::Reach::full)
    out["window_tokens"] = operation.attention->span.tokens;
  out["launches"] = number_json(operation.launches);
  out["d_out"] = operation.d_out > 0 ? ordered_json(operation.d_out) : ordered_json(nullptr);
  out["d_in"] = operation.d_in > 0 ? ordered_json(operation.d_in) : ordered_json(nullptr);
  out["rows"] = number_json(one.rows);
  out["arithmetic"] = nullptr;
  if (operation.computes()) out["arithmetic"] = name(operation.arithmetic);
  out["work_flop"] = number_json(in_flop(one.bound.cost.work));
  out["repeated_flop"] = number_json(in_flop(one.bound.cost.repeated));
  out["traffic_byte"] = number_json(in_byte(one.bound.traffic));
  out["intensity_flop_per_byte"] = nullptr;
  if (one.bound.traffic > Bytes{})
    out["intensity_flop_per_byte"] = in_flop_per_byte(one.bound.cost.work / one.bound.traffic);
  if (!timed) return out;
  out["floor_s"] = in_second(one.bound.time());
  out["bound"] = nullptr;
  if (one.bound.time() > Seconds{}) out["bound"] = one.bound.memory_bound() ? "memory" : "compute";
  out["rows_to_ridge"] = report::or_null(one.rows_to_ridge);
  return out;
}

ordered_json step_object(const StepFigures& f) {
  const model::StepBounds& b = f.bounds;
  ordered_json out;
  out["work_flop"] = number_json(in_flop(b.work));
  out["executed_flop"] = number_json(in_flop(b.executed));
  out["executed_flop_by_class"] = classes_json(f.by_class.work, in_flop);
  out["traffic_byte"] = {{"total", number_json(in_byte(b.traffic))},
                         {"by_class", classes_json(f.by_class.traffic, in_byte)}};
  out["intensity_flop_per_byte"] = in_flop_per_byte(b.work / b.traffic);
  out["launches"] = number_json(b.launches);
  if (f.timed()) {
    out["floor_s"] = in_second(b.floor());
    out["bound"] = b.memory_bound() ? "memory" : "compute";
    out["compute_s"] = in_second(b.compute);
    out["memory_s"] = in_second(b.memory);
    out["serial_s"] = in_second(b.serial);
    out["upper_s"] = f.upper ? ordered_json(in_second(*f.upper)) : ordered_json(nullptr);
    if (!f.upper) out["upper_reason"] = f.upper_reason;
    out["ridge_flop_per_byte"] = in_flop_per_byte(*f.ridge);
    out["mfu_ceiling"] = *f.mfu_ceiling;
    out["hfu_ceiling"] = *f.hfu_ceiling;
  }
  out["experts"] = nullptr;
  if (f.experts)
    out["experts"] = {{"of", number_json(f.experts->experts)},
                      {"read_expected", f.experts->expected},
                      {"read_least", number_json(f.experts->least)},
                      {"read_most", number_json(f.experts->most)}};
  ordered_json operations = ordered_json::array();
  for (const OperationFigures& one : f.operations)
    operations.push_back(operation_json(one, f.timed()));
  out["operations"] = std::move(operations);
  return out;
}

ordered_json limits_json(const StepFigures& f) {
  const model::DecodeLimits& l = *f.limits;
  return {{"half_saturation_batch", report::or_null(l.half_saturation_batch)},
          {"half_of_limit_batch",
           f.half_limit ? ordered_json(*f.half_limit) : report::or_null(l.half_limit_batch)},
          {"tokens_per_s", report::or_null(l.tokens_per_s_limit)},
          {"mfu_as_batch_grows", report::or_null(l.mfu_limit)},
          {"ridge_batch", report::or_null(l.ridge_batch)},
          {"ridge_reachable", l.ridge_batch.has_value()},
          {"mfu_as_context_grows", report::or_null(l.mfu_limit_of_context)}};
}

ordered_json allowed_json(const AllowedBatch& allowed, const StepFigures& f) {
  ordered_json out;
  out["batch"] = allowed.batch;
  out["floor_s"] = nullptr;
  out["tokens_per_s"] = nullptr;
  out["mfu_ceiling"] = nullptr;
  if (!allowed.bounds) return out;
  const Performance peak = f.deployment->roofs->values.peaks.of(f.deployment->types.linear);
  out["floor_s"] = in_second(allowed.bounds->floor());
  out["tokens_per_s"] = static_cast<double>(allowed.batch) / in_second(allowed.bounds->floor());
  out["mfu_ceiling"] = model::mfu_ceiling(*allowed.bounds, peak);
  return out;
}

ordered_json memory_json(const StepFigures& f) {
  const Deployment& d = *f.deployment;
  ordered_json out;
  out["weights_byte"] = number_json(in_byte(f.plan.resident()));
  // Beyond a shared prefix, which is kept once.
  out["cache_byte_per_sequence"] = number_json(in_byte(model::cache_bytes(
      f.plan, tokens_held(d, d.context) - d.shared_prefix, model::CacheLayout::in_windows)));
  out["cache_byte_per_sequence_in_full"] = number_json(in_byte(model::cache_bytes(
      f.plan, tokens_held(d, d.context) - d.shared_prefix, model::CacheLayout::in_full)));
  out["shared_cache_byte"] = number_json(
      in_byte(model::cache_bytes(f.plan, d.shared_prefix, model::CacheLayout::in_windows)));
  out["byte"] = nullptr;
  out["capacity"] = nullptr;
  out["fits"] = nullptr;
  if (!d.memory) {
    out["reason"] = d.memory_reason;
    return out;
  }
  out["byte"] = number_json(in_byte(d.memory->memory));
  out["source"] = d.memory_source;
  out["usable"] = d.memory->usable;
  out["reserve_byte"] = number_json(in_byte(d.memory->reserve));
  out["capacity"] = allowed_json(*f.in_memory, f);
  out["fits"] = f.fits();
  return out;
}

}  // namespace

ordered_json number_json(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value >= 0 && value < 9e15 && value == std::floor(value))
    return static_cast<std::uint64_t>(value);
  return value;
}

void add_asked_json(ordered_json& out, const Deployment& d) {
  const auto origin = [](bool chosen) { return chosen ? "user" : "default"; };
  out["batch"] = d.batch;
  out["batch_origin"] = origin(d.batch_chosen);
  out["context_tokens"] = d.context;
  out["context_origin"] = origin(d.context_chosen);
  out["chunk_tokens"] = nullptr;
  out["chunk_origin"] = nullptr;
  if (d.phase != Phase::chunk) return;
  out["chunk_tokens"] = d.tokens;
  out["chunk_origin"] = origin(d.tokens_chosen);
}

void add_step_json(ordered_json& out, const StepFigures& f) {
  const Deployment& d = *f.deployment;
  out["warnings"] = warnings_of(d);
  out["phase"] = name(d.phase);
  add_asked_json(out, d);
  out["requests"] = requests_json(f.step);
  out["types"] = types_json(d);
  out["convention"] = model::text_of(d.plan.counting);
  out["account"] = name(d.plan.account);
  out["fusion"] = name(d.plan.fusion);
  out["latent"] = nullptr;
  if (model::attention_name(d.model).find("MLA") != std::string::npos)
    out["latent"] = name(d.plan.latent);
  out["tensor_parallel"] = d.plan.tensor_parallel;
  out["left_out"] = ordered_json::array();
  if (d.plan.tensor_parallel > 1) out["left_out"].push_back("collectives between the devices");
  out["roofs"] = d.roofs ? roofs_json(*d.roofs) : ordered_json(nullptr);
  out["measured"] = d.measured ? roofs_json(*d.measured) : ordered_json(nullptr);
  out["step"] = step_object(f);
  out["tokens_per_s"] = out["prompt_tokens_per_s"] = nullptr;
  if (f.timed()) {
    out["tokens_per_s"] = rate_json(f.tokens.decoded, f.bounds.floor());
    out["prompt_tokens_per_s"] = rate_json(f.tokens.of_prompts, f.bounds.floor());
  }
  out["ttft_floor_s"] = nullptr;
  if (f.first_token) out["ttft_floor_s"] = in_second(*f.first_token);
  if (f.timed() && d.phase == Phase::prefill) out["ttft_floor_s"] = in_second(f.bounds.floor());
  out["limits"] = f.limits ? limits_json(f) : ordered_json(nullptr);
  out["memory"] = memory_json(f);
  out["deadline"] = nullptr;
  if (f.in_deadline) {
    out["deadline"] = allowed_json(*f.in_deadline, f);
    out["deadline"]["tpot_s"] = in_second(*d.deadline);
  }
}

}  // namespace roofline::cli
