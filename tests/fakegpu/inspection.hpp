// What the simulated libcuda lets the simulated NVML and tests see of its devices. Both libraries
// are of one build, so values of C++ may pass.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model.hpp"

namespace fakegpu {

struct DeviceState {
  double clock_hz = 0;  ///< of the SMs now
  double temperature_c = 0;
  double power_w = 0;
  double load_s = 0;
  std::uint64_t slowdown_reasons = 0;  ///< bits of nvmlClocksEventReasons
  bool idle = true;
  std::uint64_t memory_used_bytes = 0;  ///< by this process
};

struct MachineState {
  int devices = 0;  ///< CUDA_VISIBLE_DEVICES hides none of them
  int driver = 0;   ///< as cuDriverGetVersion counts
  char driver_text[80] = {};
  bool wsl = false;
  double host_now_s = 0;
  std::uint64_t kernels_executed = 0;  ///< launches that the emulator really ran
};

}  // namespace fakegpu

extern "C" {
void fakegpu_machine(fakegpu::MachineState* state);
/// Null for a device that is not there. Good until fakegpu_reset().
const fakegpu::DeviceModel* fakegpu_model(int device);
void fakegpu_device(int device, fakegpu::DeviceState* state);
/// The nvmlReturn_t that the scenario has for this call of `function`; 0: it may answer. `device`
/// -1: about none.
int fakegpu_nvml_answer(const char* function, int device);
/// Everything is forgotten: the next call reads FAKEGPU again.
void fakegpu_reset();
}
