// How the operations of a plan follow from the tensors of a model.
#include <algorithm>
#include <array>
#include <utility>

#include "model/kv_cache.hpp"
#include "model/parameters.hpp"
#include "model/step_plan.hpp"
#include "model/tensors.hpp"
#include "roofline/error.hpp"
#include "roofline/overloaded.hpp"

namespace roofline::model {
namespace {

double byte_of(DType type) { return as_double(storage_bits(type)) / 8; }

/// What a product with such a matrix is computed in: few bits only where the matrix is stored in
/// few bits, too. What quantisation leaves in 16 bits is multiplied in 16.
DType arithmetic_of(TensorClass kind, const StepTypes& types) {
  const bool narrow = is_quantised(types.weights, kind) ||
                      storage_bits(types.weights.type) <= storage_bits(types.linear);
  return narrow ? types.linear : types.activation;
}

bool is_gated(const FeedForward& part) {
  return std::visit(
      Overloaded{[](std::monostate) { return false; }, [](const Mlp& mlp) { return mlp.gated; },
                 [](const Experts& experts) { return experts.expert.gated; }},
      part);
}

/// Which operation multiplies a matrix: those that have the same input are one.
std::string_view operation_of(const Tensor& tensor, const Architecture& model) {
  const Layer* const layer = tensor.layer_kind ? &model.layers[*tensor.layer_kind].layer : nullptr;
  const bool latent = layer != nullptr && layer->attention && layer->attention->latent;
  if (latent && layer->attention->latent->query_rank == 0) {
    if (tensor.name == "query") return "query";
    if (tensor.name == "kv down") return "kv_down";
  }
  if (layer != nullptr && tensor.name == "up" && !is_gated(layer->feed_forward))
    return tensor.kind == TensorClass::experts ? "expert_up" : "up";

  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kJoined{{
      {"query", "qkv"},
      {"key", "qkv"},
      {"value", "qkv"},
      {"query down", "qkv_down"},
      {"kv down", "qkv_down"},
      {"query up", "query_up"},
      {"kv up", "kv_up"},
      {"gate", "gate_up"},
      {"up", "gate_up"},
      {"shared gate", "shared_gate_up"},
      {"shared up", "shared_gate_up"},
      {"shared down", "shared_down"},
  }};
  if (tensor.kind == TensorClass::experts)
    return tensor.name == "down" ? "expert_down" : "expert_gate_up";
  for (const auto& [part, joined] : kJoined)
    if (part == tensor.name) return joined;
  if (tensor.kind == TensorClass::router) return "router";
  return tensor.name;
}

/// How a matrix is divided among devices that share a layer.
enum class Division { by_outputs, by_inputs, by_kv_heads, none };

Division division_of(const Tensor& tensor, bool head_replicated) {
  if (tensor.kind == TensorClass::router || tensor.name == "query down" || tensor.name == "kv down")
    return Division::none;
  if (tensor.kind == TensorClass::lm_head)
    return head_replicated ? Division::none : Division::by_outputs;
  if (tensor.name == "key" || tensor.name == "value") return Division::by_kv_heads;
  const bool inward =
      tensor.name == "output" || tensor.name == "down" || tensor.name == "shared down";
  return inward ? Division::by_inputs : Division::by_outputs;
}

}  // namespace

/// Lays out the operations of a model, each tensor going to the operation that multiplies it.
class StepPlan::Builder {
 public:
  Builder(const Architecture& model, StepPlan& plan)
      : model_(model), types_(plan.types_), options_(plan.options_), plan_(plan) {}

  void build() {
    require_division();
    Operation embedding = new_operation(StepClass::embedding, "embedding", {}, 1);
    const double width = as_double(model_.hidden);
    const double look_ups = model_.learned_positions > 0 ? 2 : 1;
    embedding.gathered_byte_per_row = look_ups * width * byte_of(types_.weights.type);
    plan_.operations_.push_back(embedding);
    for (const Tensor& tensor : tensors(model_)) {
      if (tensor.layer_kind && tensor.layer_kind != layer_kind_) begin_layers(*tensor.layer_kind);
      layer_kind_ = tensor.layer_kind;
      take(tensor);
    }
    for (Operation& operation : plan_.operations_) finish(operation);
    take_totals();
  }

 private:
  [[nodiscard]] std::uint64_t devices() const { return options_.tensor_parallel; }
  /// KV heads that one device holds: at least one, so that those beyond their number hold copies.
  [[nodiscard]] std::uint64_t kv_heads(const Attention& a) const {
    return std::max<std::uint64_t>(1, a.kv_heads / devices());
  }

  void require_division() const {
    if (devices() == 0) throw InputError("at least one device is needed");
    for (const LayerKind& kind : model_.layers) {
      if (!kind.layer.attention) continue;
      const Attention& a = *kind.layer.attention;
      const bool shared = a.latent || a.kv_heads % devices() == 0 || devices() % a.kv_heads == 0;
      if (a.query_heads % devices() != 0 || !shared)
        throw InputError(std::to_string(a.query_heads) + " query heads" +
                         (a.latent ? "" : " over " + std::to_string(a.kv_heads) + " KV heads") +
                         " cannot be divided among " + std::to_string(devices()) +
                         " devices; choose a divisor of the query heads" +
                         (a.latent ? "" : " that divides the KV heads or is a multiple of them"));
    }
  }

  Operation new_operation(StepClass kind, std::string_view name,
                          std::optional<std::size_t> layer_kind, std::uint64_t layers) const {
    Operation out;
    out.kind = kind;
    out.name = name;
    out.layer_kind = layer_kind;
    out.launches = as_double(layers);
    out.arithmetic = types_.linear;
    return out;
  }

  /// Norms and the residual stream of the layers of a kind, also where a norm has no weights.
  void begin_layers(std::size_t kind) {
    const LayerKind& layers = model_.layers[kind];
    plan_.operations_.push_back(new_operation(StepClass::norms, "norms", kind, layers.count));
    plan_.operations_.back().launches *= as_double(layers.layer.norms);
  }

  void take(const Tensor& tensor) {
    // Attention stands between the projections and the output.
    if (tensor.use == Use::multiplied && tensor.kind == TensorClass::attention_output)
      plan_.operations_.push_back(attention(tensor));
    switch (tensor.use) {
      case Use::gathered:
        return;
      case Use::added:
        return take_vector(tensor);
      case Use::multiplied:
        return take_matrix(tensor);
    }
  }

  void take_vector(const Tensor& tensor) {
    const double bytes =
        in_bytes(plain_format(types_.weights.type), 1, tensor.columns, tensor.copies);
    if (tensor.kind != TensorClass::norms) {
      plan_.operations_.back().vector_bytes += bytes;
      return;
    }
    auto found = std::find_if(
        plan_.operations_.rbegin(), plan_.operations_.rend(), [&](const Operation& one) {
          return one.kind == StepClass::norms && one.layer_kind == tensor.layer_kind;
        });
    if (found == plan_.operations_.rend()) {
      plan_.operations_.push_back(new_operation(StepClass::norms, tensor.name, {}, 1));
      found = plan_.operations_.rbegin();
    }
    found->vector_bytes += bytes;
  }

  void take_matrix(const Tensor& tensor) {
    const std::string_view name = operation_of(tensor, model_);
    Operation* operation = last_of(name, tensor);
    const bool first = operation == nullptr;
    if (first) {
      plan_.operations_.push_back(
          new_operation(step_class(tensor.kind), name, tensor.layer_kind, tensor.layers));
      operation = &plan_.operations_.back();
    }
    add(*operation, tensor, first);
  }

  Operation* last_of(std::string_view name, const Tensor& tensor) {
    // Behind the products of a layer may stand a vector's operation; no further one.
    for (std::size_t back = 1; back <= std::min<std::size_t>(3, plan_.operations_.size()); ++back) {
      Operation& one = plan_.operations_[plan_.operations_.size() - back];
      if (one.name == name && one.layer_kind == tensor.layer_kind &&
          one.kind == step_class(tensor.kind))
        return &one;
    }
    return nullptr;
  }

  void add(Operation& operation, const Tensor& tensor, bool first) {
    std::uint64_t rows = tensor.rows;
    std::uint64_t columns = tensor.columns;
    switch (division_of(tensor, options_.head_replicated)) {
      case Division::by_outputs:
        rows = ceil_div(rows, devices()).value();
        break;
      case Division::by_inputs:
        columns = ceil_div(columns, devices()).value();
        break;
      case Division::by_kv_heads: {
        const Attention& a = *model_.layers[*tensor.layer_kind].layer.attention;
        rows = rows / a.kv_heads * kv_heads(a);
        break;
      }
      case Division::none:
        break;
    }
    const bool quantised = is_quantised(types_.weights, tensor.kind);
    const WeightFormat plain = plain_format(types_.weights.type);
    operation.weight_bytes +=
        in_bytes(quantised ? *types_.weights.quantised : plain, rows, columns, tensor.copies);
    const double executed = 2 * as_double(rows) * as_double(columns) * as_double(tensor.used);
    const double share = 2 * as_double(tensor.rows) * as_double(tensor.columns) *
                         as_double(tensor.used) / as_double(devices());
    operation.flop_per_row += share;
    operation.repeated_flop_per_row += executed - share;
    operation.d_in = columns;
    operation.d_out += rows;
    // Of matrices that are one product, the widest decides.
    const DType arithmetic = arithmetic_of(tensor.kind, types_);
    if (first || storage_bits(arithmetic) > storage_bits(operation.arithmetic))
      operation.arithmetic = arithmetic;
    // A gate and what it weighs leave the product as one.
    const bool gate = tensor.name == "gate" || tensor.name == "shared gate";
    const double values = (gate ? 0 : as_double(rows)) + (first ? as_double(columns) : 0);
    operation.activation_byte_per_row +=
        values * as_double(tensor.used) * byte_of(types_.activation);
    if (tensor.used != tensor.copies) {
      operation.experts = as_double(tensor.copies / tensor.layers);
      operation.chosen = as_double(tensor.used / tensor.layers);
    }
    if (tensor.kind != TensorClass::lm_head) return;
    operation.on_logits = true;
    operation.arithmetic = types_.head;
    operation.activation_byte_per_row = as_double(columns) * byte_of(types_.activation);
    operation.logits_byte_per_row = as_double(rows) * byte_of(types_.logits);
  }

  Operation attention(const Tensor& output) const {
    const LayerKind& kind = model_.layers[*output.layer_kind];
    const Attention& a = *kind.layer.attention;
    Operation out =
        new_operation(StepClass::attention, "attention", output.layer_kind, output.layers);
    out.arithmetic = types_.activation;
    const double layers = as_double(output.layers);
    const double heads = as_double(a.query_heads / devices());
    const double held = a.latent ? as_double(kv_elements(a).value())
                                 : as_double(kv_heads(a) * (a.qk_dim + a.value_dim));
    AttentionShape shape;
    shape.span = a.span;
    double query = as_double(a.qk_dim);
    double value = as_double(a.value_dim);
    if (a.latent) {
      const double absorbed_query = as_double(a.latent->kv_rank + a.latent->rope_dim);
      const double absorbed_value = as_double(a.latent->kv_rank);
      if (options_.latent == LatentForm::absorbed) {
        query = absorbed_query;
        value = absorbed_value;
      } else {
        shape.repeated_flop_per_cached_token =
            layers * 2 * as_double(a.latent->kv_rank) * heads *
            as_double(a.qk_dim - a.latent->rope_dim + a.value_dim);
        if (options_.latent == LatentForm::cheapest)
          shape.absorbed_flop_per_pair =
              layers * flop_per_pair(heads, absorbed_query, absorbed_value);
      }
    }
    shape.flop_per_pair = layers * flop_per_pair(heads, query, value);
    shape.byte_per_cached_token = layers * held * byte_of(types_.kv);
    out.attention = shape;
    out.kv_written_byte_per_row = shape.byte_per_cached_token;
    out.activation_byte_per_row =
        layers * (heads * (query + value) + held) * byte_of(types_.activation);
    return out;
  }

  /// What depends on how far operations are fused.
  void finish(Operation& operation) const {
    if (options_.fusion == Fusion::products) return;
    operation.activation_byte_per_row = 0;
    if (operation.kind == StepClass::norms && operation.layer_kind)
      operation.activation_byte_per_row = 2 * as_double(model_.hidden) *
                                          as_double(model_.layers[*operation.layer_kind].count) *
                                          byte_of(types_.activation);
  }

  void take_totals() const {
    const Parameters parameters = count_parameters(model_);
    const double n = parameters.active.as_double() - parameters.vision.as_double();
    const double share = 1 / as_double(devices());
    plan_.flop_two_n_ = 2 * n * share;
    plan_.flop_embedding_ = 2 * parameters.input_embedding.as_double() * share;
    for (const LayerKind& kind : model_.layers) {
      if (!kind.layer.attention) continue;
      plan_.flop_palm_pair_ += share * as_double(kind.count) * flop_per_pair(*kind.layer.attention);
    }
    // The rows of the vocabulary are divided, as the head's are.
    if (!model_.tied)
      plan_.beyond_ =
          byte(in_bytes(plain_format(types_.weights.type),
                        ceil_div(model_.vocabulary, devices()).value(), model_.hidden, 1));
    if (model_.learned_positions > 0)
      plan_.beyond_ = plan_.beyond_ + byte(in_bytes(plain_format(types_.weights.type),
                                                    model_.learned_positions, model_.hidden, 1));
    // Each device runs the tower as a whole.
    plan_.resident_ =
        plan_.beyond_ + byte(parameters.vision.as_double() * byte_of(types_.weights.type));
    for (const Operation& operation : plan_.operations_)
      plan_.resident_ = plan_.resident_ + byte(operation.weight_bytes + operation.vector_bytes);
  }

  static double in_bytes(const WeightFormat& format, std::uint64_t rows, std::uint64_t columns,
                         std::uint64_t copies) {
    return matrix_bytes(format, rows, columns, Count{copies}).as_double();
  }

  const Architecture& model_;
  const StepTypes& types_;
  const PlanOptions& options_;
  StepPlan& plan_;
  std::optional<std::size_t> layer_kind_;
};

void StepPlan::lay_out(const Architecture& model) { Builder(model, *this).build(); }

}  // namespace roofline::model
