#include "model/step_class.hpp"

#include <array>

namespace roofline::model {
namespace {

using enum StepClass;
constexpr std::array<StepClass, kStepClasses> kAll{
    embedding, qkv,   attention, attention_output, mlp,      experts,     shared_experts,
    router,    norms, lm_head,   kv_read,          kv_write, activations, logits};

}  // namespace

std::string_view name(StepClass kind) {
  switch (kind) {
    case embedding:
      return "embedding";
    case qkv:
      return "qkv";
    case attention:
      return "attention";
    case attention_output:
      return "attention_output";
    case mlp:
      return "mlp";
    case experts:
      return "experts";
    case shared_experts:
      return "shared_experts";
    case router:
      return "router";
    case norms:
      return "norms";
    case lm_head:
      return "lm_head";
    case kv_read:
      return "kv_read";
    case kv_write:
      return "kv_write";
    case activations:
      return "activations";
    case logits:
      return "logits";
  }
  return "";
}

std::span<const StepClass> step_classes() { return kAll; }

StepClass step_class(TensorClass kind) {
  switch (kind) {
    case TensorClass::embedding:
    case TensorClass::positions:
      return embedding;
    case TensorClass::qkv:
      return qkv;
    case TensorClass::attention_output:
      return attention_output;
    case TensorClass::mlp:
      return mlp;
    case TensorClass::experts:
      return experts;
    case TensorClass::shared_experts:
      return shared_experts;
    case TensorClass::router:
      return router;
    case TensorClass::norms:
      return norms;
    case TensorClass::lm_head:
      break;
  }
  return lm_head;
}

}  // namespace roofline::model
