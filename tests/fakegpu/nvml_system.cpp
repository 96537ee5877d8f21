// NVML's calls about the system, and how devices are found.
#include <string>

#include "nvml_device.hpp"

using namespace nvml;  // NOLINT(google-build-using-namespace): this file is nothing else

namespace {

int initialise(const char* function) {
  if (const int answer = fakegpu_nvml_answer(function, -1)) return answer;
  if (device_count() == 0) return driver_not_loaded;
  initialised() = true;
  return success;
}

/// Without case, and without leading zeros of the domain: `0000:17:00.0` is `00000000:17:00.0`.
bool same_address(std::string_view left, std::string_view right) {
  const auto trimmed = [](std::string_view text) {
    const std::size_t first = text.find_first_not_of('0');
    return first == text.npos ? std::string_view{} : text.substr(first);
  };
  left = trimmed(left);
  right = trimmed(right);
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; };
    if (upper(left[i]) != upper(right[i])) return false;
  }
  return true;
}

int find_by_uuid(const char* uuid, Device* out) {
  for (int device = 0; device < device_count(); ++device) {
    for (const bool slice : {false, true}) {
      if (slice && !fakegpu_model(device)->mig.present()) continue;
      const auto target = target_of(handle_of(device, slice));
      if (target && uuid_of(*target) == uuid) {
        *out = handle_of(device, slice);
        return success;
      }
    }
  }
  return not_found;
}

int find_by_address(const char* address, Device* out) {
  for (int device = 0; device < device_count(); ++device) {
    if (same_address(address, pci_of(*fakegpu_model(device)))) {
      *out = handle_of(device, false);
      return success;
    }
  }
  return not_found;
}

}  // namespace

FAKEGPU_NVML nvmlInit_v2() { return initialise("nvmlInit"); }
FAKEGPU_NVML nvmlInitWithFlags(unsigned) { return initialise("nvmlInit"); }
FAKEGPU_NVML nvmlShutdown() {
  initialised() = false;
  return success;
}

extern "C" __attribute__((visibility("default"))) const char* nvmlErrorString(int result) {
  switch (result) {
    case success:
      return "Success";
    case uninitialized:
      return "Uninitialized";
    case invalid_argument:
      return "Invalid Argument";
    case not_supported:
      return "Not Supported";
    case no_permission:
      return "Insufficient Permissions";
    case not_found:
      return "Not Found";
    case insufficient_size:
      return "Insufficient Size";
    case driver_not_loaded:
      return "Driver Not Loaded";
    case library_not_found:
      return "NVML Shared Library Not Found";
    case function_not_found:
      return "Function Not Found";
    case gpu_is_lost:
      return "GPU is lost";
    default:
      return "Unknown Error";
  }
}

FAKEGPU_NVML nvmlSystemGetDriverVersion(char* text, unsigned length) {
  return ask_system("nvmlSystemGetDriverVersion", [&] {
    fakegpu::MachineState machine;
    fakegpu_machine(&machine);
    return copy_text(machine.driver_text, text, length);
  });
}

FAKEGPU_NVML nvmlSystemGetNVMLVersion(char* text, unsigned length) {
  return ask_system("nvmlSystemGetNVMLVersion",
                    [&] { return copy_text("13.580.00-fake", text, length); });
}

FAKEGPU_NVML nvmlSystemGetCudaDriverVersion_v2(int* version) {
  return ask_system("nvmlSystemGetCudaDriverVersion", [&] {
    fakegpu::MachineState machine;
    fakegpu_machine(&machine);
    *version = machine.driver;
    return success;
  });
}

FAKEGPU_NVML nvmlDeviceGetCount_v2(unsigned* count) {
  return ask_system("nvmlDeviceGetCount", [&] {
    *count = static_cast<unsigned>(device_count());
    return success;
  });
}

FAKEGPU_NVML nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* out) {
  return ask_system("nvmlDeviceGetHandleByIndex", [&] {
    if (index >= static_cast<unsigned>(device_count())) return invalid_argument;
    *out = handle_of(device_of_index(index), false);
    return success;
  });
}

FAKEGPU_NVML nvmlDeviceGetHandleByUUID(const char* uuid, Device* out) {
  if (uuid == nullptr || out == nullptr) return invalid_argument;
  return ask_system("nvmlDeviceGetHandleByUUID", [&] { return find_by_uuid(uuid, out); });
}

FAKEGPU_NVML nvmlDeviceGetHandleByPciBusId_v2(const char* address, Device* out) {
  if (address == nullptr || out == nullptr) return invalid_argument;
  return ask_system("nvmlDeviceGetHandleByPciBusId", [&] { return find_by_address(address, out); });
}
