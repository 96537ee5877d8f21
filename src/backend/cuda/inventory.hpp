// The devices of this machine with what the backend itself needs to know of them.
#pragma once

#include <string>
#include <vector>

#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/device_reading.hpp"

namespace roofline::cuda {

struct ListedGpu {
  ListedDevice listed;
  DeviceReading reading;
};

struct Gpus {
  std::vector<ListedGpu> devices;
  std::string none_because;
  Facts libraries;
};

[[nodiscard]] Gpus list_gpus(const Libraries& libraries);

}  // namespace roofline::cuda
