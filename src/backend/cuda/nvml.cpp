#include "backend/cuda/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <initializer_list>

namespace roofline::cuda {
namespace {

struct ErrorRow {
  int code;
  const char* words;
};
// nvmlReturn_t
constexpr ErrorRow kErrors[] = {
    {1, "not initialised"},
    {2, "invalid argument"},
    {3, "not supported"},
    {4, "no permission"},
    {6, "not found"},
    {9, "the driver is not loaded"},
    {12, "library not found"},
    {13, "function not found in this version"},
    {15, "the GPU is lost"},
    {17, "the operating system blocks it"},
    {18, "library and driver are of different versions"},
    {999, "unknown error"},
};

struct ReasonRow {
  unsigned long long bit;
  const char* words;
};
// nvmlClocksEventReasons of R580; idle (bit 0) slows nothing down.
constexpr ReasonRow kReasons[] = {
    {0x2, "applications clocks setting"}, {0x4, "software power cap"},
    {0x8, "hardware slowdown"},           {0x10, "sync boost"},
    {0x20, "software thermal slowdown"},  {0x40, "hardware thermal slowdown"},
    {0x80, "hardware power brake"},       {0x100, "display clock setting"},
};

void* symbol(void* library, std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    if (void* const found = dlsym(library, name)) return found;
  }
  return nullptr;
}

}  // namespace

void Nvml::load(const std::vector<Candidate>& candidates) {
  const OpenedLibrary opened = open_first(candidates, {});
  if (opened.handle == nullptr) {
    problem_ = "no NVML could be loaded: " + opened.problem;
    return;
  }
  path_ = opened.path;
  NvmlFunction<> init;
  void* const library = opened.handle;
  init.bind(symbol(library, {"nvmlInit_v2", "nvmlInit"}));
  if (const int result = init(); result != kNvmlSuccess) {
    problem_ = "nvmlInit: " + words(result);
    return;
  }
  problem_.clear();
  driver_version_.bind(symbol(library, {"nvmlSystemGetDriverVersion"}));
  by_uuid_.bind(symbol(library, {"nvmlDeviceGetHandleByUUID"}));
  by_pci_.bind(
      symbol(library, {"nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetHandleByPciBusId"}));
  max_clock_mhz.bind(symbol(library, {"nvmlDeviceGetMaxClockInfo"}));
  clock_mhz.bind(symbol(library, {"nvmlDeviceGetClockInfo"}));
  power_limit_mw.bind(
      symbol(library, {"nvmlDeviceGetEnforcedPowerLimit", "nvmlDeviceGetPowerManagementLimit"}));
  default_power_limit_mw.bind(symbol(library, {"nvmlDeviceGetPowerManagementDefaultLimit"}));
  power_mw.bind(symbol(library, {"nvmlDeviceGetPowerUsage"}));
  temperature_.bind(symbol(library, {"nvmlDeviceGetTemperatureV"}));
  older_temperature_.bind(symbol(library, {"nvmlDeviceGetTemperature"}));
  persistence_mode.bind(symbol(library, {"nvmlDeviceGetPersistenceMode"}));
  pcie_generation.bind(symbol(library, {"nvmlDeviceGetMaxPcieLinkGeneration"}));
  pcie_width.bind(symbol(library, {"nvmlDeviceGetMaxPcieLinkWidth"}));
  ecc_mode.bind(symbol(library, {"nvmlDeviceGetEccMode"}));
  mig_mode.bind(symbol(library, {"nvmlDeviceGetMigMode"}));
  is_mig.bind(symbol(library, {"nvmlDeviceIsMigDeviceHandle"}));
  parent_of_mig.bind(symbol(library, {"nvmlDeviceGetDeviceHandleFromMigDeviceHandle"}));
  virtualization_mode.bind(symbol(library, {"nvmlDeviceGetVirtualizationMode"}));
  compute_processes.bind(symbol(library, {"nvmlDeviceGetComputeRunningProcesses_v3",
                                          "nvmlDeviceGetComputeRunningProcesses_v2"}));
  memory.bind(symbol(library, {"nvmlDeviceGetMemoryInfo"}));
  total_ecc_errors.bind(symbol(library, {"nvmlDeviceGetTotalEccErrors"}));
  clock_event_reasons.bind(symbol(library, {"nvmlDeviceGetCurrentClocksEventReasons",
                                            "nvmlDeviceGetCurrentClocksThrottleReasons"}));
  pcie_generation_now.bind(symbol(library, {"nvmlDeviceGetCurrPcieLinkGeneration"}));
  pcie_width_now.bind(symbol(library, {"nvmlDeviceGetCurrPcieLinkWidth"}));
  application_clock_mhz.bind(symbol(library, {"nvmlDeviceGetApplicationsClock"}));
  default_application_clock_mhz.bind(symbol(library, {"nvmlDeviceGetDefaultApplicationsClock"}));
  temperature_threshold.bind(symbol(library, {"nvmlDeviceGetTemperatureThreshold"}));
}

FactValue Nvml::path_fact() const {
  if (!problem_.empty()) return Unknown{problem_};
  return path_;
}

FactValue Nvml::driver_version() const {
  if (!problem_.empty()) return Unknown{problem_};
  std::array<char, 96> text{};
  const int result = driver_version_(text.data(), static_cast<unsigned>(text.size()));
  if (result != kNvmlSuccess) return Unknown{"nvmlSystemGetDriverVersion: " + words(result)};
  return std::string(text.data());
}

NvmlDevice Nvml::find(const std::string& uuid, const std::string& pci, std::string& why) const {
  if (!problem_.empty()) {
    why = problem_;
    return nullptr;
  }
  NvmlDevice device = nullptr;
  const int by_uuid = uuid.empty() ? kNvmlMissing : by_uuid_(uuid.c_str(), &device);
  if (by_uuid == kNvmlSuccess) return device;
  const int by_pci = pci.empty() ? kNvmlMissing : by_pci_(pci.c_str(), &device);
  if (by_pci == kNvmlSuccess) return device;
  why = "NVML finds this device neither by UUID (" + words(by_uuid) + ") nor by PCI address (" +
        words(by_pci) + ")";
  return nullptr;
}

int Nvml::temperature(NvmlDevice device, unsigned* celsius) const {
  constexpr unsigned kGpuSensor = 0;
  // NVML_STRUCT_VERSION: the size below, the version above.
  NvmlTemperature reading{sizeof(NvmlTemperature) | 1U << 24U, kGpuSensor, 0};
  if (temperature_(device, &reading) == kNvmlSuccess) {
    *celsius = reading.celsius < 0 ? 0U : static_cast<unsigned>(reading.celsius);
    return kNvmlSuccess;
  }
  return older_temperature_(device, kGpuSensor, celsius);
}

std::string Nvml::words(int result) {
  for (const ErrorRow& row : kErrors) {
    if (row.code == result)
      return std::string(row.words) + " (NVML error " + std::to_string(result) + ")";
  }
  return "NVML error " + std::to_string(result);
}

std::string clock_event_text(unsigned long long reasons) {
  std::string out;
  for (const ReasonRow& row : kReasons) {
    if ((reasons & row.bit) != 0) out += (out.empty() ? "" : ", ") + std::string(row.words);
  }
  return out;
}

}  // namespace roofline::cuda
