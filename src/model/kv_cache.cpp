#include "model/kv_cache.hpp"

namespace roofline::model {
namespace {

/// Elements of all layers, each `tokens(span)` long.
template <class Tokens>
Count elements_over_layers(const Architecture& model, const Tokens& tokens) {
  Count out{0};
  for (const LayerKind& kind : model.layers) {
    if (!kind.layer.attention) continue;
    const Attention& attention = *kind.layer.attention;
    out += kv_elements(attention) * Count{kind.count} * Count{tokens(attention.span)};
  }
  return out;
}

}  // namespace

Count kv_elements(const Attention& attention) {
  if (attention.latent) return Count{attention.latent->kv_rank} + Count{attention.latent->rope_dim};
  return Count{attention.kv_heads} * (Count{attention.qk_dim} + Count{attention.value_dim});
}

Count kv_byte_per_token(const Architecture& model, DType type) {
  return kv_bytes_in_full(model, type, 1);
}

Count kv_byte_per_token_beyond_windows(const Architecture& model, DType type) {
  const Count elements = elements_over_layers(model, [](const Span& span) {
    return span.reach == Reach::full ? std::uint64_t{1} : std::uint64_t{0};
  });
  return packed_bytes(elements, storage_bits(type));
}

Count kv_bytes_in_windows(const Architecture& model, DType type, std::uint64_t tokens) {
  const Count elements =
      elements_over_layers(model, [&](const Span& span) { return tokens_in_reach(span, tokens); });
  return packed_bytes(elements, storage_bits(type));
}

Count kv_bytes_in_full(const Architecture& model, DType type, std::uint64_t tokens) {
  const Count elements = elements_over_layers(model, [&](const Span&) { return tokens; });
  return packed_bytes(elements, storage_bits(type));
}

}  // namespace roofline::model
