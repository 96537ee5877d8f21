// What NVML says of one device while it works, and what went wrong in its memory meanwhile. Any
// call may be missing or refused: then that part is unknown, and nothing else changes.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backend/cuda/device_reading.hpp"
#include "backend/cuda/libraries.hpp"
#include "roofline/telemetry.hpp"

namespace roofline::cuda {

class DeviceMonitor {
 public:
  DeviceMonitor(std::shared_ptr<const Libraries> libraries, const DeviceReading& device);

  /// SM clock, power, temperature and event reasons now; nothing where NVML knows none of them.
  /// `within`: how long the device will go on working; readings that have taken longer than half of
  /// that are not begun.
  [[nodiscard]] std::optional<Telemetry> read(Seconds within);
  /// Uncorrected memory errors since the last call or the beginning, as far as NVML counts them.
  [[nodiscard]] std::uint64_t new_memory_errors();

 private:
  [[nodiscard]] std::optional<std::uint64_t> memory_errors() const;

  std::shared_ptr<const Libraries> libraries_;
  NvmlDevice card_ = nullptr;  ///< of a slice, the whole of it; null where NVML can't find it
  Seconds cost_;               ///< the longest that a reading has taken lately
  std::optional<std::uint64_t> errors_;
};

}  // namespace roofline::cuda
