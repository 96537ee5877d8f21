// What the work and the traffic of a step are counted by. Knows no tensor.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "model/tensor_class.hpp"

namespace roofline::model {

/// Weights by the class of their tensor, and what a step moves besides.
enum class StepClass {
  embedding,  ///< rows that are looked up: tokens and learned positions
  qkv,
  attention,  ///< scores and weighted values: work alone, its traffic is kv_read
  attention_output,
  mlp,
  experts,
  shared_experts,
  router,
  norms,
  lm_head,
  kv_read,
  kv_write,
  activations,
  logits,
};
inline constexpr std::size_t kStepClasses = 14;

[[nodiscard]] std::string_view name(StepClass kind);
[[nodiscard]] std::span<const StepClass> step_classes();
[[nodiscard]] StepClass step_class(TensorClass kind);

}  // namespace roofline::model
