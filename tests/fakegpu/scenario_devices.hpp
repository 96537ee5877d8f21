// The keys of a scenario's `device` and `set` lines.
#pragma once

#include <string>

#include "model.hpp"
#include "scenario_text.hpp"

namespace fakegpu {

/// Applies each `key=value` of the line. Throws ScenarioError.
void apply_device_options(const Line& line, DeviceModel& model);

/// What tells this device from its neighbours: UUID and PCI address.
void give_identity(DeviceModel& model, std::size_t index);

}  // namespace fakegpu
