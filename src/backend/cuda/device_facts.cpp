#include "backend/cuda/device_facts.hpp"

#include <algorithm>
#include <cctype>

namespace roofline::cuda {
namespace {

constexpr const char* kFakePrefix = "FAKE ";
constexpr int kProhibited = 2;  ///< CU_COMPUTEMODE_PROHIBITED
constexpr unsigned kVgpu = 2;   ///< NVML_GPU_VIRTUALIZATION_MODE_VGPU

/// The first driver of each CUDA release, by NVIDIA's release notes.
const char* first_driver(int cuda_version) {
  if (cuda_version >= 13000) return "580";
  if (cuda_version >= 12000) return "525";
  return "450";
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

FactValue count_or_unknown(std::uint64_t value, const char* what) {
  if (value == 0) return Unknown{std::string("the driver gives no ") + what};
  return value;
}

FactValue hertz_or_unknown(int khz, const char* what) {
  if (khz <= 0) return Unknown{std::string("the driver gives no ") + what + " (0 kHz)"};
  return static_cast<double>(khz) * 1e3;
}

FactValue text_or_unknown(const std::string& text, const char* what) {
  if (text.empty()) return Unknown{std::string("the driver gives no ") + what};
  return text;
}

std::uint64_t positive(int value) { return value > 0 ? static_cast<std::uint64_t>(value) : 0; }

/// Two transfers per clock, bus width in bits.
FactValue theoretical_bandwidth(const DeviceReading& device) {
  if (device.memory_clock_khz <= 0)
    return Unknown{"the driver gives no memory clock (0 kHz), of which it would follow"};
  if (device.memory_bus_bits <= 0)
    return Unknown{
        "the driver gives no width of the memory bus (0 bits), of which it would follow"};
  return 2 * static_cast<double>(device.memory_clock_khz) * 1e3 *
         static_cast<double>(device.memory_bus_bits) / 8;
}

void add_mig(const DeviceReading& device, const NvmlReading& nvml, Facts& out) {
  const std::string profile = mig_profile(device.name);
  const bool mig =
      !profile.empty() || device.uuid.starts_with("MIG-") || nvml.is_mig.value_or(false);
  out.push_back({"mig", mig});
  if (!mig) return;
  out.push_back({"mig_profile", profile.empty()
                                    ? FactValue{Unknown{"the name of the device states no profile"}}
                                    : FactValue{profile}});
}

void add_virtual(const DeviceReading& device, const NvmlReading& nvml, Facts& out) {
  const bool by_name = is_virtual_name(device.name);
  const bool by_nvml = nvml.virtualization == kVgpu;
  out.push_back({"virtual_gpu", by_name || by_nvml});
  if (!by_name && !by_nvml) return;
  out.push_back({"virtual_gpu_note",
                 std::string(by_nvml ? "NVML says vGPU" : "its name is that of a vGPU profile") +
                     ": the card is shared in time slices, so its peaks need not hold"});
}

void add_simulated(const DeviceReading& device, const NvmlReading& nvml, Facts& out) {
  const auto* driver = std::get_if<std::string>(&nvml.driver_version);
  const bool by_driver = driver != nullptr && driver->ends_with("-fake");
  if (!device.name.starts_with(kFakePrefix) && !by_driver) return;
  out.push_back({"simulated", true});
  out.push_back({"simulated_because", by_driver ? "the driver calls itself " + *driver
                                                : "the device calls itself " + device.name});
}

}  // namespace

Facts device_facts(const DeviceReading& device, const NvmlReading& nvml,
                   const KernelImages& images) {
  Facts out;
  const bool capable = device.capability_major > 0;
  out.push_back({"cuda_index", std::uint64_t{positive(device.index)}});
  out.push_back({"uuid", text_or_unknown(device.uuid, "UUID")});
  out.push_back({"pci_bus_id", text_or_unknown(device.pci_bus_id, "PCI address")});
  out.push_back({"compute_capability",
                 capable ? FactValue{std::to_string(device.capability_major) + "." +
                                     std::to_string(device.capability_minor)}
                         : FactValue{Unknown{"the driver gives no compute capability"}}});
  out.push_back({"sm_count", count_or_unknown(positive(device.sm_count), "number of SMs")});
  out.push_back({"memory_bytes", count_or_unknown(device.memory_bytes, "size of the memory")});
  out.push_back({"memory_free_bytes", nvml.memory_free_bytes});
  out.push_back({"l2_bytes", count_or_unknown(positive(device.l2_bytes), "size of the L2 cache")});
  out.push_back({"shared_memory_per_block_bytes",
                 count_or_unknown(positive(device.shared_memory_per_block_bytes),
                                  "size of the shared memory")});
  out.push_back({"clock_max_hz", hertz_or_unknown(device.clock_khz, "SM clock")});
  out.push_back({"memory_clock_hz", hertz_or_unknown(device.memory_clock_khz, "memory clock")});
  out.push_back({"memory_bus_bits",
                 count_or_unknown(positive(device.memory_bus_bits), "width of the memory bus")});
  out.push_back({"theoretical_bandwidth_byte_per_s", theoretical_bandwidth(device)});
  out.push_back({"ecc", device.ecc ? FactValue{*device.ecc != 0}
                                   : FactValue{Unknown{"the driver doesn't say"}}});
  if (device.integrated) out.push_back({"integrated", *device.integrated != 0});
  add_mig(device, nvml, out);
  add_virtual(device, nvml, out);
  out.push_back({"wsl", device.wsl});
  add_simulated(device, nvml, out);
  out.push_back({"driver_version", nvml.driver_version});
  out.push_back({"cuda_driver_version", device.driver_version > 0
                                            ? FactValue{version_text(device.driver_version)}
                                            : FactValue{Unknown{"cuDriverGetVersion gave none"}}});
  const std::string image = image_for(device.capability_major, device.capability_minor, images);
  out.push_back({"kernel_image", image.empty()
                                     ? FactValue{Unknown{"no kernels of this build run on it"}}
                                     : FactValue{image}});
  out.push_back({"power_limit_w", nvml.power_limit_w});
  out.push_back({"default_power_limit_w", nvml.default_power_limit_w});
  out.push_back({"persistence_mode", nvml.persistence_mode});
  out.push_back({"pcie_generation", nvml.pcie_generation});
  out.push_back({"pcie_width", nvml.pcie_width});
  out.push_back({"other_processes", nvml.other_processes});
  return out;
}

std::string unusable_because(const DeviceReading& device, const KernelImages& images) {
  const int major = device.capability_major;
  const int minor = device.capability_minor;
  const std::string capability = std::to_string(major) + "." + std::to_string(minor);
  const int oldest = images.sm.empty() ? 0 : images.sm.front();
  if (major > 0 && major * 10 + minor < oldest) {
    return "its compute capability " + capability + " is below " + std::to_string(oldest / 10) +
           "." + std::to_string(oldest % 10) + ", the oldest that CUDA " +
           version_text(images.cuda_version) +
           " compiles kernels for; measure it with a tool built "
           "with an older CUDA";
  }
  if (device.driver_version > 0 && device.driver_version / 1000 < images.cuda_version / 1000) {
    return "its driver is for CUDA " + version_text(device.driver_version) +
           " and this build needs one for CUDA " + version_text(images.cuda_version / 1000 * 1000) +
           " (driver " + first_driver(images.cuda_version) +
           " or newer); update the driver, or build this program with an older CUDA toolkit";
  }
  if (major > 0 && image_for(major, minor, images).empty()) {
    return "this build has no kernels for compute capability " + capability +
           " and no PTX to make them from; use a build that has";
  }
  if (device.compute_mode == kProhibited) {
    return "its compute mode is prohibited; an administrator can set it back with nvidia-smi -c 0";
  }
  return {};
}

std::string mig_profile(const std::string& name) {
  const std::size_t at = name.find(" MIG ");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + 5;
  return name.substr(begin, name.find(' ', begin) - begin);
}

bool is_virtual_name(const std::string& name) {
  if (name.starts_with("GRID ") || name.find(" GRID ") != std::string::npos) return true;
  const std::size_t dash = name.rfind('-');
  if (dash == std::string::npos || dash + 3 > name.size()) return false;
  const std::string profile = name.substr(dash + 1);
  const bool digits = std::all_of(profile.begin(), profile.end() - 1, [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
  return digits && std::string("QCBA").find(profile.back()) != std::string::npos;
}

std::string uuid_text(const char* prefix, const unsigned char* bytes) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = prefix;
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += kHex[bytes[i] >> 4];
    out += kHex[bytes[i] & 15];
  }
  return out;
}

std::string image_for(int major, int minor, const KernelImages& images) {
  // A cubin runs on its own major architecture, from its own minor one on.
  int best = 0;
  for (const int sm : images.sm) {
    if (sm / 10 == major && sm % 10 <= minor) best = std::max(best, sm);
  }
  if (best > 0) return "sm_" + std::to_string(best);
  if (images.ptx > 0 && images.ptx <= major * 10 + minor)
    return "ptx " + std::to_string(images.ptx / 10) + "." + std::to_string(images.ptx % 10) +
           " jit";
  return {};
}

}  // namespace roofline::cuda
