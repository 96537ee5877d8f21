#include "model/step_class.hpp"

#include <array>

namespace roofline::model {
namespace {

constexpr std::array<std::string_view, kStepClasses> kStepClassNames{
    "embedding",      "qkv",    "attention", "attention_output", "mlp",     "experts",
    "shared_experts", "router", "norms",     "lm_head",          "kv_read", "kv_write",
    "activations",    "logits"};

constexpr std::array<StepClass, kStepClasses> kAllStepClasses = [] {
  std::array<StepClass, kStepClasses> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<StepClass>(i);
  return out;
}();

}  // namespace

std::string_view name(StepClass kind) { return kStepClassNames[static_cast<std::size_t>(kind)]; }

std::span<const StepClass> step_classes() { return kAllStepClasses; }

StepClass step_class(TensorClass kind) {
  switch (kind) {
    case TensorClass::embedding:
    case TensorClass::positions:
      return StepClass::embedding;
    case TensorClass::qkv:
      return StepClass::qkv;
    case TensorClass::attention_output:
      return StepClass::attention_output;
    case TensorClass::mlp:
      return StepClass::mlp;
    case TensorClass::experts:
      return StepClass::experts;
    case TensorClass::shared_experts:
      return StepClass::shared_experts;
    case TensorClass::router:
      return StepClass::router;
    case TensorClass::norms:
      return StepClass::norms;
    case TensorClass::lm_head:
      break;
  }
  return StepClass::lm_head;
}

}  // namespace roofline::model
