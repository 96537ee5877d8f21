// The matrix products that a model is run with, as the plan of a step fuses them: one entry for
// each product of a kind of layer, in the order in which a token meets them, then the vocabulary
// head. Knows no type and no hardware.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/architecture.hpp"

namespace roofline::model {

struct Product {
  /// As operations of a step are called: `qkv`, `gate_up`, `expert_down`, `lm_head`.
  std::string name;
  std::uint64_t outputs = 0;
  std::uint64_t inputs = 0;
  std::uint64_t chosen = 1;  ///< of the experts, by a token
  std::uint64_t experts = 1;
  friend bool operator==(const Product&, const Product&) = default;
};

/// What has the same input is one product: query, key and value; gate and up. Products that are
/// alike in every way stand once. Of latents the forms that make keys and values of them.
[[nodiscard]] std::vector<Product> products(const Architecture& model);

/// Rows that a product meets when `tokens` pass: all of them, and of an expert its even share,
/// rounded, at least 1.
[[nodiscard]] std::uint64_t rows_of(const Product& product, std::uint64_t tokens);

}  // namespace roofline::model
