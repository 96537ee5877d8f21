#include "inspection.hpp"

#include <cstdio>
#include <string>
#include <thread>

#include "api.hpp"

using fakegpu::Driver;

namespace {

constexpr int kNvmlLost = 15;  // NVML_ERROR_GPU_IS_LOST

/// The driver's release, of a CUDA release's time: R580 came with 13.0, R525 with 12.0.
std::string driver_text(const fakegpu::Scenario& scenario) {
  if (!scenario.driver_text.empty()) return scenario.driver_text;
  const int major = scenario.driver / 1000;
  const char* const release = major >= 13 ? "580" : major == 12 ? "535" : "470";
  return std::string(release) + ".00-fake";
}

}  // namespace

FAKEGPU_EXPORT void fakegpu_machine(fakegpu::MachineState* state) {
  const std::lock_guard lock(fakegpu::driver_mutex());
  const Driver& all = fakegpu::driver();
  state->devices = static_cast<int>(all.devices.size());
  state->driver = all.scenario.driver;
  std::snprintf(state->driver_text, sizeof(state->driver_text), "%s",
                driver_text(all.scenario).c_str());
  state->wsl = all.scenario.wsl;
  state->host_now_s = all.host_now;
  state->kernels_executed = all.kernels_executed + all.queue.executed();
}

FAKEGPU_EXPORT const fakegpu::DeviceModel* fakegpu_model(int device) {
  const std::lock_guard lock(fakegpu::driver_mutex());
  const auto& devices = fakegpu::driver().devices;
  const auto index = static_cast<std::size_t>(device);
  return device < 0 || index >= devices.size() ? nullptr : &devices[index]->model();
}

FAKEGPU_EXPORT void fakegpu_device(int device, fakegpu::DeviceState* state) {
  const std::lock_guard lock(fakegpu::driver_mutex());
  const Driver& all = fakegpu::driver();
  fakegpu::Device& of = *all.devices.at(static_cast<std::size_t>(device));
  of.rest(all.host_now);
  state->idle = of.idle(all.host_now);
  state->clock_hz = state->idle ? of.model().idle_clock_khz * 1e3 : of.clock();
  state->temperature_c = of.temperature_c();
  state->power_w = of.power_w(all.host_now);
  state->load_s = of.load();
  state->slowdown_reasons = of.slowdown_reasons();
  state->memory_used_bytes = all.memory.used(device);
}

FAKEGPU_EXPORT int fakegpu_nvml_answer(const char* function, int device) {
  const std::lock_guard lock(fakegpu::driver_mutex());
  Driver& all = fakegpu::driver();
  if (device >= 0 && all.devices.at(static_cast<std::size_t>(device))->lost) return kNvmlLost;
  if (const fakegpu::Fault* const fault = all.faults.next(function, device)) {
    if (fault->kind == fakegpu::FaultKind::hang) fakegpu::hang(fault->seconds);
    return fault->lost ? kNvmlLost : fault->code;
  }
  for (const fakegpu::NvmlAnswer& answer : all.scenario.nvml_answers) {
    if (fakegpu::matches(answer.function, function)) return answer.code;
  }
  const bool initialising = std::string(function).rfind("nvmlInit", 0) == 0;
  return initialising ? all.scenario.nvml_init_code : 0;
}

FAKEGPU_EXPORT void fakegpu_reset() {
  const std::lock_guard lock(fakegpu::driver_mutex());
  fakegpu::forget_driver();
  fakegpu::current_context() = nullptr;
}
