// NVML's types as far as they are used here: the toolkit does not bring nvml.h. Layouts and
// numbers are those of the header that R580 drivers come with.
#pragma once

namespace nvml {

using Device = void*;

enum Return : int {
  success = 0,
  uninitialized = 1,
  invalid_argument = 2,
  not_supported = 3,
  no_permission = 4,
  not_found = 6,
  insufficient_size = 7,
  driver_not_loaded = 9,
  library_not_found = 12,
  function_not_found = 13,
  gpu_is_lost = 15,
};

enum ClockType : unsigned { graphics = 0, sm = 1, memory = 2, video = 3 };

constexpr unsigned kEnabled = 1;
constexpr unsigned kVirtualGpu = 2;  ///< NVML_GPU_VIRTUALIZATION_MODE_VGPU
constexpr unsigned long long kReasonIdle = 0x1;

struct PciInfo {
  char legacy_bus_id[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;
  unsigned subsystem_id;
  char bus_id[32];
};

struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

struct Process {
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};

struct Temperature {
  unsigned version;
  int sensor;
  int celsius;
};

struct Utilization {
  unsigned gpu;
  unsigned memory;
};

}  // namespace nvml
