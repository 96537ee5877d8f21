// The vision tower of a model that has one, counted where its kind is known. Knows no decoder.
#pragma once

#include <optional>

#include "model/architecture.hpp"
#include "model/config_node.hpp"

namespace roofline::model {

/// Nothing when the tower is of a kind that is not known. `hidden` is that of the text model.
/// Throws InputError for a known kind whose sizes are missing or do not fit.
[[nodiscard]] std::optional<Vision> count_vision(const ConfigNode& vision,
                                                 std::string_view model_type, std::uint64_t hidden);

}  // namespace roofline::model
