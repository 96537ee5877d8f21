// Which GPUs are here, by CUDA's numbering.
#include "backend/cuda/inventory.hpp"

#include <cstdlib>

#include "backend/cuda/device_condition.hpp"
#include "backend/cuda/device_facts.hpp"
#include "backend/cuda/visible_devices.hpp"

namespace roofline::cuda {
namespace {

std::string none_shown(const Libraries& libraries) {
  std::string out = libraries.driver_path + " finds no GPU";
  if (const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES"))
    return out + "; " + describe(parse_visible_devices(visible));
  return out + "; check nvidia-smi";
}

ListedGpu list_device(const Libraries& libraries, int index) {
  ListedGpu out;
  out.listed.device.id = "cuda:" + std::to_string(index);
  try {
    out.reading = read_device(libraries, index);
    const NvmlReading nvml = read_nvml(libraries, out.reading);
    out.listed.device.name = out.reading.name.empty() ? "unknown GPU" : out.reading.name;
    out.listed.device.facts = device_facts(out.reading, nvml, kernel_images());
    out.listed.unusable = unusable_because(out.reading, kernel_images());
  } catch (const backend::BackendError& error) {
    out.listed.device.name = "unknown GPU";
    out.listed.unusable = error.what();
  }
  for (Fact& fact : library_facts(libraries)) {
    if (fact.key == "libcuda" || fact.key == "libnvidia_ml")
      out.listed.device.facts.push_back(std::move(fact));
  }
  return out;
}

Inventory without_readings(Gpus&& gpus) {
  Inventory out{{}, std::move(gpus.none_because), std::move(gpus.libraries)};
  for (ListedGpu& gpu : gpus.devices) out.devices.push_back(std::move(gpu.listed));
  return out;
}

}  // namespace

Gpus list_gpus(const Libraries& libraries) {
  Gpus out;
  out.libraries = library_facts(libraries);
  if (const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES"))
    out.libraries.push_back({"cuda_visible_devices", std::string(visible)});
  if (!libraries.driver_problem.empty()) {
    out.none_because = libraries.driver_problem;
    return out;
  }
  int count = 0;
  const CUresult result = libraries.driver.device_count.result(&count);
  if (result != CUDA_SUCCESS) {
    out.none_because = CudaError(static_cast<int>(result), "cuDeviceGetCount").what();
    return out;
  }
  for (int index = 0; index < count; ++index) out.devices.push_back(list_device(libraries, index));
  if (count == 0) out.none_because = none_shown(libraries);
  return out;
}

Inventory take_inventory(const CudaOptions& options) {
  return without_readings(list_gpus(*load_libraries(options)));
}

Inventory examine_devices(const CudaOptions& options) {
  const auto libraries = load_libraries(options);
  Gpus gpus = list_gpus(*libraries);
  for (ListedGpu& gpu : gpus.devices) {
    Facts& facts = gpu.listed.device.facts;
    for (Fact& fact : read_condition(*libraries, gpu.reading)) facts.push_back(std::move(fact));
  }
  return without_readings(std::move(gpus));
}

}  // namespace roofline::cuda
