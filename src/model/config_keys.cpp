#include "model/config_keys.hpp"

#include <algorithm>

namespace roofline::model::keys {
namespace {

constexpr std::string_view kIdle[] = {
    "attn_implementation",
    "num_labels",
    "_attn_implementation_internal",
    "_attn_implementation",
    "_attn_implementation_autoset",
    "_commit_hash",
    "_name_or_path",
    "activation_function",
    "alibi",
    "alibi_bias_max",
    "apply_residual_connection_post_layernorm",
    "architectures",
    "attention_multiplier",
    "attention_sink_size",
    "attention_softmax_in_fp32",
    "attn_logit_softcapping",
    "attn_logit_soft_cap",
    "attn_temperature_tuning",
    "attn_scale",
    "auto_map",
    "aux_loss_alpha",
    "bad_words_ids",
    "begin_suppress_tokens",
    "bias_dropout_fusion",
    "cache_implementation",
    "chat_template",
    "chunk_size_feed_forward",
    "clip_qkv",
    "cross_attention_hidden_size",
    "decoder_start_token_id",
    "diversity_penalty",
    "do_sample",
    "dtype",
    "early_stopping",
    "embedding_multiplier",
    "encoder_no_repeat_ngram_size",
    "ep_size",
    "exponential_decay_length_penalty",
    "final_logit_softcapping",
    "finetuning_task",
    "floor_scale",
    "force_download",
    "fused_rms_norm",
    "hidden_act",
    "hidden_activation",
    "id2label",
    "init_method",
    "initial_context_length",
    "initializer_range",
    "init_std",
    "is_decoder",
    "is_encoder_decoder",
    "is_llama_config",
    "keys_to_ignore_at_inference",
    "label2id",
    "length_penalty",
    "logit_scale",
    "logits_scaling",
    "masked_softmax_fusion",
    "max_length",
    "max_window_layers",
    "min_length",
    "model_type",
    "n_group",
    "no_repeat_ngram_size",
    "no_rope_layer_interval",
    "norm_topk_prob",
    "num_beam_groups",
    "num_beams",
    "num_return_sequences",
    "offset_alibi",
    "original_max_position_embeddings",
    "output_attentions",
    "output_hidden_states",
    "output_router_logits",
    "output_scores",
    "pad_vocab_size_multiple",
    "partial_rotary_factor",
    "prefill_chunk_size",
    "prefix",
    "pretraining_tp",
    "problem_type",
    "pruned_heads",
    "query_pre_attn_scalar",
    "quantization_config",
    "remove_invalid_values",
    "repetition_penalty",
    "resid_mult",
    "residual_multiplier",
    "return_dict",
    "return_dict_in_generate",
    "rescale_every",
    "roofline",
    "rotary",
    "rotary_dim",
    "rotary_emb_base",
    "rotary_pct",
    "routed_scaling_factor",
    "router_aux_loss_coef",
    "router_z_loss_coef",
    "runner_max_sequence_length",
    "scale_attn_by_inverse_layer_idx",
    "scale_attn_weights",
    "scale_attention_softmax_in_fp32",
    "scoring_func",
    "seq_aux",
    "sep_token_id",
    "slow_but_exact",
    "suppress_tokens",
    "task_specific_params",
    "temperature",
    "tf_legacy_loss",
    "tie_encoder_decoder",
    "tie_word_embeddings",
    "tokenizer_class",
    "top_k",
    "top_p",
    "topk_group",
    "topk_method",
    "torch_dtype",
    "torchscript",
    "transformers_version",
    "typical_p",
    "unsloth_fixed",
    "unsloth_version",
    "use_bfloat16",
    "use_cache",
    "use_flash_attn",
    "use_parallel_residual",
    "upcast_softmax",
    "reorder_and_upcast_attn",
    "_flash_attn_2_enabled",
    "gradient_checkpointing",
    "activation_dropout",
    "layerdrop",
    "long_factor",
    "use_mamba_kernels",
};

constexpr std::string_view kIdleEnds[] = {"_token_id", "_token_index",  "_token_ids",
                                          "dropout",   "_dropout_prob", "_pdrop",
                                          "_eps",      "_epsilon"};
constexpr std::string_view kIdleBegins[] = {"rope_", "summary_", "initializer_"};

constexpr std::string_view kTelling[] = {
    "adapter", "altup",  "attention", "attn",    "bias",   "block",        "chunk",  "conv",
    "depth",   "dim",    "embed",     "engram",  "expert", "ffn",          "gate",   "group",
    "head",    "hidden", "hyper",     "index",   "inner",  "intermediate", "kv",     "latent",
    "layer",   "lora",   "mamba",     "memory",  "mixer",  "mlp",          "moe",    "mtp",
    "nextn",   "norm",   "num_",      "pattern", "proj",   "rank",         "router", "shared",
    "size",    "sparse", "ssm",       "state",   "topk",   "vocab",        "width",  "window",
};

template <class List, class Fits>
bool any(const List& list, const Fits& fits) {
  return std::any_of(std::begin(list), std::end(list), fits);
}

}  // namespace

bool changes_no_count(std::string_view key) {
  return any(kIdle, [&](std::string_view idle) { return key == idle; }) ||
         any(kIdleEnds, [&](std::string_view end) { return key.ends_with(end); }) ||
         any(kIdleBegins, [&](std::string_view begin) { return key.starts_with(begin); });
}

bool may_change_a_count(std::string_view key) {
  return key.starts_with("n_") || any(kTelling, [&](std::string_view word) {
           return key.find(word) != std::string_view::npos;
         });
}

}  // namespace roofline::model::keys
