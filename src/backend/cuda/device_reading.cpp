#include "backend/cuda/device_reading.hpp"

#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>

namespace roofline::cuda {
namespace {

int attribute(const DriverApi& driver, CUdevice device, CUdevice_attribute which,
              int otherwise = 0) {
  int value = 0;
  return driver.device_attribute.result(&value, which, device) == CUDA_SUCCESS ? value : otherwise;
}

std::optional<int> known_attribute(const DriverApi& driver, CUdevice device,
                                   CUdevice_attribute which) {
  constexpr int kNone = -1;
  const int value = attribute(driver, device, which, kNone);
  return value == kNone ? std::nullopt : std::optional{value};
}

bool is_wsl() {
  std::error_code ignored;
  return std::filesystem::exists("/dev/dxg", ignored) ||
         std::filesystem::exists("/usr/lib/wsl/lib", ignored);
}

/// One number of NVML, scaled; or why there is none.
template <class Value, class Ask>
FactValue asked(const char* call, Ask&& ask) {
  Value value{};
  const int result = ask(&value);
  if (result != kNvmlSuccess) return Unknown{std::string(call) + ": " + Nvml::words(result)};
  return static_cast<std::uint64_t>(value);
}

FactValue scaled(const FactValue& value, double factor) {
  const auto* count = std::get_if<std::uint64_t>(&value);
  return count == nullptr ? value : FactValue{static_cast<double>(*count) * factor};
}

/// Other programs that compute on the device; this one may be among those listed.
FactValue other_processes(const Nvml& nvml, NvmlDevice device) {
  std::array<NvmlProcess, 64> processes{};
  auto count = static_cast<unsigned>(processes.size());
  constexpr int kInsufficientSize = 7;
  const int result = nvml.compute_processes(device, &count, processes.data());
  if (result == kInsufficientSize) return std::uint64_t{count};
  if (result != kNvmlSuccess)
    return Unknown{"nvmlDeviceGetComputeRunningProcesses: " + Nvml::words(result)};
  std::uint64_t others = 0;
  for (unsigned i = 0; i < count && i < processes.size(); ++i)
    others += processes[i].pid == static_cast<unsigned>(getpid()) ? 0 : 1;
  return others;
}

FactValue free_memory(const Nvml& nvml, NvmlDevice device) {
  NvmlMemory memory{};
  const int result = nvml.memory(device, &memory);
  if (result != kNvmlSuccess) return Unknown{"nvmlDeviceGetMemoryInfo: " + Nvml::words(result)};
  return std::uint64_t{memory.free};
}

NvmlReading none(const std::string& why) {
  const FactValue unknown = Unknown{why};
  NvmlReading out;
  out.driver_version = out.memory_free_bytes = out.power_limit_w = out.default_power_limit_w =
      unknown;
  out.persistence_mode = out.pcie_generation = out.pcie_width = out.other_processes = unknown;
  return out;
}

/// A slice's bytes are those of `MIG-...`, which only NVML tells.
NvmlDevice find(const Nvml& nvml, DeviceReading& device, std::string& why) {
  std::string ignored;
  if (device.uuid.size() > 4) {
    const std::string slice = "MIG-" + device.uuid.substr(4);
    if (NvmlDevice const found = nvml.find(slice, {}, ignored)) {
      device.uuid = slice;
      return found;
    }
  }
  return nvml.find(device.uuid, device.pci_bus_id, why);
}

}  // namespace

DeviceReading read_device(const Libraries& libraries, int index) {
  const DriverApi& driver = libraries.driver;
  CUdevice device = 0;
  driver.device(&device, index);
  DeviceReading out;
  out.index = index;
  std::array<char, 256> name{};
  if (driver.device_name.result(name.data(), static_cast<int>(name.size()) - 1, device) ==
      CUDA_SUCCESS) {
    out.name = name.data();
  }
  CUuuid uuid{};
  if (driver.device_uuid.result(&uuid, device) == CUDA_SUCCESS) {
    unsigned char bytes[16];
    std::memcpy(bytes, uuid.bytes, sizeof bytes);
    out.uuid = uuid_text(mig_profile(out.name).empty() ? "GPU-" : "MIG-", bytes);
  }
  std::array<char, 64> pci{};
  if (driver.device_pci.result(pci.data(), static_cast<int>(pci.size()) - 1, device) ==
      CUDA_SUCCESS) {
    out.pci_bus_id = pci.data();
  }
  std::size_t bytes = 0;
  if (driver.device_memory.result(&bytes, device) == CUDA_SUCCESS) out.memory_bytes = bytes;
  const auto read = [&](CUdevice_attribute which) { return attribute(driver, device, which); };
  out.capability_major = read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  out.capability_minor = read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  out.sm_count = read(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  out.clock_khz = read(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  out.memory_clock_khz = read(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  out.memory_bus_bits = read(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  out.l2_bytes = read(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  out.shared_memory_per_block_bytes = read(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  out.shared_memory_opt_in_bytes = read(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  out.shared_memory_per_sm_bytes = read(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  out.threads_per_sm = read(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  out.compute_mode = read(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
  out.ecc = known_attribute(driver, device, CU_DEVICE_ATTRIBUTE_ECC_ENABLED);
  out.integrated = known_attribute(driver, device, CU_DEVICE_ATTRIBUTE_INTEGRATED);
  out.driver_version = libraries.driver_version;
  out.wsl = is_wsl();
  return out;
}

NvmlReading read_nvml(const Libraries& libraries, DeviceReading& device) {
  const Nvml& nvml = libraries.nvml;
  std::string why;
  NvmlDevice const found = find(nvml, device, why);
  if (found == nullptr) {
    NvmlReading out = none(why);
    out.driver_version = nvml.driver_version();
    return out;
  }
  NvmlReading out;
  out.driver_version = nvml.driver_version();
  unsigned is_mig = 0;
  if (nvml.is_mig(found, &is_mig) == kNvmlSuccess) out.is_mig = is_mig != 0;
  NvmlDevice const card = card_of(nvml, found);
  const auto number = [&](const char* call, const auto& function, NvmlDevice of) {
    return asked<unsigned>(call, [&](unsigned* value) { return function(of, value); });
  };
  out.memory_free_bytes = free_memory(nvml, found);
  out.power_limit_w =
      scaled(number("nvmlDeviceGetEnforcedPowerLimit", nvml.power_limit_mw, card), 1e-3);
  out.default_power_limit_w = scaled(
      number("nvmlDeviceGetPowerManagementDefaultLimit", nvml.default_power_limit_mw, card), 1e-3);
  out.persistence_mode = number("nvmlDeviceGetPersistenceMode", nvml.persistence_mode, card);
  if (const auto* mode = std::get_if<std::uint64_t>(&out.persistence_mode))
    out.persistence_mode = *mode != 0;
  out.pcie_generation = number("nvmlDeviceGetMaxPcieLinkGeneration", nvml.pcie_generation, card);
  out.pcie_width = number("nvmlDeviceGetMaxPcieLinkWidth", nvml.pcie_width, card);
  out.other_processes = other_processes(nvml, found);
  unsigned virtualization = 0;
  if (nvml.virtualization_mode(card, &virtualization) == kNvmlSuccess)
    out.virtualization = virtualization;
  return out;
}

NvmlDevice card_of(const Nvml& nvml, NvmlDevice device) {
  unsigned is_slice = 0;
  NvmlDevice parent = nullptr;
  const bool known = nvml.is_mig(device, &is_slice) == kNvmlSuccess;
  if (known && is_slice != 0 && nvml.parent_of_mig(device, &parent) == kNvmlSuccess) return parent;
  return device;
}

Facts read_telemetry(const Libraries& libraries, const DeviceReading& device) {
  const Nvml& nvml = libraries.nvml;
  std::string why;
  NvmlDevice const found = nvml.find(device.uuid, device.pci_bus_id, why);
  if (found == nullptr) return {{"telemetry", Unknown{why}}};
  NvmlDevice const card = card_of(nvml, found);
  Facts out;
  unsigned long long reasons = 0;
  const int result = nvml.clock_event_reasons(card, &reasons);
  out.push_back(
      {"clock_event_reasons",
       result == kNvmlSuccess
           ? FactValue{clock_event_text(reasons)}
           : FactValue{Unknown{"nvmlDeviceGetCurrentClocksEventReasons: " + Nvml::words(result)}}});
  out.push_back({"temperature_c", asked<unsigned>("nvmlDeviceGetTemperature", [&](unsigned* c) {
                   return nvml.temperature(card, c);
                 })});
  out.push_back(
      {"power_w", scaled(asked<unsigned>("nvmlDeviceGetPowerUsage",
                                         [&](unsigned* mw) { return nvml.power_mw(card, mw); }),
                         1e-3)});
  out.push_back({"memory_clock_now_hz", scaled(asked<unsigned>("nvmlDeviceGetClockInfo",
                                                               [&](unsigned* mhz) {
                                                                 return nvml.clock_mhz(
                                                                     card, kNvmlClockMemory, mhz);
                                                               }),
                                               1e6)});
  out.push_back({"power_limit_w", scaled(asked<unsigned>("nvmlDeviceGetEnforcedPowerLimit",
                                                         [&](unsigned* mw) {
                                                           return nvml.power_limit_mw(card, mw);
                                                         }),
                                         1e-3)});
  out.push_back({"other_processes", other_processes(nvml, found)});
  out.push_back(
      {"ecc_uncorrected_errors",
       asked<unsigned long long>("nvmlDeviceGetTotalEccErrors", [&](unsigned long long* errors) {
         return nvml.total_ecc_errors(card, kNvmlUncorrected, kNvmlVolatile, errors);
       })});
  return out;
}

}  // namespace roofline::cuda
