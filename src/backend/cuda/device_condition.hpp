// The state that a device is in just now, as far as NVML tells: what a check before a measurement
// looks at. Needs no context and changes nothing.
#pragma once

#include "backend/cuda/device_facts.hpp"
#include "backend/cuda/libraries.hpp"

namespace roofline::cuda {

/// The facts that examine_devices() adds; unknown with a reason each where NVML can't say.
[[nodiscard]] Facts read_condition(const Libraries& libraries, const DeviceReading& device);

}  // namespace roofline::cuda
