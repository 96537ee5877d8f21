// The work of training a model on one token, under conventions that are named: what the model needs
// (the numerator of MFU) and what runs, recomputation included (that of HFU). Knows no hardware.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/architecture.hpp"
#include "roofline/units.hpp"

namespace roofline::model {

enum class TrainingConvention {
  exact,        ///< 3 x the forward pass: products, attention, the head on every token
  six_n,        ///< 6 N, N = all active parameters of the text model, embedding included
  palm,         ///< 6 N + 12 L H d T a token, N without learned positions (PaLM, appendix B)
  korthikanti,  ///< 72 B s L h^2 (1 + s/6h + V/12Lh), of GPT's layers only (Korthikanti 2022)
};
/// `exact`, `6n`, `palm`, `korthikanti`.
[[nodiscard]] std::string_view name(TrainingConvention convention);
[[nodiscard]] std::span<const TrainingConvention> training_conventions();

/// Pairs of a query with a key that attention is counted for.
enum class TrainingAttention {
  causal,  ///< s(s+1)/2 of a sequence of s, fewer where a layer has a window
  full,    ///< s x s, or s x window
  none,    ///< no attention arithmetic at all
};
[[nodiscard]] std::string_view name(TrainingAttention attention);
[[nodiscard]] std::span<const TrainingAttention> training_attentions();

/// What of the forward pass runs a second time.
enum class Recompute {
  none,
  selective,  ///< attention's products
  full,       ///< the layers, not the head; of 6n and palm a third more of all
};
[[nodiscard]] std::string_view name(Recompute recompute);
[[nodiscard]] std::span<const Recompute> recomputes();

struct TrainingSetup {
  std::uint64_t sequence = 0;  ///< tokens that attend to each other; of 6n it may be 0
  TrainingConvention convention = TrainingConvention::exact;
  /// Nothing: causal of exact, full of palm and korthikanti, none of 6n.
  std::optional<TrainingAttention> attention = {};
  Recompute recompute = Recompute::none;
  bool head = true;  ///< false leaves the vocabulary head out
  /// Of 6n and palm: false leaves a table that is no head at the same time out of N.
  bool embedding = true;
  /// Attention's backward pass is 2.5 forward passes in what runs, as FlashAttention's, instead of
  /// 2; in what the model needs it stays 2. Of exact only.
  bool flash_attention = false;
};

/// Of one token, forward and backward together.
struct TrainingPart {
  std::string_view id;  ///< `layers`, `attention`, `head`; `parameters` of 6n and palm
  Flops model;          ///< what the model needs
  Flops hardware;       ///< what runs: at least as much
};

struct TrainingWork {
  TrainingSetup setup;  ///< with its attention filled in
  std::vector<TrainingPart> parts;
  std::string convention;  ///< what was counted, one phrase

  [[nodiscard]] Flops model() const;
  [[nodiscard]] Flops hardware() const;
};

/// Throws InputError where the convention cannot count this model or knows no such choice.
[[nodiscard]] TrainingWork training_work(const Architecture& model, const TrainingSetup& setup);
/// 6n of a model of which nothing but its size is known.
[[nodiscard]] TrainingWork six_n_work(double parameters, Recompute recompute);

}  // namespace roofline::model
