// What `roofline doctor` looks at of GPUs: the facts of the CUDA backend as plain values.
#include "backend/cuda/cuda_backend.hpp"
#include "cli/doctor.hpp"

namespace roofline::cli {

host::Gpus look_at_gpus() {
  cuda::Inventory seen = cuda::examine_devices({});
  host::Gpus out{{}, std::move(seen.none_because)};
  for (cuda::ListedDevice& listed : seen.devices) {
    backend::Device& device = listed.device;
    out.devices.push_back({std::move(device.id), std::move(device.name), std::move(listed.unusable),
                           std::move(device.facts)});
  }
  return out;
}

}  // namespace roofline::cli
