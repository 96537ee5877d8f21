#include "model/tensors.hpp"

#include <utility>

#include "roofline/overloaded.hpp"

namespace roofline::model {
namespace {

using enum TensorClass;

/// A product of small factors; Count refuses what leaves 64 bits.
std::uint64_t times(std::uint64_t a, std::uint64_t b) { return (Count{a} * Count{b}).value(); }

/// The names of the matrices of a feed-forward part, and of their biases.
struct Names {
  std::string_view gate, up, down, gate_bias, up_bias, down_bias;
};
constexpr Names kPlain{"gate", "up", "down", "gate bias", "up bias", "down bias"};
constexpr Names kShared{"shared gate",      "shared up",      "shared down",
                        "shared gate bias", "shared up bias", "shared down bias"};

class Inventory {
 public:
  explicit Inventory(const Architecture& model) : model_(model) {}

  std::vector<Tensor> take() {
    const std::uint64_t width = model_.hidden;
    // Tied, the one matrix is multiplied as the head: it is listed there.
    if (!model_.tied)
      out_.push_back({embedding, "embedding", Use::gathered, model_.vocabulary, width});
    if (model_.learned_positions > 0)
      out_.push_back({positions, "positions", Use::gathered, model_.learned_positions, width});
    if (model_.embedding_norm) norm("embedding norm", 1);
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      layer_kind_ = i;
      layer(model_.layers[i]);
    }
    repeat_ = 1;
    layer_kind_.reset();
    if (model_.final_norm) norm("final norm", 1);
    matrix(lm_head, "lm_head", model_.vocabulary, width);
    if (model_.head_bias) vector(lm_head, "lm_head bias", model_.vocabulary);
    return std::move(out_);
  }

 private:
  void matrix(TensorClass kind, std::string_view name, std::uint64_t rows, std::uint64_t columns) {
    out_.push_back({kind, name, Use::multiplied, rows, columns, times(repeat_, each_),
                    times(repeat_, each_used_), repeat_, layer_kind_});
  }
  void vector(TensorClass kind, std::string_view name, std::uint64_t length) {
    out_.push_back({kind, name, Use::added, 1, length, times(repeat_, each_),
                    times(repeat_, each_used_), repeat_, layer_kind_});
  }
  void norm(std::string_view name, std::uint64_t sites) {
    const std::uint64_t vectors = times(sites, norm_vectors(model_.norm));
    if (vectors > 0) vector(norms, name, times(vectors, model_.hidden));
  }

  void layer(const LayerKind& kind) {
    repeat_ = kind.count;
    if (kind.layer.attention) attention(*kind.layer.attention);
    std::visit(
        Overloaded{[](std::monostate) {}, [&](const Mlp& part) { feed_forward(mlp, part, kPlain); },
                   [&](const Experts& part) { mixture(part); }},
        kind.layer.feed_forward);
    norm("layer norms", kind.layer.norms);
  }

  void attention(const Attention& a) {
    const std::uint64_t value_width = times(a.query_heads, a.value_dim);
    if (a.latent) {
      latent(a, *a.latent);
    } else {
      projections(a);
    }
    if (a.sinks) vector(qkv, "sinks", a.query_heads);
    matrix(attention_output, "output", model_.hidden, value_width);
    if (a.output_bias) vector(attention_output, "output bias", model_.hidden);
  }

  void projections(const Attention& a) {
    const std::uint64_t width = model_.hidden;
    const std::uint64_t query = times(a.query_heads, a.qk_dim);
    const std::uint64_t key = times(a.kv_heads, a.qk_dim);
    const std::uint64_t value = times(a.kv_heads, a.value_dim);
    matrix(qkv, "query", query, width);
    matrix(qkv, "key", key, width);
    matrix(qkv, "value", value, width);
    if (a.qkv_bias) {
      vector(qkv, "query bias", query);
      vector(qkv, "key bias", key);
      vector(qkv, "value bias", value);
    }
    if (a.qk_norm == QkNorm::none) return;
    const bool whole = a.qk_norm == QkNorm::full_width;
    vector(norms, "query norm", whole ? query : a.qk_dim);
    vector(norms, "key norm", whole ? key : a.qk_dim);
  }

  void latent(const Attention& a, const Latent& l) {
    const std::uint64_t width = model_.hidden;
    const std::uint64_t query = times(a.query_heads, a.qk_dim);
    if (l.query_rank > 0) {
      matrix(qkv, "query down", l.query_rank, width);
      if (a.qkv_bias) vector(qkv, "query down bias", l.query_rank);
      vector(norms, "query latent norm", l.query_rank);
      matrix(qkv, "query up", query, l.query_rank);
    } else {
      matrix(qkv, "query", query, width);
    }
    matrix(qkv, "kv down", l.kv_rank + l.rope_dim, width);
    if (a.qkv_bias) vector(qkv, "kv down bias", l.kv_rank + l.rope_dim);
    vector(norms, "kv latent norm", l.kv_rank);
    matrix(qkv, "kv up", times(a.query_heads, a.qk_dim - l.rope_dim + a.value_dim), l.kv_rank);
  }

  void feed_forward(TensorClass kind, const Mlp& part, const Names& names) {
    const std::uint64_t width = model_.hidden;
    if (part.gated) {
      matrix(kind, names.gate, part.width, width);
      if (part.bias) vector(kind, names.gate_bias, part.width);
    }
    matrix(kind, names.up, part.width, width);
    if (part.bias) vector(kind, names.up_bias, part.width);
    matrix(kind, names.down, width, part.width);
    if (part.bias) vector(kind, names.down_bias, width);
  }

  void mixture(const Experts& part) {
    matrix(router, "router", part.routed, model_.hidden);
    if (part.router_bias) vector(router, "router bias", part.routed);
    if (part.correction_bias) vector(router, "correction bias", part.routed);
    each_ = part.routed;
    each_used_ = part.chosen;
    feed_forward(experts, part.expert, kPlain);
    each_ = each_used_ = 1;
    if (!part.shared) return;
    feed_forward(shared_experts, *part.shared, kShared);
    if (part.shared_gate) matrix(router, "shared gate logit", 1, model_.hidden);
  }

  const Architecture& model_;
  std::vector<Tensor> out_;
  std::uint64_t repeat_ = 1;
  std::uint64_t each_ = 1;
  std::uint64_t each_used_ = 1;
  std::optional<std::size_t> layer_kind_;
};

}  // namespace

Count elements(const Tensor& tensor) {
  return Count{tensor.rows} * Count{tensor.columns} * Count{tensor.copies};
}

Count used_elements(const Tensor& tensor) {
  return Count{tensor.rows} * Count{tensor.columns} * Count{tensor.used};
}

std::vector<Tensor> tensors(const Architecture& model) { return Inventory(model).take(); }

}  // namespace roofline::model
