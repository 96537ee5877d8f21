// What is known of a transformer, for people and as JSON. Counts nothing itself.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "model/architecture.hpp"
#include "model/parameters.hpp"

namespace roofline::cli {

/// A transformer and the types that its weights and cache are stored in.
struct ModelSheet {
  std::string name;
  model::Architecture model;
  model::Parameters parameters;
  model::StoredWeights weights;             ///< as stated, or as chosen
  std::optional<model::WeightBytes> bytes;  ///< nothing where weights.unknown says why
  DType kv = DType::bf16;
  std::optional<std::uint64_t> tokens;  ///< of a sequence; nothing when no length is known
  bool tokens_chosen = false;           ///< else they are the context that the model states
};

[[nodiscard]] nlohmann::ordered_json model_json(const ModelSheet& sheet);
[[nodiscard]] std::string model_page(const ModelSheet& sheet);

}  // namespace roofline::cli
