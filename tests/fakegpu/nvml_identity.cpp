// NVML's calls about what a device is: names, addresses, partitions, modes.
#include <cstdio>
#include <cstring>

#include "nvml_device.hpp"

using namespace nvml;  // NOLINT(google-build-using-namespace): this file is nothing else

FAKEGPU_NVML nvmlDeviceGetName(Device handle, char* text, unsigned length) {
  return ask("nvmlDeviceGetName", handle, Answers::always, [&](const Target& target) {
    std::string name = "FAKE " + target.model->name;
    if (!target.slice) name.resize(std::min(name.size(), name.find(" MIG ")));
    return copy_text(name, text, length);
  });
}

FAKEGPU_NVML nvmlDeviceGetUUID(Device handle, char* text, unsigned length) {
  return ask("nvmlDeviceGetUUID", handle, Answers::always,
             [&](const Target& target) { return copy_text(uuid_of(target), text, length); });
}

FAKEGPU_NVML nvmlDeviceGetIndex(Device handle, unsigned* index) {
  return ask_value<unsigned>(
      "nvmlDeviceGetIndex", handle, Answers::whole, index, [](const Target& target) {
        return static_cast<unsigned>(device_of_index(static_cast<unsigned>(target.device)));
      });
}

FAKEGPU_NVML nvmlDeviceGetPciInfo_v3(Device handle, PciInfo* info) {
  return ask("nvmlDeviceGetPciInfo", handle, Answers::whole, [&](const Target& target) {
    *info = {};
    info->domain = target.model->pci_domain;
    info->bus = target.model->pci_bus;
    const std::string address = pci_of(*target.model);
    std::snprintf(info->bus_id, sizeof(info->bus_id), "%s", address.c_str());
    std::snprintf(info->legacy_bus_id, sizeof(info->legacy_bus_id), "%s", address.c_str() + 4);
    return success;
  });
}

FAKEGPU_NVML nvmlDeviceGetMigMode(Device handle, unsigned* current, unsigned* pending) {
  return ask("nvmlDeviceGetMigMode", handle, Answers::whole, [&](const Target& target) {
    const int major = target.model->major;
    const bool can = major == 8 || major >= 9;  // A100, A30 and later data centre parts
    if (!can || target.model->virtual_gpu) return not_supported;
    *current = target.model->mig.present() ? kEnabled : 0;
    if (pending != nullptr) *pending = *current;
    return success;
  });
}

FAKEGPU_NVML nvmlDeviceIsMigDeviceHandle(Device handle, unsigned* is) {
  return ask_value<unsigned>("nvmlDeviceIsMigDeviceHandle", handle, Answers::always, is,
                             [](const Target& target) { return target.slice ? 1U : 0U; });
}

FAKEGPU_NVML nvmlDeviceGetDeviceHandleFromMigDeviceHandle(Device handle, Device* out) {
  return ask("nvmlDeviceGetDeviceHandleFromMigDeviceHandle", handle, Answers::always,
             [&](const Target& target) -> int {
               if (!target.slice) return invalid_argument;
               *out = handle_of(target.device, false);
               return success;
             });
}

FAKEGPU_NVML nvmlDeviceGetMaxMigDeviceCount(Device handle, unsigned* count) {
  return ask_value<unsigned>(
      "nvmlDeviceGetMaxMigDeviceCount", handle, Answers::whole, count,
      [](const Target& target) { return target.model->mig.present() ? 7U : 0U; });
}

FAKEGPU_NVML nvmlDeviceGetMigDeviceHandleByIndex(Device handle, unsigned index, Device* out) {
  return ask("nvmlDeviceGetMigDeviceHandleByIndex", handle, Answers::whole,
             [&](const Target& target) -> int {
               if (!target.model->mig.present() || index != 0) return not_found;
               *out = handle_of(target.device, true);
               return success;
             });
}

FAKEGPU_NVML nvmlDeviceGetVirtualizationMode(Device handle, unsigned* mode) {
  return ask_value<unsigned>(
      "nvmlDeviceGetVirtualizationMode", handle, Answers::whole, mode,
      [](const Target& target) { return target.model->virtual_gpu ? kVirtualGpu : 0U; });
}

FAKEGPU_NVML nvmlDeviceGetEccMode(Device handle, unsigned* current, unsigned* pending) {
  return ask("nvmlDeviceGetEccMode", handle, Answers::physical, [&](const Target& target) {
    if (!target.model->ecc_known) return not_supported;
    *current = target.model->ecc ? kEnabled : 0;
    if (pending != nullptr) *pending = *current;
    return success;
  });
}

FAKEGPU_NVML nvmlDeviceGetPersistenceMode(Device handle, unsigned* mode) {
  return ask_value<unsigned>(
      "nvmlDeviceGetPersistenceMode", handle, Answers::physical, mode,
      [](const Target& target) { return target.model->persistence ? kEnabled : 0U; });
}

FAKEGPU_NVML nvmlDeviceGetCudaComputeCapability(Device handle, int* major, int* minor) {
  return ask("nvmlDeviceGetCudaComputeCapability", handle, Answers::always,
             [&](const Target& target) {
               *major = target.model->major;
               *minor = target.model->minor;
               return success;
             });
}

FAKEGPU_NVML nvmlDeviceGetMemoryBusWidth(Device handle, unsigned* bits) {
  return ask_value<unsigned>("nvmlDeviceGetMemoryBusWidth", handle, Answers::whole, bits,
                             [](const Target& target) { return target.model->bus_bits; });
}
