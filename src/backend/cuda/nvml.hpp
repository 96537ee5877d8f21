// What NVIDIA's management library knows of a device. It is never needed: a library that is
// missing, a call that it lacks and one that it refuses are facts without a value and with a
// reason. Its declarations are spelled out here, for the toolkit doesn't bring its header.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/cuda/library_search.hpp"
#include "roofline/fact.hpp"

namespace roofline::cuda {

/// One function of NVML; 0 is success.
template <class... Parameters>
class NvmlFunction {
 public:
  using Pointer = int (*)(Parameters...);
  void bind(void* pointer) { pointer_ = reinterpret_cast<Pointer>(pointer); }
  [[nodiscard]] bool present() const { return pointer_ != nullptr; }
  /// kNvmlMissing where the library has no such function.
  int operator()(Parameters... parameters) const {
    return pointer_ == nullptr ? 13 : pointer_(parameters...);
  }

 private:
  Pointer pointer_ = nullptr;
};

/// nvmlReturn_t, nvml.h of R580.
inline constexpr int kNvmlSuccess = 0;
inline constexpr int kNvmlMissing = 13;  ///< NVML_ERROR_FUNCTION_NOT_FOUND

using NvmlDevice = void*;

/// nvmlProcessInfo_t (v2 and later).
struct NvmlProcess {
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};
/// nvmlMemory_t
struct NvmlMemory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
/// nvmlTemperature_v1_t
struct NvmlTemperature {
  unsigned version;
  unsigned sensor;
  int celsius;
};

class Nvml {
 public:
  /// Opens the first candidate that loads and initialises it.
  void load(const std::vector<Candidate>& candidates);

  /// Empty when it can be asked; else why not.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] FactValue path_fact() const;
  /// `580.65.06`
  [[nodiscard]] FactValue driver_version() const;
  /// By UUID, else by PCI address: NVML numbers devices otherwise than CUDA does. Null, with
  /// `why`, when it knows neither.
  [[nodiscard]] NvmlDevice find(const std::string& uuid, const std::string& pci,
                                std::string& why) const;
  /// `not supported (NVML error 3)`
  [[nodiscard]] static std::string words(int result);

  NvmlFunction<NvmlDevice, unsigned, unsigned*> max_clock_mhz;
  NvmlFunction<NvmlDevice, unsigned, unsigned*> clock_mhz;
  NvmlFunction<NvmlDevice, unsigned*> power_limit_mw;
  NvmlFunction<NvmlDevice, unsigned*> default_power_limit_mw;
  NvmlFunction<NvmlDevice, unsigned*> power_mw;
  NvmlFunction<NvmlDevice, unsigned*> persistence_mode;
  NvmlFunction<NvmlDevice, unsigned*> pcie_generation;
  NvmlFunction<NvmlDevice, unsigned*> pcie_width;
  NvmlFunction<NvmlDevice, unsigned*, unsigned*> ecc_mode;
  NvmlFunction<NvmlDevice, unsigned*, unsigned*> mig_mode;
  NvmlFunction<NvmlDevice, unsigned*> is_mig;
  NvmlFunction<NvmlDevice, NvmlDevice*> parent_of_mig;
  NvmlFunction<NvmlDevice, unsigned*> virtualization_mode;
  NvmlFunction<NvmlDevice, unsigned*, NvmlProcess*> compute_processes;
  NvmlFunction<NvmlDevice, NvmlMemory*> memory;
  NvmlFunction<NvmlDevice, unsigned long long*> clock_event_reasons;
  NvmlFunction<NvmlDevice, unsigned, unsigned, unsigned long long*> total_ecc_errors;
  NvmlFunction<NvmlDevice, unsigned*> pcie_generation_now;
  NvmlFunction<NvmlDevice, unsigned*> pcie_width_now;
  NvmlFunction<NvmlDevice, unsigned, unsigned*> application_clock_mhz;
  NvmlFunction<NvmlDevice, unsigned, unsigned*> default_application_clock_mhz;
  NvmlFunction<NvmlDevice, unsigned, unsigned*> temperature_threshold;
  /// Of the GPU's own sensor.
  [[nodiscard]] int temperature(NvmlDevice device, unsigned* celsius) const;

 private:
  NvmlFunction<char*, unsigned> driver_version_;
  NvmlFunction<NvmlDevice, NvmlTemperature*> temperature_;
  NvmlFunction<NvmlDevice, unsigned, unsigned*> older_temperature_;
  NvmlFunction<const char*, NvmlDevice*> by_uuid_;
  NvmlFunction<const char*, NvmlDevice*> by_pci_;
  std::string path_;
  std::string problem_ = "it was not looked for";
};

/// nvmlClockType_t
inline constexpr unsigned kNvmlClockGraphics = 0;
inline constexpr unsigned kNvmlClockSm = 1;
inline constexpr unsigned kNvmlClockMemory = 2;

/// nvmlMemoryErrorType_t, nvmlEccCounterType_t
inline constexpr unsigned kNvmlUncorrected = 1;
inline constexpr unsigned kNvmlVolatile = 0;  ///< since the driver was loaded

/// nvmlTemperatureThresholds_t: where the hardware begins to slow down.
inline constexpr unsigned kNvmlSlowdownTemperature = 1;

/// `power cap, thermal slowdown` of the bits of nvmlClocksEventReasons; empty for none.
[[nodiscard]] std::string clock_event_text(unsigned long long reasons);

}  // namespace roofline::cuda
