#include "model/architecture.hpp"

#include <algorithm>

namespace roofline::model {

std::uint64_t norm_vectors(NormForm form) {
  switch (form) {
    case NormForm::rms:
    case NormForm::layer_without_bias:
      return 1;
    case NormForm::layer:
      return 2;
    case NormForm::bare:
      break;
  }
  return 0;
}

std::uint64_t layer_count(const Architecture& model) {
  std::uint64_t out = 0;
  for (const LayerKind& kind : model.layers) out += kind.count;
  return out;
}

std::uint64_t attention_layer_count(const Architecture& model) {
  std::uint64_t out = 0;
  for (const LayerKind& kind : model.layers) {
    if (kind.layer.attention) out += kind.count;
  }
  return out;
}

void add_layer(std::vector<LayerKind>& layers, const Layer& layer) {
  const auto same = std::find_if(layers.begin(), layers.end(),
                                 [&](const LayerKind& kind) { return kind.layer == layer; });
  if (same != layers.end()) {
    ++same->count;
  } else {
    layers.push_back({layer, 1});
  }
}

std::string_view attention_name(const Attention& attention) {
  if (attention.latent) return "MLA";
  if (attention.kv_heads == attention.query_heads) return "MHA";
  return attention.kv_heads == 1 ? "MQA" : "GQA";
}

std::string attention_name(const Architecture& model) {
  std::string out;
  for (const LayerKind& kind : model.layers) {
    if (!kind.layer.attention) continue;
    const std::string_view one = attention_name(*kind.layer.attention);
    if (out.find(one) != std::string::npos) continue;
    out.append(out.empty() ? "" : ", ").append(one);
  }
  return out.empty() ? "none" : out;
}

std::string_view name(Reach reach) {
  switch (reach) {
    case Reach::full:
      return "full";
    case Reach::sliding:
      return "sliding";
    case Reach::chunked:
      break;
  }
  return "chunked";
}

std::string_view name(QkNorm norm) {
  switch (norm) {
    case QkNorm::none:
      return "none";
    case QkNorm::per_head:
      return "per_head";
    case QkNorm::full_width:
      break;
  }
  return "full_width";
}

}  // namespace roofline::model
