// A decoder transformer as a value: everything that decides how many weights it has, how many of
// them a token uses, and what its cache holds. Knows no config.json, no family and no hardware.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/stored_weights.hpp"

namespace roofline::model {

/// What one normalisation holds: a scale, a scale and a shift, or nothing.
enum class NormForm { rms, layer, layer_without_bias, bare };
/// Vectors of one normalisation.
[[nodiscard]] std::uint64_t norm_vectors(NormForm form);

/// How far back a token looks. A sliding window holds the last `tokens`; a chunk is of `tokens` and
/// begins anew, so that it holds at most as many.
enum class Reach { full, sliding, chunked };
struct Span {
  Reach reach = Reach::full;
  std::uint64_t tokens = 0;  ///< 0 when full
  friend bool operator==(const Span&, const Span&) = default;
};

/// Of `tokens`, those that the span holds at most: what a layer caches of them, and what it reads.
[[nodiscard]] constexpr std::uint64_t tokens_in_reach(const Span& span, std::uint64_t tokens) {
  return span.reach == Reach::full || tokens < span.tokens ? tokens : span.tokens;
}

/// Normalised queries and keys: a scale for one head, or for all heads side by side.
enum class QkNorm { none, per_head, full_width };

/// Multi-head latent attention: what is cached is one vector of kv_rank + rope_dim.
struct Latent {
  std::uint64_t query_rank = 0;  ///< 0: queries are not compressed
  std::uint64_t kv_rank = 0;
  std::uint64_t rope_dim = 0;
  friend bool operator==(const Latent&, const Latent&) = default;
};

struct Attention {
  std::uint64_t query_heads = 0;
  std::uint64_t kv_heads = 0;   ///< of the cache; under `latent`, heads are made from the latent
  std::uint64_t qk_dim = 0;     ///< of one query or key head, rope part included
  std::uint64_t value_dim = 0;  ///< of one value head
  std::optional<Latent> latent = {};
  Span span = {};
  QkNorm qk_norm = QkNorm::none;
  bool qkv_bias = false;
  bool output_bias = false;
  bool sinks = false;  ///< one learned logit per query head
  friend bool operator==(const Attention&, const Attention&) = default;
};

/// Gated: three matrices (gate, up, down); else two.
struct Mlp {
  std::uint64_t width = 0;
  bool gated = true;
  bool bias = false;
  friend bool operator==(const Mlp&, const Mlp&) = default;
};

struct Experts {
  std::uint64_t routed = 0;
  std::uint64_t chosen = 0;  ///< of the routed ones, per token
  Mlp expert = {};
  std::optional<Mlp> shared = {};  ///< all shared experts as one of their widths together
  bool shared_gate = false;        ///< a logit that weighs the shared experts
  bool router_bias = false;
  bool correction_bias = false;  ///< a term per expert that only the choice sees
  friend bool operator==(const Experts&, const Experts&) = default;
};

using FeedForward = std::variant<std::monostate, Mlp, Experts>;

/// A block that is not there has no normalisation either.
struct Layer {
  std::optional<Attention> attention = {};
  FeedForward feed_forward = {};
  std::uint64_t norms = 2;  ///< of the width of the model
  friend bool operator==(const Layer&, const Layer&) = default;
};

struct LayerKind {
  Layer layer;
  std::uint64_t count = 0;
};

/// A part beside the text model that was recognised and counted.
struct Vision {
  std::uint64_t tower = 0;
  std::uint64_t projector = 0;
};

struct Architecture {
  std::string family;      ///< `Llama`, for people
  std::string model_type;  ///< as the configuration says
  std::uint64_t hidden = 0;
  std::uint64_t vocabulary = 0;
  std::uint64_t learned_positions = 0;   ///< rows of a position table; 0: there is none
  std::optional<std::uint64_t> context;  ///< tokens; nothing when the configuration states none
  NormForm norm = NormForm::rms;
  bool embedding_norm = false;
  bool final_norm = true;
  bool tied = false;  ///< the vocabulary head is the input embedding
  bool head_bias = false;
  std::vector<LayerKind> layers;  ///< equal layers together, in the order of their first
  StoredWeights weights;
  std::optional<Vision> vision = {};
  /// What a reader should know of how this was read; one sentence each, naming its key.
  std::vector<std::string> warnings = {};
};

[[nodiscard]] std::uint64_t layer_count(const Architecture& model);
[[nodiscard]] std::uint64_t attention_layer_count(const Architecture& model);

/// Adds a layer to the kind it equals, or as a new kind.
void add_layer(std::vector<LayerKind>& layers, const Layer& layer);

/// `MHA`, `GQA`, `MQA`, `MLA`.
[[nodiscard]] std::string_view attention_name(const Attention& attention);
/// Of all layers: `GQA`, or `GQA, MQA` where they differ; `none` without attention.
[[nodiscard]] std::string attention_name(const Architecture& model);

[[nodiscard]] std::string_view name(Reach reach);
[[nodiscard]] std::string_view name(QkNorm norm);

}  // namespace roofline::model
