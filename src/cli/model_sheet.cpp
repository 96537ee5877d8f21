#include "cli/model_sheet.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "model/kv_cache.hpp"
#include "model/tensors.hpp"
#include "report/format.hpp"
#include "report/grid.hpp"
#include "report/json_null.hpp"
#include "roofline/overloaded.hpp"
#include "roofline/printable.hpp"

namespace roofline::cli {
namespace {

using model::Architecture;
using nlohmann::ordered_json;
using report::format_exact;

// ---- JSON ----

ordered_json attention_json(const model::Attention& a) {
  ordered_json out;
  out["kind"] = model::attention_name(a);
  out["query_heads"] = a.query_heads;
  out["kv_heads"] = a.latent ? ordered_json(nullptr) : ordered_json(a.kv_heads);
  out["qk_dim"] = a.qk_dim;
  out["value_dim"] = a.value_dim;
  out["latent"] = nullptr;
  if (a.latent)
    out["latent"] = {{"query_rank", a.latent->query_rank == 0 ? ordered_json(nullptr)
                                                              : ordered_json(a.latent->query_rank)},
                     {"kv_rank", a.latent->kv_rank},
                     {"rope_dim", a.latent->rope_dim}};
  out["reach"] = model::name(a.span.reach);
  out["window_tokens"] =
      a.span.reach == model::Reach::full ? ordered_json(nullptr) : ordered_json(a.span.tokens);
  out["qk_norm"] = model::name(a.qk_norm);
  out["sinks"] = a.sinks;
  out["kv_values_per_token"] = model::kv_elements(a).value();
  return out;
}

ordered_json feed_forward_json(const model::FeedForward& part) {
  return std::visit(
      Overloaded{[](std::monostate) { return ordered_json(nullptr); },
                 [](const model::Mlp& mlp) {
                   return ordered_json{{"kind", "mlp"}, {"width", mlp.width}, {"gated", mlp.gated}};
                 },
                 [](const model::Experts& e) {
                   return ordered_json{
                       {"kind", "experts"},
                       {"routed", e.routed},
                       {"chosen", e.chosen},
                       {"width", e.expert.width},
                       {"shared_width", e.shared ? e.shared->width : std::uint64_t{0}},
                       {"gated", e.expert.gated}};
                 }},
      part);
}

ordered_json layers_json(const Architecture& model) {
  ordered_json out = ordered_json::array();
  for (const model::LayerKind& kind : model.layers) {
    out.push_back({{"count", kind.count},
                   {"attention", kind.layer.attention ? attention_json(*kind.layer.attention)
                                                      : ordered_json(nullptr)},
                   {"feed_forward", feed_forward_json(kind.layer.feed_forward)}});
  }
  return out;
}

ordered_json parameters_json(const ModelSheet& sheet) {
  const model::Parameters& p = sheet.parameters;
  ordered_json out;
  out["total"] = p.total.value();
  out["text"] = p.text.value();
  out["vision"] = sheet.model.vision ? ordered_json(p.vision.value()) : ordered_json(nullptr);
  out["active"] = p.active.value();
  out["active_without_input_embedding"] = p.active_without_input_embedding.value();
  out["input_embedding"] = p.input_embedding.value();
  out["matmul_resident"] = p.matmul_resident.value();
  out["matmul_active"] = p.matmul_active.value();
  for (const model::ClassParameters& entry : p.by_class) {
    out["by_class"][std::string(name(entry.kind))] = {
        {"total", entry.total.value()},
        {"active", entry.active.value()},
        {"matmul_resident", entry.matmul_resident.value()},
        {"matmul_active", entry.matmul_active.value()}};
  }
  return out;
}

/// Classes of which this model has matrices that are stored so: what is gathered or added is not.
ordered_json quantised_classes(const ModelSheet& sheet) {
  const std::vector<model::Tensor> all = model::tensors(sheet.model);
  ordered_json out = ordered_json::array();
  for (const model::TensorClass kind : sheet.weights.classes) {
    const bool multiplied = std::any_of(all.begin(), all.end(), [&](const model::Tensor& tensor) {
      return tensor.kind == kind && tensor.use == model::Use::multiplied;
    });
    if (multiplied) out.push_back(name(kind));
  }
  return out;
}

ordered_json weights_json(const ModelSheet& sheet) {
  const model::StoredWeights& w = sheet.weights;
  ordered_json out;
  out["type"] = name(w.type);
  out["type_stated"] = w.type_stated;
  out["quantised"] = nullptr;
  if (w.quantised) {
    out["quantised"] = {{"method", w.method},
                        {"format", w.quantised->name},
                        {"bits", w.quantised->bits},
                        {"byte_per_weight", model::bytes_per_weight(*w.quantised)},
                        {"classes", quantised_classes(sheet)}};
  }
  out["byte"] = nullptr;
  if (!sheet.bytes) {
    out["reason"] = w.unknown;
    return out;
  }
  out["byte"] = sheet.bytes->total.value();
  for (const model::ClassBytes& entry : sheet.bytes->by_class)
    out["byte_by_class"][std::string(name(entry.kind))] = entry.bytes.value();
  if (sheet.model.vision) out["byte_by_class"]["vision"] = sheet.bytes->vision.value();
  return out;
}

ordered_json kv_json(const ModelSheet& sheet) {
  ordered_json out;
  out["type"] = name(sheet.kv);
  out["byte_per_token"] = model::kv_byte_per_token(sheet.model, sheet.kv).value();
  out["byte_per_token_beyond_windows"] =
      model::kv_byte_per_token_beyond_windows(sheet.model, sheet.kv).value();
  out["sequence"] = nullptr;
  if (sheet.tokens) {
    out["sequence"] = {
        {"tokens", *sheet.tokens},
        {"origin", sheet.tokens_chosen ? "user" : "model"},
        {"byte_in_windows",
         model::kv_bytes_in_windows(sheet.model, sheet.kv, *sheet.tokens).value()},
        {"byte_in_full", model::kv_bytes_in_full(sheet.model, sheet.kv, *sheet.tokens).value()}};
  }
  return out;
}

// ---- page ----

std::string bytes_text(Count bytes) {
  return format_exact(bytes.value()) + " B (" + report::format_capacity(bytes.value()) + ")";
}

std::string row(std::string_view label, const std::string& value) {
  return fmt::format("{:<31}{}\n", label, value);
}

std::string number_row(std::string_view label, Count value) {
  return fmt::format("{:<31}{:>19}\n", label, format_exact(value.value()));
}

std::string attention_text(const model::Attention& a) {
  std::string out = fmt::format("{} {} heads", model::attention_name(a), a.query_heads);
  if (a.latent) {
    out += fmt::format(", cached latent {} + {}", a.latent->kv_rank, a.latent->rope_dim);
  } else {
    out += fmt::format(" over {} of {}", a.kv_heads, a.qk_dim);
  }
  if (a.span.reach != model::Reach::full)
    out += fmt::format(", {} {}", a.span.reach == model::Reach::sliding ? "window" : "chunks of",
                       a.span.tokens);
  return out;
}

std::string feed_forward_text(const model::FeedForward& part) {
  return std::visit(
      Overloaded{[](std::monostate) { return std::string("no MLP"); },
                 [](const model::Mlp& mlp) {
                   return fmt::format("{}MLP {}", mlp.gated ? "gated " : "", mlp.width);
                 },
                 [](const model::Experts& e) {
                   return fmt::format(
                       "{} of {} experts of {}{}", e.chosen, e.routed, e.expert.width,
                       e.shared ? fmt::format(" and shared {}", e.shared->width) : "");
                 }},
      part);
}

std::string layers_text(const Architecture& model) {
  std::string out;
  for (const model::LayerKind& kind : model.layers) {
    out += row(fmt::format("  {} x", kind.count),
               (kind.layer.attention ? attention_text(*kind.layer.attention) : "no attention") +
                   "; " + feed_forward_text(kind.layer.feed_forward));
  }
  return out;
}

std::string parameters_text(const ModelSheet& sheet) {
  const model::Parameters& p = sheet.parameters;
  std::string out = number_row("parameters", p.total);
  if (sheet.model.vision) {
    out += number_row("  text model", p.text);
    out += number_row("  vision tower and projector", p.vision);
  }
  out += number_row("  active for a token", p.active);
  out += number_row("  without the input embedding", p.active_without_input_embedding);
  out += number_row("  in matrix products, resident", p.matmul_resident);
  out += number_row("  in matrix products, active", p.matmul_active);
  return out;
}

std::string classes_text(const ModelSheet& sheet) {
  report::Grid grid(
      {{"class", ""}, {"parameters", "", true}, {"active", "", true}, {"bytes", "", true}});
  for (const model::ClassParameters& entry : sheet.parameters.by_class) {
    std::string bytes = "-";
    if (sheet.bytes) {
      const auto& list = sheet.bytes->by_class;
      const auto found = std::find_if(list.begin(), list.end(), [&](const model::ClassBytes& one) {
        return one.kind == entry.kind;
      });
      if (found != list.end()) bytes = format_exact(found->bytes.value());
    }
    grid.add({.cells = {std::string(name(entry.kind)), format_exact(entry.total.value()),
                        format_exact(entry.active.value()), bytes}});
  }
  if (sheet.model.vision) {
    const std::string count = format_exact(sheet.parameters.vision.value());
    grid.add({.cells = {"vision", count, count,
                        sheet.bytes ? format_exact(sheet.bytes->vision.value()) : "-"}});
  }
  return grid.text(grid.width(), false);
}

std::string weights_text(const ModelSheet& sheet) {
  const model::StoredWeights& w = sheet.weights;
  std::string type(name(w.type));
  if (w.quantised) {
    type = fmt::format("{} where quantised, {} B a weight; {} else", w.quantised->name,
                       report::format_number(model::bytes_per_weight(*w.quantised)), type);
  }
  if (!sheet.bytes) return row("weights", "unknown");
  return row("weights", bytes_text(sheet.bytes->total)) + row("", type);
}

std::string kv_text(const ModelSheet& sheet) {
  const auto per_token = model::kv_byte_per_token(sheet.model, sheet.kv);
  const auto beyond = model::kv_byte_per_token_beyond_windows(sheet.model, sheet.kv);
  std::string out = row(
      "KV cache", fmt::format("{}, {} B a token", name(sheet.kv), format_exact(per_token.value())));
  if (beyond != per_token)
    out += row("",
               fmt::format("{} B a token once the windows are full", format_exact(beyond.value())));
  if (!sheet.tokens) {
    return out + row("", "no context length is stated; give one by --context");
  }
  const auto windows = model::kv_bytes_in_windows(sheet.model, sheet.kv, *sheet.tokens);
  const auto full = model::kv_bytes_in_full(sheet.model, sheet.kv, *sheet.tokens);
  out += row(fmt::format("  {} tokens{}", format_exact(*sheet.tokens),
                         sheet.tokens_chosen ? "" : " (its context)"),
             bytes_text(windows));
  if (full != windows) out += row("", bytes_text(full) + " where every layer holds every token");
  return out;
}

}  // namespace

ordered_json model_json(const ModelSheet& sheet) {
  const Architecture& m = sheet.model;
  ordered_json model;
  model["name"] = printable(sheet.name);
  model["family"] = m.family;
  model["model_type"] = m.model_type;
  model["attention"] = model::attention_name(m);
  model["layers"] = model::layer_count(m);
  model["attention_layers"] = model::attention_layer_count(m);
  model["hidden"] = m.hidden;
  model["vocabulary"] = m.vocabulary;
  model["context_tokens"] = report::or_null(m.context);
  model["tied_embeddings"] = m.tied;
  model["layer_kinds"] = layers_json(m);
  model["parameters"] = parameters_json(sheet);
  ordered_json out;
  out["model"] = std::move(model);
  out["weights"] = weights_json(sheet);
  out["kv_byte_per_token"] = model::kv_byte_per_token(m, sheet.kv).value();
  out["kv"] = kv_json(sheet);
  out["warnings"] = m.warnings;
  return out;
}

std::string model_page(const ModelSheet& sheet) {
  const Architecture& m = sheet.model;
  std::string out = fmt::format("{}: {}, {} layers of {}, vocabulary {}{}\n", printable(sheet.name),
                                m.family, model::layer_count(m), m.hidden, m.vocabulary,
                                m.tied ? ", tied to the head" : "");
  out += layers_text(m) + '\n' + parameters_text(sheet) + '\n' + classes_text(sheet) + '\n' +
         weights_text(sheet) + kv_text(sheet);
  return out;
}

}  // namespace roofline::cli
