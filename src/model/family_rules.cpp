#include "model/family_rules.hpp"

#include <cmath>
#include <string>

#include "model/config_node.hpp"

namespace roofline::model::rules {

void noaux_correction(const ConfigNode& config, Shapes& shapes, Architecture&) {
  const auto method = config.text("topk_method");
  if (method && shapes.experts) shapes.experts->correction_bias = *method == "noaux_tc";
}

void minimax(const ConfigNode& config, Shapes&, Architecture&) {
  if (config.size("shared_intermediate_size").value_or(0) > 0)
    config.refuse("shared_intermediate_size",
                  "is not 0, and how such shared experts are built is not known; set it to 0 where "
                  "the model has none");
  for (const std::uint64_t kind :
       config.sizes("attn_type_list").value_or(std::vector<std::uint64_t>{})) {
    if (kind != 1)
      config.refuse("attn_type_list",
                    "has layers of linear attention, which is not modelled; known is 1, attention");
  }
  // Left from a predecessor with linear attention and dense layers.
  for (const char* idle : {"layernorm_full_attention_beta", "layernorm_linear_attention_beta",
                           "layernorm_mlp_beta", "mlp_intermediate_size", "shared_moe_mode",
                           "router_jitter_noise", "swa_rope_theta", "max_model_len"})
    config.pass(idle);
  const auto type = config.text("qk_norm_type");
  if (type && *type != "per_layer")
    config.refuse("qk_norm_type", "is '" + *type + "'; known is per_layer");
}

void falcon(const ConfigNode& config, Shapes& shapes, Architecture&) {
  const bool grouped = config.flag("new_decoder_architecture").value_or(false);
  const bool single = config.flag("multi_query").value_or(true);
  const bool parallel = config.flag("parallel_attn").value_or(true);
  // The number of KV heads that a first-generation file states is that of its queries.
  if (!grouped) shapes.attention.kv_heads = single ? 1 : shapes.attention.query_heads;
  const std::uint64_t norms = config.size("num_ln_in_parallel_attn").value_or(grouped ? 2 : 1);
  if (norms != 1 && norms != 2)
    config.refuse("num_ln_in_parallel_attn", "is " + std::to_string(norms) + "; known are 1 and 2");
  shapes.norms = parallel || grouped ? norms : 2;
}

void multi_query(const ConfigNode& config, Shapes& shapes, Architecture&) {
  if (config.flag("multi_query").value_or(true)) shapes.attention.kv_heads = 1;
}

void opt(const ConfigNode& config, Shapes& shapes, Architecture& model) {
  const std::uint64_t width = config.size("word_embed_proj_dim").value_or(shapes.hidden);
  if (width != shapes.hidden)
    config.refuse("word_embed_proj_dim", "is " + std::to_string(width) + ", not the hidden size " +
                                             std::to_string(shapes.hidden) +
                                             "; embeddings that are projected are not modelled");
  if (!config.flag("layer_norm_elementwise_affine").value_or(true)) model.norm = NormForm::bare;
  const bool before = config.flag("do_layer_norm_before").value_or(true);
  model.final_norm = before && !config.flag("_remove_final_layer_norm").value_or(false);
}

void starcoder2(const ConfigNode& config, Shapes&, Architecture& model) {
  const std::string mlp = config.text("mlp_type").value_or("default");
  if (mlp != "default")
    config.refuse("mlp_type", "is '" + mlp + "'; known is default, of two matrices");
  const std::string norm = config.text("norm_type").value_or("layer_norm");
  if (norm == "rms_norm") {
    model.norm = NormForm::rms;
  } else if (norm != "layer_norm") {
    config.refuse("norm_type", "is '" + norm + "'; known are layer_norm and rms_norm");
  }
}

void stablelm(const ConfigNode& config, Shapes& shapes, Architecture&) {
  if (config.flag("use_parallel_residual").value_or(false)) shapes.norms = 1;
}

namespace {

void refuse_unknown(const ConfigNode& block) {
  for (const std::string& key : block.unread())
    block.refuse(key,
                 "is not known in a block and may change the count; remove it where it does "
                 "not");
}

/// A linear layer in place of a block has a shape that the configuration does not state.
bool absent(const ConfigNode& block) {
  if (block.flag("replace_with_linear").value_or(false))
    block.refuse("replace_with_linear",
                 "is true, and blocks that are replaced by a linear layer are not modelled");
  return block.flag("no_op").value_or(false);
}

std::optional<Attention> attention_of(const ConfigNode& block, const Shapes& shapes) {
  for (const char* idle :
       {"unshifted_sink", "use_prefill_window_in_sink_attention", "num_sink_tokens"})
    block.pass(idle);
  if (absent(block)) return std::nullopt;
  const auto group = block.size("n_heads_in_group");
  if (!group || *group == 0 || shapes.attention.query_heads % *group != 0)
    block.refuse("n_heads_in_group", "must be a divisor of num_attention_heads, " +
                                         std::to_string(shapes.attention.query_heads) +
                                         ", where the block has attention");
  Attention out = shapes.attention;
  out.kv_heads = out.query_heads / *group;
  if (const auto window = block.size("window_length"); window && *window > 0)
    out.span = {Reach::sliding, *window};
  refuse_unknown(block);
  return out;
}

FeedForward feed_forward_of(const ConfigNode& block, const Shapes& shapes) {
  if (absent(block)) return std::monostate{};
  Mlp out = shapes.mlp;
  if (const auto width = block.size("intermediate_size")) {
    out.width = *width;
  } else {
    const double factor = block.number("ffn_mult").value_or(0);
    if (!(factor > 0 && factor < 1000))
      block.refuse("ffn_mult",
                   "must be a number above 0 and below 1000 where the block has an MLP");
    // Two thirds of it, since there are three matrices, up to whole 256ths.
    const auto exact =
        static_cast<std::uint64_t>(2 * factor * static_cast<double>(shapes.hidden) / 3);
    out.width = ceil_div(Count{exact}, Count{256}).value() * 256;
  }
  refuse_unknown(block);
  return out;
}

}  // namespace

std::vector<Layer> nemotron_layers(const ConfigNode& config, const Shapes& shapes) {
  const std::vector<ConfigNode> blocks = config.objects("block_configs");
  if (blocks.size() != shapes.layers)
    config.refuse("block_configs", "has " + std::to_string(blocks.size()) + " entries for " +
                                       std::to_string(shapes.layers) +
                                       " layers; it must have one each");
  std::vector<Layer> out;
  for (const ConfigNode& block : blocks) {
    const auto attention = block.object("attention");
    const auto feed_forward = block.object("ffn");
    if (!attention || !feed_forward)
      block.refuse("must have 'attention' and 'ffn'; one that is left out says no_op");
    Layer layer{.attention = attention_of(*attention, shapes),
                .feed_forward = feed_forward_of(*feed_forward, shapes),
                .norms = 0};
    if (layer.attention) ++layer.norms;
    if (!std::holds_alternative<std::monostate>(layer.feed_forward)) ++layer.norms;
    refuse_unknown(block);
    out.push_back(layer);
  }
  return out;
}

}  // namespace roofline::model::rules
