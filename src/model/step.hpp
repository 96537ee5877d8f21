// One pass of a model over some tokens, as requests: how many tokens pass through it, how many each
// looks back at, and how many rows of logits are asked for. Knows neither weights nor hardware.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/architecture.hpp"

namespace roofline::model {

/// The nearest double: sizes are whole, what a step comes to is not.
[[nodiscard]] constexpr double as_double(std::uint64_t size) { return static_cast<double>(size); }

/// Requests that are alike.
struct Requests {
  std::uint64_t count = 1;
  std::uint64_t cached = 0;  ///< tokens of each whose keys and values are in the cache
  std::uint64_t fresh = 1;   ///< tokens of each that pass through the model
  std::uint64_t logits = 1;  ///< of the fresh ones, those whose next token is asked for: one where
                             ///< a sequence decodes or a prompt ends, else none
  std::uint64_t shared = 0;  ///< of the cached ones, a prefix of all that is stored and read once
  friend bool operator==(const Requests&, const Requests&) = default;
};

/// Requests of several kinds in one pass: a chunk of a prompt rides along with a decode batch.
using Step = std::vector<Requests>;

/// One further token for each of `batch` sequences of `context` cached tokens.
[[nodiscard]] Requests decode(std::uint64_t batch, std::uint64_t context);
/// `batch` prompts of `tokens`, of each of which the last token's logits are asked for.
[[nodiscard]] Requests prefill(std::uint64_t batch, std::uint64_t tokens);
/// `tokens` further ones of each of `batch` prompts of which `cached` went before; a row of logits
/// for each only where they end their prompts, since nobody waits for a token before.
[[nodiscard]] Requests chunk(std::uint64_t batch, std::uint64_t cached, std::uint64_t tokens,
                             bool ends_prompt);

struct RowCounts {
  double fresh = 0;   ///< tokens that every layer's products meet
  double logits = 0;  ///< rows that the head meets
};
[[nodiscard]] RowCounts rows_of(std::span<const Requests> step);

/// What a pair of a query with a key costs in all `heads` query heads of one layer, whose queries
/// and keys have `qk_dim` and whose values have `value_dim`: a score and a weighted value.
[[nodiscard]] constexpr double flop_per_pair(double heads, double qk_dim, double value_dim) {
  return 2 * heads * (qk_dim + value_dim);
}
/// On keys and values, not on latents.
[[nodiscard]] constexpr double flop_per_pair(const Attention& a) {
  return flop_per_pair(as_double(a.query_heads), as_double(a.qk_dim), as_double(a.value_dim));
}

/// Pairs of a query with a key that it looks at: those that causality allows, as model FLOP count
/// them, or every query with every key, as some formulas do.
enum class Pairs { causal, full };

/// Of one request. A chunk that begins anew is counted as full for a single further token, since
/// the sequences of a batch stand at different places in theirs.
[[nodiscard]] double pairs(const Span& span, const Requests& request, Pairs which);
/// Tokens whose keys and values are read from memory, each once: those cached within reach, and
/// those of the fresh ones that another fresh one looks at; a shared prefix once. For all of
/// `request.count`.
[[nodiscard]] double tokens_read(const Span& span, const Requests& request);

/// Throws InputError for a step without a token, more logits than fresh tokens, more shared tokens
/// than cached ones, or sizes beyond kLargestSize.
void validate(std::span<const Requests> step);

}  // namespace roofline::model
