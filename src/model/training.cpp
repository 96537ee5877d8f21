#include "model/training.hpp"

#include "model/config_node.hpp"
#include "model/parameters.hpp"
#include "model/step.hpp"
#include "roofline/error.hpp"

namespace roofline::model {
namespace {

/// A training step is a forward pass and two of the same size backward.
constexpr double kPasses = 3;
constexpr double kFlashBackward = 2.5;  ///< of attention, in forward passes (FlashAttention-2)
constexpr double kBackward = 2;
/// What llm-foundry and SC21 multiply the whole of a formula with: 4 passes instead of 3.
constexpr double kFullRecompute = 4.0 / 3;

[[noreturn]] void refuse(const TrainingSetup& setup, const std::string& why) {
  throw InputError("the convention " + std::string(name(setup.convention)) + " " + why);
}

TrainingAttention usual_attention(TrainingConvention convention) {
  if (convention == TrainingConvention::exact) return TrainingAttention::causal;
  return convention == TrainingConvention::six_n ? TrainingAttention::none
                                                 : TrainingAttention::full;
}

void require_known_choice(const TrainingSetup& setup) {
  using enum TrainingConvention;
  const TrainingAttention attention = *setup.attention;
  const bool exactly = setup.convention == exact;
  if (setup.convention == six_n && attention != TrainingAttention::none)
    refuse(setup, "counts no attention; use exact or palm");
  if (setup.convention == palm && attention == TrainingAttention::causal)
    refuse(setup, "counts every query with every key, or no attention; use exact for causal pairs");
  if (setup.convention == korthikanti && attention != TrainingAttention::full)
    refuse(setup, "counts every query with every key; use exact for another choice");
  if (setup.convention == korthikanti && !setup.head)
    refuse(setup, "is one formula with the head in it; use exact to leave the head out");
  if (!setup.embedding && (exactly || setup.convention == korthikanti))
    refuse(setup, "counts no input embedding that could be left out");
  if (setup.flash_attention && !exactly)
    refuse(setup, "has no term for FlashAttention's backward pass; use exact");
  const bool needs_sequence = attention != TrainingAttention::none;
  if (needs_sequence && setup.sequence == 0)
    refuse(setup, "needs the tokens of a sequence (--sequence), which attention is counted over");
  if (setup.sequence > kLargestSize)
    throw InputError("a sequence of " + std::to_string(setup.sequence) + " tokens is more than " +
                     std::to_string(kLargestSize));
}

/// Forward, of one token on average over a sequence.
double attention_flop(const Architecture& model, const TrainingSetup& setup) {
  if (setup.attention == TrainingAttention::none) return 0;
  const Pairs which = setup.attention == TrainingAttention::causal ? Pairs::causal : Pairs::full;
  double out = 0;
  for (const LayerKind& kind : model.layers) {
    if (!kind.layer.attention) continue;
    const Attention& a = *kind.layer.attention;
    out +=
        as_double(kind.count) * flop_per_pair(a) * pairs(a.span, prefill(1, setup.sequence), which);
  }
  return out / as_double(setup.sequence);
}

double head_weights(const Architecture& model) {
  return as_double(model.vocabulary) * as_double(model.hidden);
}

std::vector<TrainingPart> exact_parts(const Architecture& model, const TrainingSetup& setup) {
  const double layers =
      2 * (as_double(count_parameters(model).matmul_active.value()) - head_weights(model));
  const double attention = attention_flop(model, setup);
  const bool all_again = setup.recompute == Recompute::full;
  const double layer_passes = kPasses + (all_again ? 1 : 0);
  const double attention_passes = kPasses + (setup.recompute == Recompute::none ? 0 : 1) +
                                  (setup.flash_attention ? kFlashBackward - kBackward : 0);
  std::vector<TrainingPart> out{
      {"layers", flop(kPasses * layers), flop(layer_passes * layers)},
      {"attention", flop(kPasses * attention), flop(attention_passes * attention)}};
  const double head = kPasses * 2 * head_weights(model);
  if (setup.head) out.push_back({"head", flop(head), flop(head)});
  return out;
}

/// N of 6n and palm.
double formula_parameters(const Architecture& model, const TrainingSetup& setup) {
  const Parameters counted = count_parameters(model);
  double out = as_double(counted.active.value() - counted.vision.value());
  const double table = head_weights(model);
  if (setup.convention == TrainingConvention::palm)
    out -= as_double(model.learned_positions) * as_double(model.hidden);
  if (!setup.embedding && !model.tied) out -= table;
  if (!setup.head) out -= table;
  return out;
}

TrainingPart parameter_part(double parameters, Recompute recompute) {
  const Flops needed = flop(2 * kPasses * parameters);
  return {"parameters", needed, recompute == Recompute::full ? kFullRecompute * needed : needed};
}

std::vector<TrainingPart> formula_parts(const Architecture& model, const TrainingSetup& setup) {
  std::vector<TrainingPart> out{parameter_part(formula_parameters(model, setup), setup.recompute)};
  if (setup.convention == TrainingConvention::six_n) return out;
  double pair = 0;  // 4 L H d, of one query and one key in all layers
  for (const LayerKind& kind : model.layers) {
    if (!kind.layer.attention || setup.attention == TrainingAttention::none) continue;
    pair += as_double(kind.count) * flop_per_pair(*kind.layer.attention);
  }
  const Flops attention = flop(kPasses * pair * as_double(setup.sequence));
  const bool again = setup.recompute != Recompute::none;
  out.push_back({"attention", attention, again ? kFullRecompute * attention : attention});
  return out;
}

/// What of a layer is not GPT's; empty where it is.
std::string unlike_gpt(const Layer& layer, std::uint64_t hidden) {
  if (!layer.attention) return "layers without attention";
  const Attention& a = *layer.attention;
  if (a.latent || a.kv_heads != a.query_heads) return "fewer KV heads than query heads";
  if (a.query_heads * a.qk_dim != hidden || a.query_heads * a.value_dim != hidden)
    return "heads that are not h wide together";
  if (a.span.reach != Reach::full) return "layers with a window";
  const Mlp* const mlp = std::get_if<Mlp>(&layer.feed_forward);
  if (mlp == nullptr) return "layers without an ordinary MLP";
  if (mlp->gated) return "a gated MLP";
  return mlp->width == 4 * hidden ? "" : "an MLP that is not 4 h wide";
}

/// The published hardware FLOP of selective recomputation count attention twice, 24 s L h, where
/// one more forward pass would make it 16.
std::vector<TrainingPart> korthikanti_parts(const Architecture& model, const TrainingSetup& setup) {
  for (const LayerKind& kind : model.layers) {
    const std::string other = unlike_gpt(kind.layer, model.hidden);
    if (other.empty()) continue;
    refuse(setup,
           "counts layers of 12 h^2 weights (as many KV heads as query heads, an MLP of 4 h "
           "without a gate), and " +
               model.family + " has " + other + "; use exact");
  }
  const double h = as_double(model.hidden);
  const double layers = as_double(layer_count(model));
  const double attention = 12 * as_double(setup.sequence) * layers * h;
  const double head = 6 * head_weights(model);
  const bool all_again = setup.recompute == Recompute::full;
  const double again = setup.recompute == Recompute::none ? 1 : all_again ? kFullRecompute : 2;
  return {{"layers", flop(72 * layers * h * h), flop((all_again ? 96 : 72) * layers * h * h)},
          {"attention", flop(attention), flop(again * attention)},
          {"head", flop(head), flop(head)}};
}

std::string pairs_text(TrainingAttention attention) {
  if (attention == TrainingAttention::none) return "no attention";
  return attention == TrainingAttention::causal ? "attention over causal pairs"
                                                : "attention of every query with every key";
}

std::string model_text(const TrainingSetup& setup) {
  switch (setup.convention) {
    case TrainingConvention::exact:
      return "exact: 3 x forward; 2 FLOP a weight in a product, " + pairs_text(*setup.attention) +
             (setup.head ? ", the head on every token" : ", without the head");
    case TrainingConvention::six_n:
    case TrainingConvention::palm:
      break;
    case TrainingConvention::korthikanti:
      return "korthikanti: 72 B s L h^2 (1 + s/6h + V/12Lh)";
  }
  const bool palm = setup.convention == TrainingConvention::palm;
  const bool attends = palm && setup.attention != TrainingAttention::none;
  return std::string(palm ? "palm: 6 N" : "6n: 6 N") + (attends ? " + 12 L H d T" : "") +
         ", N = the active parameters" + (palm ? " without learned positions" : "") +
         (setup.embedding ? "" : ", without the input embedding") +
         (setup.head ? "" : ", without the head");
}

std::string recompute_text(const TrainingSetup& setup) {
  using enum TrainingConvention;
  const bool formula = setup.convention == six_n || setup.convention == palm;
  switch (setup.recompute) {
    case Recompute::none:
      return setup.flash_attention ? "; what runs has 2.5 passes of attention backward" : "";
    case Recompute::selective:
      if (setup.convention == six_n) return "; attention again, which it does not count";
      return setup.convention == korthikanti ? "; what runs with s/3h, as published"
                                             : "; what runs has attention's forward again";
    case Recompute::full:
      break;
  }
  return formula ? "; what runs is 4/3 of it" : "; what runs has the layers' forward again";
}

}  // namespace

Flops TrainingWork::model() const {
  Flops out;
  for (const TrainingPart& part : parts) out = out + part.model;
  return out;
}

Flops TrainingWork::hardware() const {
  Flops out;
  for (const TrainingPart& part : parts) out = out + part.hardware;
  return out;
}

TrainingWork training_work(const Architecture& model, const TrainingSetup& setup) {
  TrainingWork out{setup, {}, {}};
  if (!out.setup.attention) out.setup.attention = usual_attention(setup.convention);
  require_known_choice(out.setup);
  if (setup.convention == TrainingConvention::exact) {
    out.parts = exact_parts(model, out.setup);
  } else if (setup.convention == TrainingConvention::korthikanti) {
    out.parts = korthikanti_parts(model, out.setup);
  } else {
    out.parts = formula_parts(model, out.setup);
  }
  out.convention = model_text(out.setup) + recompute_text(out.setup);
  return out;
}

TrainingWork six_n_work(double parameters, Recompute recompute) {
  TrainingWork out;
  out.setup.convention = TrainingConvention::six_n;
  out.setup.attention = TrainingAttention::none;
  out.setup.recompute = recompute;
  out.parts = {parameter_part(parameters, recompute)};
  out.convention = model_text(out.setup) + recompute_text(out.setup);
  return out;
}

}  // namespace roofline::model
