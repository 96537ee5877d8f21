#include "model/tensor_class.hpp"

#include <array>
#include <cstddef>

namespace roofline::model {
namespace {

using enum TensorClass;

constexpr std::array kClasses{embedding,      positions, qkv,   attention_output, mlp, experts,
                              shared_experts, router,    norms, lm_head};
constexpr std::array<std::string_view, kClasses.size()> kNames{
    "embedding",      "positions", "qkv",   "attention_output", "mlp", "experts",
    "shared_experts", "router",    "norms", "lm_head"};

}  // namespace

std::string_view name(TensorClass kind) { return kNames[static_cast<std::size_t>(kind)]; }

std::span<const TensorClass> tensor_classes() { return kClasses; }

}  // namespace roofline::model
