#include "cli/advise_variants.hpp"

#include <algorithm>
#include <array>

#include "cli/operation_options.hpp"
#include "roofline/error.hpp"

namespace roofline::cli {
namespace {

/// 16-bit scale and 16-bit zero for 128 inputs, as engines keep them unpacked: 4.25 bits.
model::WeightFormat four_bits() {
  return {.name = "int4-g128",
          .bits = 4,
          .scale_bits = 16,
          .zero_bits = 16,
          .group_rows = 1,
          .group_columns = 128};
}

constexpr std::array kQuantisations{
    Quantisation{"W8", 8, {}, false},
    Quantisation{"W8A8 int8", 8, DType::int8, false},
    Quantisation{"W8A8 fp8", 8, DType::fp8_e4m3, false},
    Quantisation{"W4A16", 4, {}, false},
    Quantisation{"KV8", 0, {}, true},
    Quantisation{"W8+KV8", 8, {}, true},
    Quantisation{"W4+KV8", 4, {}, true},
    Quantisation{"W8A8+KV8 int8", 8, DType::int8, true},
    Quantisation{"W8A8+KV8 fp8", 8, DType::fp8_e4m3, true},
};

}  // namespace

Variant as_it_is(const AdviseOptions& o, const Deployment& d, const DeploymentRoofs& rated) {
  Variant out{d.types, d.plan, {}, rated.values, {}};
  const model::Step step = step_of(d, 1, d.context);
  out.load.each = step.front();
  out.load.beside.assign(step.begin() + 1, step.end());
  out.load.tokens_each = tokens_of_rate(d.phase, model::Step{out.load.each});
  if (d.phase != Phase::decode) return out;
  out.room.memory = d.memory;
  out.room.deadline = d.deadline;
  if (!o.max_batch.empty()) {
    out.room.demand = whole_option(o.max_batch, "--max-batch");
    if (*out.room.demand < d.batch)
      throw InputError("--max-batch is the most sequences that there are, and --batch has " +
                       std::to_string(d.batch) + " of them");
  }
  return out;
}

std::span<const Quantisation> quantisations() { return kQuantisations; }

Variant quantised(const Variant& base, const Quantisation& change, bool with_head) {
  Variant out = base;
  if (change.cache) out.types.kv = DType::fp8_e4m3;
  if (change.weight_bits == 0) return out;
  const DType linear = change.arithmetic.value_or(base.types.activation);
  const model::WeightFormat format =
      change.weight_bits == 4 ? four_bits()
                              : model::plain_format(change.arithmetic.value_or(DType::int8));
  out.types.weights = model::stored_as(base.types.weights, format);
  if (!with_head) std::erase(out.types.weights.classes, model::TensorClass::lm_head);
  out.types.linear = linear;
  out.types.head = with_head ? linear : base.types.activation;
  return out;
}

bool changes_something(const Variant& base, const Quantisation& change, const Variant& changed,
                       const model::Architecture& model) {
  if (change.cache && storage_bits(base.types.kv) <= 8) return false;
  if (change.weight_bits == 0) return true;
  const auto resident = [&](const Variant& one) {
    return model::StepPlan(model, one.types, one.plan).resident();
  };
  const bool other_arithmetic =
      change.arithmetic && storage_bits(base.types.linear) > storage_bits(*change.arithmetic);
  constexpr double kLess = 0.9;
  const double ratio = resident(changed) / resident(base);
  return ratio < kLess || (other_arithmetic && ratio <= 1 / kLess);
}

Variant sharing_prefix(const Variant& base, std::uint64_t tokens) {
  Variant out = base;
  model::Requests& each = out.load.each;
  each.shared = std::max(each.shared, std::min(tokens, each.cached));
  return out;
}

Variant with_chunk(const Variant& base, const model::Requests& chunk) {
  Variant out = base;
  out.load.beside.push_back(chunk);
  return out;
}

Variant speculating(const Variant& base, std::uint64_t drafted, double acceptance) {
  Variant out = base;
  out.load.tokens_each = model::expected_tokens(acceptance, drafted);
  out.load.each.fresh += drafted;
  out.load.each.logits += drafted;
  return out;
}

Variant on_twice_the_devices(const Variant& base) {
  Variant out = base;
  out.plan.tensor_parallel *= 2;
  return out;
}

std::optional<Variant> on_device(const Variant& base, const machine::Accelerator& device,
                                 const std::string& config_dir) {
  Variant out = base;
  RoofOptions roofs;
  roofs.device = device.id;
  try {
    out.roofs = choose_deployment_roofs(roofs, base.types, config_dir).values;
  } catch (const NotAvailable&) {
    return std::nullopt;
  }
  const auto memory = machine::memory_size(device);
  if (out.room.memory && memory) out.room.memory->memory = memory->size;
  return out;
}

}  // namespace roofline::cli
