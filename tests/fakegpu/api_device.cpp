// The driver API's calls about the machine and its devices.
#include <cstdio>
#include <cstring>

#include "api.hpp"
#include "attributes.hpp"

using fakegpu::Context;
using fakegpu::DeviceModel;
using fakegpu::Driver;

FAKEGPU_EXPORT CUresult CUDAAPI cuInit(unsigned flags) {
  return fakegpu::plain_call("cuInit", [&](Driver& all) -> CUresult {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (all.scenario.init_code != 0) return static_cast<CUresult>(all.scenario.init_code);
    if (all.visible.empty()) return CUDA_ERROR_NO_DEVICE;
    all.initialised = true;
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuDriverGetVersion(int* version) {
  return fakegpu::plain_call("cuDriverGetVersion", [&](const Driver& all) {
    if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *version = all.scenario.driver;
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuDeviceGetCount(int* count) {
  return fakegpu::driver_call("cuDeviceGetCount", [&](const Driver& all) {
    if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *count = static_cast<int>(all.visible.size());
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuDeviceGet(CUdevice* device, int ordinal) {
  return fakegpu::driver_call("cuDeviceGet", [&](const Driver& all) {
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (ordinal < 0 || ordinal >= static_cast<int>(all.visible.size())) {
      return CUDA_ERROR_INVALID_DEVICE;
    }
    *device = ordinal;
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuDeviceGetName(char* name, int length, CUdevice device) {
  return fakegpu::device_call("cuDeviceGetName", device, [&](Driver&, Context& context) {
    if (name == nullptr || length <= 0) return CUDA_ERROR_INVALID_VALUE;
    const DeviceModel& model = context.device->model();
    std::snprintf(name, static_cast<std::size_t>(length), "FAKE %s", model.name.c_str());
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuDeviceGetAttribute(int* value, CUdevice_attribute which,
                                                     CUdevice device) {
  return fakegpu::device_call("cuDeviceGetAttribute", device, [&](Driver& all, Context& context) {
    const auto known = fakegpu::attribute_of(context.device->model(), which, all.scenario.wsl);
    if (value == nullptr || !known) return CUDA_ERROR_INVALID_VALUE;
    *value = *known;
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuDeviceTotalMem(std::size_t* bytes, CUdevice device) {
  return fakegpu::device_call("cuDeviceTotalMem", device, [&](Driver&, Context& context) {
    if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *bytes = context.device->model().memory_bytes;
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
  return fakegpu::device_call("cuDeviceGetPCIBusId", device, [&](Driver&, Context& context) {
    if (text == nullptr || length < 13) return CUDA_ERROR_INVALID_VALUE;
    const DeviceModel& model = context.device->model();
    std::snprintf(text, static_cast<std::size_t>(length), "%04X:%02X:00.0", model.pci_domain,
                  model.pci_bus);
    return CUDA_SUCCESS;
  });
}

namespace {

CUresult uuid_of(CUuuid* uuid, CUdevice device) {
  return fakegpu::device_call("cuDeviceGetUuid", device, [&](Driver&, Context& context) {
    if (uuid == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const std::string& digits = context.device->model().uuid;
    for (std::size_t i = 0; i < sizeof(uuid->bytes); ++i) {
      uuid->bytes[i] = static_cast<char>(std::stoi(digits.substr(2 * i, 2), nullptr, 16));
    }
    return CUDA_SUCCESS;
  });
}

}  // namespace

// Two versions: the second, since CUDA 11.4, says a MIG slice's own UUID, which the first does not
// know. Here both do.
#undef cuDeviceGetUuid
FAKEGPU_EXPORT CUresult CUDAAPI cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return uuid_of(uuid, device);
}
FAKEGPU_EXPORT CUresult CUDAAPI cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  return uuid_of(uuid, device);
}
