#include <array>
#include <cstddef>

#include "model/training.hpp"

namespace roofline::model {

std::string_view name(TrainingConvention convention) {
  static constexpr std::array<std::string_view, 4> kNames{"exact", "6n", "palm", "korthikanti"};
  return kNames[static_cast<std::size_t>(convention)];
}

std::string_view name(TrainingAttention attention) {
  static constexpr std::array<std::string_view, 3> kNames{"causal", "full", "none"};
  return kNames[static_cast<std::size_t>(attention)];
}

std::string_view name(Recompute recompute) {
  static constexpr std::array<std::string_view, 3> kNames{"none", "selective", "full"};
  return kNames[static_cast<std::size_t>(recompute)];
}

std::span<const TrainingConvention> training_conventions() {
  using enum TrainingConvention;
  static constexpr std::array kAll{exact, six_n, palm, korthikanti};
  return kAll;
}

std::span<const TrainingAttention> training_attentions() {
  using enum TrainingAttention;
  static constexpr std::array kAll{causal, full, none};
  return kAll;
}

std::span<const Recompute> recomputes() {
  using enum Recompute;
  static constexpr std::array kAll{none, selective, full};
  return kAll;
}

}  // namespace roofline::model
