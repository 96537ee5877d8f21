#include "model/layer_plan.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "model/config_keys.hpp"

namespace roofline::model {
namespace {

std::uint64_t step(const ConfigNode& config, std::string_view key) {
  const std::uint64_t out = config.size(key).value_or(1);
  if (out == 0) config.refuse(key, "must be a whole number above 0, but is 0");
  return out;
}

/// Which layers have experts.
class ExpertPlan {
 public:
  ExpertPlan(const ConfigNode& config, ExpertLayers rule) : rule_(rule) {
    switch (rule) {
      case ExpertLayers::all:
        break;
      case ExpertLayers::after_first:
        first_ = config.size("first_k_dense_replace").value_or(0);
        every_ = step(config, "moe_layer_freq");
        break;
      case ExpertLayers::sparse_step:
        every_ = step(config, "decoder_sparse_step");
        read_list(config, "mlp_only_layers");
        break;
      case ExpertLayers::interleaved:
        every_ = step(config, "interleave_moe_layer_step");
        read_list(config, "moe_layers");
        break;
    }
  }

  [[nodiscard]] bool has(std::uint64_t index) const {
    switch (rule_) {
      case ExpertLayers::all:
        break;
      case ExpertLayers::after_first:
        return index >= first_ && index % every_ == 0;
      case ExpertLayers::sparse_step:
        return !listed(index) && (index + 1) % every_ == 0;
      case ExpertLayers::interleaved:
        return list_.empty() ? (index + 1) % every_ == 0 : listed(index);
    }
    return true;
  }

 private:
  void read_list(const ConfigNode& config, std::string_view key) {
    if (auto list = config.sizes(key)) list_ = std::move(*list);
    std::sort(list_.begin(), list_.end());
  }
  [[nodiscard]] bool listed(std::uint64_t index) const {
    return std::binary_search(list_.begin(), list_.end(), index);
  }

  ExpertLayers rule_;
  std::uint64_t first_ = 0;
  std::uint64_t every_ = 1;
  std::vector<std::uint64_t> list_;
};

/// The span of each layer.
class Spans {
 public:
  Spans(const ConfigNode& config, const Family& family, std::uint64_t layers,
        std::optional<std::uint64_t> context)
      : config_(config), family_(family), context_(context) {
    types_ = config.texts("layer_types");
    // A family without windows has no business with their keys.
    if (!types_ && family.windows == Windows::none) return;
    window_ = config.size(keys::kWindow).value_or(family.window_tokens);
    if (const auto switched = config.flag("use_sliding_window")) on_ = *switched;
    if (family.windows == Windows::switched) from_ = config.size("max_window_layers").value_or(28);
    if (types_ && types_->size() != layers)
      config.refuse("layer_types", "has " + std::to_string(types_->size()) + " entries for " +
                                       std::to_string(layers) + " layers; it must have one each");
    if (family.windows == Windows::chunks) {
      chunk_ = config.size("attention_chunk_size").value_or(0);
      rotary_ = config.sizes("no_rope_layers").value_or(std::vector<std::uint64_t>{});
      if (!rotary_.empty() && rotary_.size() != layers)
        config.refuse("no_rope_layers", "has " + std::to_string(rotary_.size()) + " entries for " +
                                            std::to_string(layers) +
                                            " layers; it must have one each");
    }
    period_ = period();
  }

  [[nodiscard]] Span of(std::uint64_t index) const {
    const Span span = types_ ? stated(index) : ruled(index);
    // A window that holds the whole context never bites.
    if (span.reach != Reach::full && context_ && span.tokens >= *context_) return {};
    return span;
  }

 private:
  [[nodiscard]] std::uint64_t period() const {
    std::uint64_t out = family_.window_period;
    if (family_.window_period_key.empty()) return out;
    const std::string hidden = "_" + std::string(family_.window_period_key);
    for (const std::string_view key : {family_.window_period_key, std::string_view(hidden)}) {
      if (const auto stated = config_.size(key)) out = *stated;
    }
    if (out == 0)
      config_.refuse(family_.window_period_key, "must be a whole number above 0, but is 0");
    return out;
  }

  [[nodiscard]] Span stated(std::uint64_t index) const {
    const std::string& type = (*types_)[index];
    if (type == "full_attention") return {};
    const bool chunked = type == "chunked_attention";
    if (!chunked && type != "sliding_attention")
      config_.refuse("layer_types", "has '" + type.substr(0, 60) +
                                        "', which is not modelled; known are "
                                        "full_attention, sliding_attention and chunked_attention");
    const std::uint64_t tokens = chunked ? chunk_ : window_;
    if (tokens == 0)
      config_.refuse("layer_types", "has '" + type + "', but '" +
                                        (chunked ? "attention_chunk_size" : "sliding_window") +
                                        "' is missing, null or 0; state it");
    return {chunked ? Reach::chunked : Reach::sliding, tokens};
  }

  [[nodiscard]] Span ruled(std::uint64_t index) const {
    const Span window{Reach::sliding, window_};
    const bool windows = window_ > 0 && on_.value_or(true);
    switch (family_.windows) {
      case Windows::none:
        break;
      case Windows::every_layer:
        return windows ? window : Span{};
      case Windows::switched:
        return window_ > 0 && on_.value_or(false) && index >= from_ ? window : Span{};
      case Windows::even_layers:
        return windows && index % 2 == 0 ? window : Span{};
      case Windows::all_but_nth:
        return windows && (index + 1) % period_ != 0 ? window : Span{};
      case Windows::chunks: {
        const bool rotary = rotary_.empty() ? (index + 1) % 4 != 0 : rotary_[index] != 0;
        return chunk_ > 0 && rotary ? Span{Reach::chunked, chunk_} : Span{};
      }
    }
    return {};
  }

  const ConfigNode& config_;
  const Family& family_;
  std::optional<std::uint64_t> context_;
  std::uint64_t window_ = 0;
  std::uint64_t chunk_ = 0;
  std::uint64_t from_ = 0;
  std::uint64_t period_ = 1;
  std::optional<bool> on_;
  std::optional<std::vector<std::string>> types_;
  std::vector<std::uint64_t> rotary_;
};

void require_width(const ConfigNode& config, const Family& family, const Mlp& mlp) {
  if (mlp.width > 0) return;
  const bool own = !family.dense_width_key.empty();
  config.refuse(
      own ? family.dense_width_key : keys::kWidth.front(),
      "is missing, null or 0, but some layers have an MLP without experts; state its width");
}

}  // namespace

std::vector<LayerKind> plan_layers(const ConfigNode& config, const Family& family,
                                   const Shapes& shapes, std::optional<std::uint64_t> context) {
  std::vector<LayerKind> out;
  if (family.build != nullptr) {
    for (const Layer& layer : family.build(config, shapes)) add_layer(out, layer);
    return out;
  }
  const Spans spans(config, family, shapes.layers, context);
  std::optional<ExpertPlan> experts;
  if (shapes.experts) experts.emplace(config, family.experts->layers);
  for (std::uint64_t index = 0; index < shapes.layers; ++index) {
    Layer layer{.attention = shapes.attention, .feed_forward = {}, .norms = shapes.norms};
    layer.attention->span = spans.of(index);
    if (experts && experts->has(index)) {
      layer.feed_forward = *shapes.experts;
    } else {
      require_width(config, family, shapes.mlp);
      layer.feed_forward = shapes.mlp;
    }
    add_layer(out, layer);
  }
  return out;
}

}  // namespace roofline::model
