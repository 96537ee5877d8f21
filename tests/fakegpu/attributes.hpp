// What cuDeviceGetAttribute says about a device.
#pragma once

#include <cuda.h>

#include <optional>

#include "model.hpp"

namespace fakegpu {

/// Nothing where the driver would not know the attribute.
[[nodiscard]] std::optional<int> attribute_of(const DeviceModel& model, CUdevice_attribute which,
                                              bool wsl);

}  // namespace fakegpu
