// The classes that weights are counted in: by what a step does with them. Knows no tensor.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace roofline::model {

enum class TensorClass {
  embedding,  ///< input embedding; a tied one is the lm_head
  positions,  ///< learned positions
  qkv,        ///< query, key and value projections, latent ones included
  attention_output,
  mlp,
  experts,  ///< routed
  shared_experts,
  router,
  norms,  ///< all of them, those of queries and keys included
  lm_head,
};

[[nodiscard]] std::string_view name(TensorClass kind);
/// In the order in which a token meets them.
[[nodiscard]] std::span<const TensorClass> tensor_classes();

}  // namespace roofline::model
