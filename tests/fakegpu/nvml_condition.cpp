// NVML's calls about the state a device is in: clocks, power, temperature, memory, processes.
#include <algorithm>

#include "nvml_device.hpp"

using namespace nvml;  // NOLINT(google-build-using-namespace): this file is nothing else

namespace {

/// Functions that WSL2's NVML does not have.
bool on_wsl() {
  fakegpu::MachineState machine;
  fakegpu_machine(&machine);
  return machine.wsl;
}

unsigned milliwatts(double watts) { return static_cast<unsigned>(watts * 1e3); }

int clock(const char* function, Device handle, unsigned type, unsigned* out, bool highest) {
  return ask(function, handle, Answers::whole, [&](const Target& target) -> int {
    if (out == nullptr || type > video) return invalid_argument;
    const fakegpu::DeviceModel& model = *target.model;
    if (type == memory && model.memory_clock_khz == 0) return not_supported;
    const double hertz = type == memory ? model.memory_clock_khz * 1e3
                         : highest      ? model.clock_khz * 1e3
                                        : target.state.clock_hz;
    *out = static_cast<unsigned>(hertz / 1e6);
    return success;
  });
}

int event_reasons(const char* function, Device handle, unsigned long long* reasons) {
  return ask_value<unsigned long long>(
      function, handle, Answers::whole, reasons, [](const Target& target) -> unsigned long long {
        return target.state.idle ? kReasonIdle : target.state.slowdown_reasons;
      });
}

int power_limit(const char* function, Device handle, unsigned* limit, bool standard) {
  return ask_value<unsigned>(function, handle, Answers::physical, limit, [&](const Target& target) {
    return milliwatts(standard ? target.model->default_power_limit_w : target.model->power_limit_w);
  });
}

int processes(Device handle, unsigned* count, Process* list) {
  return ask("nvmlDeviceGetComputeRunningProcesses", handle, Answers::physical,
             [&](const Target& target) -> int {
               if (on_wsl()) return not_supported;
               const auto& all = target.model->processes;
               const unsigned room = *count;
               *count = static_cast<unsigned>(all.size());
               if (all.size() > room) return insufficient_size;
               for (std::size_t i = 0; i < all.size(); ++i) {
                 list[i] = {all[i].pid, all[i].memory_bytes, ~0U, ~0U};
               }
               return success;
             });
}

}  // namespace

FAKEGPU_NVML nvmlDeviceGetClockInfo(Device handle, unsigned type, unsigned* megahertz) {
  return clock("nvmlDeviceGetClockInfo", handle, type, megahertz, false);
}

FAKEGPU_NVML nvmlDeviceGetMaxClockInfo(Device handle, unsigned type, unsigned* megahertz) {
  return clock("nvmlDeviceGetMaxClockInfo", handle, type, megahertz, true);
}

FAKEGPU_NVML nvmlDeviceGetCurrentClocksEventReasons(Device handle, unsigned long long* reasons) {
  return event_reasons("nvmlDeviceGetCurrentClocksEventReasons", handle, reasons);
}

FAKEGPU_NVML nvmlDeviceGetCurrentClocksThrottleReasons(Device handle, unsigned long long* reasons) {
  return event_reasons("nvmlDeviceGetCurrentClocksThrottleReasons", handle, reasons);
}

FAKEGPU_NVML nvmlDeviceGetPowerUsage(Device handle, unsigned* milliwatt) {
  return ask_value<unsigned>("nvmlDeviceGetPowerUsage", handle, Answers::physical, milliwatt,
                             [](const Target& target) { return milliwatts(target.state.power_w); });
}

FAKEGPU_NVML nvmlDeviceGetPowerManagementLimit(Device handle, unsigned* milliwatt) {
  return power_limit("nvmlDeviceGetPowerManagementLimit", handle, milliwatt, false);
}

FAKEGPU_NVML nvmlDeviceGetEnforcedPowerLimit(Device handle, unsigned* milliwatt) {
  return power_limit("nvmlDeviceGetEnforcedPowerLimit", handle, milliwatt, false);
}

FAKEGPU_NVML nvmlDeviceGetPowerManagementDefaultLimit(Device handle, unsigned* milliwatt) {
  return power_limit("nvmlDeviceGetPowerManagementDefaultLimit", handle, milliwatt, true);
}

FAKEGPU_NVML nvmlDeviceGetTemperature(Device handle, unsigned, unsigned* celsius) {
  return ask_value<unsigned>(
      "nvmlDeviceGetTemperature", handle, Answers::physical, celsius,
      [](const Target& target) { return static_cast<unsigned>(target.state.temperature_c); });
}

FAKEGPU_NVML nvmlDeviceGetTemperatureV(Device handle, Temperature* out) {
  return ask("nvmlDeviceGetTemperatureV", handle, Answers::physical, [&](const Target& target) {
    out->celsius = static_cast<int>(target.state.temperature_c);
    return success;
  });
}

FAKEGPU_NVML nvmlDeviceGetTotalEccErrors(Device handle, unsigned type, unsigned counter,
                                         unsigned long long* errors) {
  return ask("nvmlDeviceGetTotalEccErrors", handle, Answers::physical,
             [&](const Target& target) -> int {
               if (errors == nullptr || type > 1 || counter > 1) return invalid_argument;
               if (!target.model->ecc || !target.model->ecc_known) return not_supported;
               const bool uncorrected = type == 1;
               const bool happened = target.state.load_s >= target.model->ecc_errors_after;
               *errors = uncorrected && happened ? target.model->ecc_errors : 0;
               return success;
             });
}

FAKEGPU_NVML nvmlDeviceGetUtilizationRates(Device handle, Utilization* out) {
  return ask("nvmlDeviceGetUtilizationRates", handle, Answers::whole, [&](const Target& target) {
    const unsigned percent = target.state.idle ? 0 : 99;
    *out = {percent, percent};
    return success;
  });
}

FAKEGPU_NVML nvmlDeviceGetMemoryInfo(Device handle, Memory* out) {
  return ask("nvmlDeviceGetMemoryInfo", handle, Answers::always, [&](const Target& target) {
    unsigned long long used = target.state.memory_used_bytes;
    for (const fakegpu::Process& process : target.model->processes) used += process.memory_bytes;
    out->total = target.model->memory_bytes;
    out->used = std::min(used, out->total);
    out->free = out->total - out->used;
    return success;
  });
}

FAKEGPU_NVML nvmlDeviceGetComputeRunningProcesses_v3(Device handle, unsigned* count,
                                                     Process* list) {
  return processes(handle, count, list);
}

FAKEGPU_NVML nvmlDeviceGetComputeRunningProcesses_v2(Device handle, unsigned* count,
                                                     Process* list) {
  return processes(handle, count, list);
}

namespace {

int link(const char* function, Device handle, unsigned* out,
         unsigned fakegpu::DeviceModel::*which) {
  return ask_value<unsigned>(function, handle, Answers::physical, out,
                             [&](const Target& target) { return target.model->*which; });
}

}  // namespace

FAKEGPU_NVML nvmlDeviceGetCurrPcieLinkGeneration(Device handle, unsigned* generation) {
  return link("nvmlDeviceGetCurrPcieLinkGeneration", handle, generation,
              &fakegpu::DeviceModel::pcie_generation);
}
FAKEGPU_NVML nvmlDeviceGetMaxPcieLinkGeneration(Device handle, unsigned* generation) {
  return link("nvmlDeviceGetMaxPcieLinkGeneration", handle, generation,
              &fakegpu::DeviceModel::pcie_generation);
}
FAKEGPU_NVML nvmlDeviceGetCurrPcieLinkWidth(Device handle, unsigned* width) {
  return link("nvmlDeviceGetCurrPcieLinkWidth", handle, width, &fakegpu::DeviceModel::pcie_width);
}
FAKEGPU_NVML nvmlDeviceGetMaxPcieLinkWidth(Device handle, unsigned* width) {
  return link("nvmlDeviceGetMaxPcieLinkWidth", handle, width, &fakegpu::DeviceModel::pcie_width);
}
