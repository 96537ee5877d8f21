// The types that a configuration's `quantization_config` states beside those of weights: of keys
// and values, and of products whose activations are quantised, too. A type that is not known is
// warned of by its key and counted in 16 bits.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/config_node.hpp"
#include "model/stored_weights.hpp"

namespace roofline::model {

/// Of keys and values; nothing where the configuration says nothing of them.
[[nodiscard]] std::optional<DType> stated_cache(const ConfigNode& quantization,
                                                std::vector<std::string>& warnings);

/// Of products whose weights `method` stores in `format`; nothing where activations stay as they
/// are.
[[nodiscard]] std::optional<DType> stated_arithmetic(std::string_view method,
                                                     const ConfigNode& quantization,
                                                     const WeightFormat& format,
                                                     std::vector<std::string>& warnings);

}  // namespace roofline::model
