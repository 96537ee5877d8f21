// Which keys of a config.json mean the same, which change no count, and which sound as if they did.
// Knows keys alone, no values.
#pragma once

#include <array>
#include <string_view>

namespace roofline::model::keys {

inline constexpr std::array<std::string_view, 4> kHidden{"hidden_size", "n_embd", "n_embed",
                                                         "d_model"};
inline constexpr std::array<std::string_view, 4> kLayers{"num_hidden_layers", "n_layer",
                                                         "num_layers", "n_layers"};
inline constexpr std::array<std::string_view, 4> kHeads{"num_attention_heads", "n_head", "n_heads",
                                                        "num_heads"};
inline constexpr std::array<std::string_view, 3> kKvHeads{"num_key_value_heads", "num_kv_heads",
                                                          "n_head_kv"};
inline constexpr std::array<std::string_view, 4> kWidth{"intermediate_size", "n_inner",
                                                        "ffn_hidden_size", "ffn_dim"};
inline constexpr std::array<std::string_view, 1> kVocabulary{"vocab_size"};
inline constexpr std::array<std::string_view, 6> kContext{
    "max_position_embeddings", "n_positions", "n_ctx", "seq_length", "max_seq_len",
    "max_sequence_length"};
inline constexpr std::array<std::string_view, 4> kExperts{"num_local_experts", "num_experts",
                                                          "n_routed_experts", "moe_num_experts"};
inline constexpr std::array<std::string_view, 4> kChosen{
    "num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_topk"};
inline constexpr std::array<std::string_view, 2> kWindow{"sliding_window", "sliding_window_size"};

/// Training, sampling, positions by rotation, tokens, file-keeping: whatever their value, no tensor
/// and no cache changes.
[[nodiscard]] bool changes_no_count(std::string_view key);
/// Whether a key that is not known sounds as if it stated a tensor, a width or a number of parts.
[[nodiscard]] bool may_change_a_count(std::string_view key);

}  // namespace roofline::model::keys
