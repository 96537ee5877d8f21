// The way from the simulated cuBLASLt to the simulated libcuda that the process has loaded.
#pragma once

#include "library_entry.hpp"

namespace fakegpu::lt {

/// Functions that libcuda exports for this library; null when the process has no such libcuda.
struct DriverEntry {
  decltype(&::fakegpu_library_call) call = nullptr;
  decltype(&::fakegpu_library_rules) rules = nullptr;
  decltype(&::fakegpu_library_submit) submit = nullptr;

  [[nodiscard]] bool present() const { return call != nullptr; }
};

[[nodiscard]] const DriverEntry& driver_entry();

}  // namespace fakegpu::lt
