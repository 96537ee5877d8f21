// What a configuration's `quantization_config` says of how weights and the cache are stored and
// products computed. Knows methods by name; one that it does not know makes bytes unknown, never
// those of an unquantised model.
#pragma once

#include <string>
#include <vector>

#include "model/config_node.hpp"
#include "model/stored_weights.hpp"

namespace roofline::model {

/// Fills in `weights`; what a reader should know goes to `warnings`.
void read_quantization(const ConfigNode& quantization, StoredWeights& weights,
                       std::vector<std::string>& warnings);

}  // namespace roofline::model
