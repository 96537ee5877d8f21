// The table of model families: for each, what its configuration leaves unsaid. A new family is one
// entry of families.cpp. Knows how a rule is stated, not how it is carried out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/architecture.hpp"

namespace roofline::model {

class ConfigNode;

/// The value of a key, or what holds without it; without a key it always holds.
struct Flag {
  std::string_view key = {};
  bool otherwise = false;
};
inline constexpr Flag kNever{"", false};
inline constexpr Flag kAlways{"", true};

/// Which layers have a window, where no `layer_types` says so.
enum class Windows {
  none,
  every_layer,  ///< where `sliding_window` is set
  switched,     ///< `use_sliding_window`, from layer `max_window_layers` on
  even_layers,  ///< layers 0, 2, 4 ...
  all_but_nth,  ///< every period-th layer is full
  chunks,       ///< `attention_chunk_size` on layers with rotary positions
};

enum class ExpertLayers {
  all,
  after_first,  ///< from `first_k_dense_replace` on, every `moe_layer_freq`-th
  sparse_step,  ///< every `decoder_sparse_step`-th but `mlp_only_layers`
  interleaved,  ///< every `interleave_moe_layer_step`-th, or `moe_layers`
};

enum class SharedExperts {
  none,
  times_expert,  ///< `n_shared_experts` of the width of an expert
  own_width,     ///< `shared_expert_intermediate_size`
  one_expert,
};

struct ExpertRule {
  std::string_view width_key = "moe_intermediate_size";
  ExpertLayers layers = ExpertLayers::all;
  SharedExperts shared = SharedExperts::none;
  bool shared_gate = false;
  Flag router_bias = kNever;
  Flag correction_bias = kNever;
  Flag expert_bias = kNever;
};

/// What all layers have in common, before they are laid out one by one.
struct Shapes {
  std::uint64_t hidden = 0;
  std::uint64_t layers = 0;
  Attention attention = {};
  Mlp mlp = {};  ///< of layers without experts
  std::optional<Experts> experts = {};
  std::uint64_t norms = 2;
};

struct Family {
  std::string_view name;  ///< for people
  std::array<std::string_view, 5> model_types;
  NormForm norm = NormForm::rms;
  std::uint64_t norms = 2;  ///< per layer
  bool gated = true;
  /// Of the MLP of layers without experts, where it has a key of its own beside
  /// `intermediate_size`.
  std::string_view dense_width_key = {};
  std::uint64_t width_over_hidden = 0;  ///< of the MLP, where no key states it; 0: it must be
  std::uint64_t head_dim = 0;           ///< where no key states it; 0: hidden / heads
  bool tied = false;                    ///< where `tie_word_embeddings` is not there
  Flag qkv_bias = kNever;
  Flag output_bias = kNever;
  Flag mlp_bias = kNever;
  Flag head_bias = kNever;
  QkNorm qk_norm = QkNorm::none;
  Flag has_qk_norm = kAlways;
  bool sinks = false;
  bool latent = false;
  bool learned_positions = false;
  std::uint64_t position_offset = 0;  ///< rows of the position table beside the context
  bool embedding_norm = false;
  Windows windows = Windows::none;
  std::string_view window_period_key = {};
  std::uint64_t window_period = 0;
  std::uint64_t window_tokens = 0;  ///< where no key states it
  std::optional<ExpertRule> experts = std::nullopt;
  /// For what the fields above cannot say. `shape` mends what all layers have in common, and the
  /// model; `build` lays out the layers where they are stated one by one.
  void (*shape)(const ConfigNode& config, Shapes& shapes, Architecture& model) = nullptr;
  std::vector<Layer> (*build)(const ConfigNode& config, const Shapes& shapes) = nullptr;
  /// Keys that this family has and that change no count, beside those that none does.
  std::array<std::string_view, 8> idle_keys = {};
};

[[nodiscard]] std::span<const Family> families();
/// Nothing when no family answers to it.
[[nodiscard]] const Family* find_family(std::string_view model_type);
/// Why a known model type is not counted; empty when it is not known.
[[nodiscard]] std::string_view why_not_modelled(std::string_view model_type);

}  // namespace roofline::model
