// The products that a scenario may name. Figures of data sheets and deviceQuery dumps (the files
// of configs/accelerators name them); rates of caches and links are round figures of this order.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model.hpp"

namespace fakegpu {

/// `a100-80gb`, or with a MIG profile `a100-80gb/1g.10gb`; nothing where there is no such preset.
[[nodiscard]] std::optional<DeviceModel> find_preset(std::string_view name);

/// For errors.
[[nodiscard]] std::string preset_names();

/// Whole scenarios: `FAKEGPU=h100x8-slow` needs no file.
[[nodiscard]] std::optional<std::string_view> find_box(std::string_view name);

}  // namespace fakegpu
