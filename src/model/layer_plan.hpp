// The layers of a model one by one: which have a window, which have experts. Knows a family's rules
// and the keys that they read.
#pragma once

#include <vector>

#include "model/config_node.hpp"
#include "model/family.hpp"

namespace roofline::model {

/// Throws InputError for lists that do not fit the number of layers.
[[nodiscard]] std::vector<LayerKind> plan_layers(const ConfigNode& config, const Family& family,
                                                 const Shapes& shapes,
                                                 std::optional<std::uint64_t> context);

}  // namespace roofline::model
