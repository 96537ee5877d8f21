#include "model/vision.hpp"

#include <array>

#include "roofline/count.hpp"

namespace roofline::model {
namespace {

std::uint64_t needed(const ConfigNode& config, std::string_view key) {
  return config.needed_size(std::array<std::string_view, 1>{key});
}

/// A matrix with its bias.
Count linear(Count in, Count out) { return in * out + out; }

/// Patches by a convolution, learned positions, layers of attention and a two-matrix MLP with two
/// norms each, a norm at the end; everything has biases.
Count siglip_tower(const ConfigNode& config) {
  const Count width{needed(config, "hidden_size")};
  const Count mlp{needed(config, "intermediate_size")};
  const Count layers{needed(config, "num_hidden_layers")};
  const Count channels{config.size("num_channels").value_or(3)};
  const std::uint64_t patch = needed(config, "patch_size");
  const std::uint64_t image = needed(config, "image_size");
  if (image < patch) config.refuse("image_size", "is smaller than one patch");
  const Count side{image / patch};
  const Count norm = Count{2} * width;
  const Count layer =
      Count{4} * linear(width, width) + linear(width, mlp) + linear(mlp, width) + Count{2} * norm;
  return linear(channels * Count{patch} * Count{patch}, width) + side * side * width +
         layers * layer + norm;
}

}  // namespace

std::optional<Vision> count_vision(const ConfigNode& vision, std::string_view model_type,
                                   std::uint64_t hidden) {
  if (model_type != "gemma3" || vision.text("model_type").value_or("") != "siglip_vision_model" ||
      vision.flag("vision_use_head").value_or(true))
    return std::nullopt;
  // Gemma 3 projects what the tower gives by one matrix, and normalises it first.
  const Count width{needed(vision, "hidden_size")};
  const Count projector = width * Count{hidden} + width;
  return Vision{siglip_tower(vision).value(), projector.value()};
}

}  // namespace roofline::model
