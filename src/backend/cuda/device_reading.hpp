// Asks the driver and NVML about one device. Needs no context and takes no memory of it.
#pragma once

#include "backend/cuda/device_facts.hpp"
#include "backend/cuda/libraries.hpp"

namespace roofline::cuda {

/// Throws CudaError when the driver doesn't even know the device.
[[nodiscard]] DeviceReading read_device(const Libraries& libraries, int index);

/// Corrects `device.uuid` to the form by which NVML knows it, where that tells a MIG slice.
[[nodiscard]] NvmlReading read_nvml(const Libraries& libraries, DeviceReading& device);

/// Of a slice, the card that it is a part of: limits, clocks and links belong to the card.
[[nodiscard]] NvmlDevice card_of(const Nvml& nvml, NvmlDevice device);

/// What may slow the device down just now: clock_event_reasons, temperature_c, power_w,
/// memory_clock_now_hz; and what it works under: power_limit_w, other_processes,
/// ecc_uncorrected_errors. Unknown with a reason each where NVML can't say.
[[nodiscard]] Facts read_telemetry(const Libraries& libraries, const DeviceReading& device);

}  // namespace roofline::cuda
