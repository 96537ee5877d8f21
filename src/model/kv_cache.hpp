// What a sequence keeps for the tokens to come: exact bytes per token and per sequence, with and
// without windows. Knows neither weights nor how an engine lays out its pages.
#pragma once

#include <cstdint>

#include "model/architecture.hpp"
#include "roofline/count.hpp"
#include "roofline/dtype.hpp"

namespace roofline::model {

/// Cached values per token of one layer: keys and values of each KV head, or one latent.
[[nodiscard]] Count kv_elements(const Attention& attention);

/// All below throw InputError when they do not fit 64 bits.

/// Of one token in all layers.
[[nodiscard]] Count kv_byte_per_token(const Architecture& model, DType type);
/// Of that, what each further token adds once every window is full.
[[nodiscard]] Count kv_byte_per_token_beyond_windows(const Architecture& model, DType type);
/// A sequence of `tokens`, a layer with a window holding at most its window: what a step reads.
[[nodiscard]] Count kv_bytes_in_windows(const Architecture& model, DType type,
                                        std::uint64_t tokens);
/// The same where every layer holds every token, as some engines allocate.
[[nodiscard]] Count kv_bytes_in_full(const Architecture& model, DType type, std::uint64_t tokens);

}  // namespace roofline::model
