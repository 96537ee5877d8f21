#include "model/config_reader.hpp"

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "model/config_family.hpp"
#include "model/config_keys.hpp"
#include "model/config_node.hpp"
#include "model/config_unread.hpp"
#include "model/family.hpp"
#include "model/layer_plan.hpp"
#include "model/quantization.hpp"
#include "model/vision.hpp"
#include "roofline/error.hpp"
#include "roofline/printable.hpp"

namespace roofline::model {
namespace {

/// More than any model has, and few enough to be laid out one by one.
constexpr std::uint64_t kMostLayers = 65'536;

class Reader {
 public:
  Reader(const ConfigNode& root, const std::optional<ConfigNode>& nested)
      : root_(root), config_(nested ? *nested : root), nested_(nested.has_value()) {}

  Architecture read() {
    const ChosenFamily chosen = choose_family(root_, config_);
    require_language_model(root_);
    family_ = chosen.family;
    model_.model_type = chosen.model_type;
    model_.family = family_->name;
    model_.norm = family_->norm;
    model_.hidden = config_.needed_size(keys::kHidden);
    model_.vocabulary = config_.needed_size(keys::kVocabulary);
    read_context();
    Shapes shapes = read_shapes();
    read_embeddings();
    if (family_->shape != nullptr) family_->shape(config_, shapes, model_);
    check_heads(shapes.attention);
    model_.layers = plan_layers(config_, *family_, shapes, model_.context);
    read_weights();
    read_other_parts();
    note_what_is_left_out();
    judge_unread(config_, *family_, model_.warnings);
    return std::move(model_);
  }

 private:
  // ---- sizes ----

  void read_context() {
    for (const std::string_view key : keys::kContext) {
      const auto tokens = config_.size(key);
      if (tokens && *tokens > 0 && !model_.context) model_.context = tokens;
    }
  }

  [[nodiscard]] bool holds(const Flag& flag) const {
    return flag.key.empty() ? flag.otherwise : config_.flag(flag.key).value_or(flag.otherwise);
  }

  Shapes read_shapes() {
    Shapes out{.hidden = model_.hidden,
               .layers = config_.needed_size(keys::kLayers),
               .norms = family_->norms};
    if (out.layers > kMostLayers)
      config_.refuse(keys::kLayers.front(), "is " + std::to_string(out.layers) +
                                                "; no model has more than " +
                                                std::to_string(kMostLayers) + " layers");
    out.attention = read_attention();
    out.mlp = {.width = dense_width(), .gated = family_->gated, .bias = holds(family_->mlp_bias)};
    if (family_->experts) out.experts = read_experts(*family_->experts);
    return out;
  }

  [[nodiscard]] std::uint64_t dense_width() const {
    if (!family_->dense_width_key.empty())
      return config_.size(family_->dense_width_key).value_or(0);
    const Count otherwise = Count{family_->width_over_hidden} * Count{model_.hidden};
    return config_.size(keys::kWidth).value_or(otherwise.value());
  }

  Attention read_attention() {
    Attention out;
    out.query_heads = config_.needed_size(keys::kHeads);
    // Older files have no groups and state none.
    out.kv_heads = config_.size(keys::kKvHeads).value_or(out.query_heads);
    if (family_->latent) {
      read_latent(out);
    } else {
      out.qk_dim = out.value_dim = head_dim(out.query_heads);
    }
    out.qkv_bias = holds(family_->qkv_bias);
    out.output_bias = holds(family_->output_bias);
    if (family_->qk_norm != QkNorm::none && holds(family_->has_qk_norm))
      out.qk_norm = family_->qk_norm;
    out.sinks = family_->sinks;
    return out;
  }

  [[nodiscard]] std::uint64_t head_dim(std::uint64_t heads) const {
    const auto stated = config_.size("head_dim");
    if (stated && *stated == 0)
      config_.refuse("head_dim", "must be a whole number above 0, but is 0");
    if (stated) return *stated;
    if (family_->head_dim > 0) return family_->head_dim;
    if (model_.hidden % heads != 0)
      config_.refuse(keys::kHidden.front(), "is " + std::to_string(model_.hidden) + ", which '" +
                                                config_.path_of(keys::kHeads.front()) + "', " +
                                                std::to_string(heads) +
                                                ", does not divide; state 'head_dim'");
    return model_.hidden / heads;
  }

  void read_latent(Attention& out) {
    const auto needed = [&](std::string_view key) {
      const auto value = config_.size(key);
      if (!value || *value == 0)
        config_.refuse(key,
                       "is missing, null or 0: an unsupported attention variant; latent "
                       "attention needs kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim and "
                       "v_head_dim");
      return *value;
    };
    Latent latent{.query_rank = config_.size("q_lora_rank").value_or(0),
                  .kv_rank = needed("kv_lora_rank"),
                  .rope_dim = needed("qk_rope_head_dim")};
    out.qk_dim = needed("qk_nope_head_dim") + latent.rope_dim;
    out.value_dim = needed("v_head_dim");
    out.latent = latent;
    for (const char* derived : {"head_dim", "qk_head_dim"}) config_.pass(derived);
  }

  void check_heads(const Attention& attention) const {
    if (attention.kv_heads == 0 || attention.query_heads % attention.kv_heads != 0)
      config_.refuse(keys::kKvHeads.front(),
                     "is " + std::to_string(attention.kv_heads) + ", which does not divide the " +
                         std::to_string(attention.query_heads) + " query heads of '" +
                         config_.path_of(keys::kHeads.front()) + "'");
  }

  std::optional<Experts> read_experts(const ExpertRule& rule) {
    const std::uint64_t routed = config_.needed_size(keys::kExperts);
    const std::uint64_t chosen = config_.needed_size(keys::kChosen);
    if (chosen > routed)
      config_.refuse(keys::kChosen.front(), "is " + std::to_string(chosen) + ", more than the " +
                                                std::to_string(routed) + " experts there are");
    const Mlp expert{.width = config_.needed_size(std::array{rule.width_key}),
                     .gated = family_->gated,
                     .bias = holds(rule.expert_bias)};
    Experts out{.routed = routed,
                .chosen = chosen,
                .expert = expert,
                .shared_gate = rule.shared_gate,
                .router_bias = holds(rule.router_bias),
                .correction_bias = holds(rule.correction_bias)};
    if (const std::uint64_t width = shared_width(rule, expert.width); width > 0) {
      out.shared = expert;
      out.shared->width = width;
    }
    return out;
  }

  [[nodiscard]] std::uint64_t shared_width(const ExpertRule& rule, std::uint64_t expert) const {
    switch (rule.shared) {
      case SharedExperts::none:
        break;
      case SharedExperts::times_expert:
        return (Count{config_.size("n_shared_experts").value_or(0)} * Count{expert}).value();
      case SharedExperts::own_width:
        return config_.needed_size(
            std::array<std::string_view, 1>{"shared_expert_intermediate_size"});
      case SharedExperts::one_expert:
        return expert;
    }
    return 0;
  }

  void read_embeddings() {
    const auto inner = config_.flag("tie_word_embeddings");
    const auto outer = nested_ ? root_.flag("tie_word_embeddings") : std::nullopt;
    model_.tied = inner ? *inner : outer.value_or(family_->tied);
    model_.head_bias = holds(family_->head_bias);
    model_.embedding_norm = family_->embedding_norm;
    if (!family_->learned_positions) return;
    if (!model_.context)
      config_.refuse(keys::kContext.front(),
                     "is missing or null, but the positions of this family are learned; state it");
    model_.learned_positions = *model_.context + family_->position_offset;
  }

  // ---- how it is stored ----

  void read_weights() {
    read_type();
    bool found = false;
    for (const ConfigNode* place : {&config_, &root_}) {
      for (const char* key : {"quantization_config", "compression_config"}) {
        const auto quantization = place->object(key);
        if (found || !quantization || quantization->keys().empty()) continue;
        read_quantization(*quantization, model_.weights, model_.warnings);
        found = true;
      }
    }
  }

  void read_type() {
    for (const ConfigNode* place : {&config_, &root_}) {
      for (const char* key : {"dtype", "torch_dtype"}) {
        auto text = place->text(key);
        if (!text) continue;
        if (text->starts_with("torch.")) text->erase(0, 6);
        const auto type = find_dtype(*text);
        if (!type)
          place->refuse(key, "is " + in_quotes(*text) +
                                 ", which is no type of weights; known are "
                                 "bfloat16, float16, float32 and the like");
        model_.weights.type = *type;
        return;
      }
    }
    model_.weights.type_stated = false;
    model_.warnings.emplace_back(
        "neither 'dtype' nor 'torch_dtype' is there; weights are taken to be bf16, 2 bytes each");
  }

  // ---- what stands beside ----

  void read_other_parts() {
    if (!nested_) return;
    bool other = false;
    for (const std::string& key : root_.keys()) {
      if (!key.ends_with("_config") || key == "text_config" || key == "quantization_config" ||
          key == "compression_config")
        continue;
      if (!root_.has(key)) continue;
      other = true;
      const auto part = root_.object(key);
      if (key == "vision_config")
        model_.vision = count_vision(*part, root_.text("model_type").value_or(""), model_.hidden);
      if (key != "vision_config" || !model_.vision)
        model_.warnings.push_back("the part that " + in_quotes(key) +
                                  " describes is left out of all counts");
    }
    if (!other)
      model_.warnings.emplace_back(
          "only the text model is stated, and counted; what stands beside it is not in this file");
  }

  void note_what_is_left_out() {
    std::uint64_t extra = 0;
    for (const char* key : {"num_nextn_predict_layers", "num_mtp_modules"})
      extra = std::max(extra, config_.size(key).value_or(0));
    for (const char* key : {"use_mtp", "mtp_transformer_layers"}) config_.pass(key);
    if (extra > 0)
      model_.warnings.push_back("the layers that predict further tokens (" + std::to_string(extra) +
                                ") are left out of all counts");
  }

  const ConfigNode& root_;
  const ConfigNode& config_;
  bool nested_;
  const Family* family_ = nullptr;
  Architecture model_;
};

}  // namespace

Architecture read_config(std::string_view text, std::string_view file) {
  const nlohmann::json document = parse_config(text, file);
  const ConfigNode root(document, "", file);
  const std::optional<ConfigNode> nested = root.object("text_config");
  try {
    return Reader(root, nested).read();
  } catch (const InputError& error) {
    // An overflow of a count knows no file.
    const std::string_view sentence = error.what();
    if (sentence.starts_with(printable(file, '?'))) throw;
    throw InputError(printable(file, '?') + ": " + std::string(sentence));
  }
}

}  // namespace roofline::model
