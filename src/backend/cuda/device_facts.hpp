// What is said of a GPU, as arithmetic on what the driver and NVML answered: facts, labels, and why
// a GPU can't be measured. Asks nobody itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "roofline/fact.hpp"

namespace roofline::cuda {

/// As the driver gave it; 0 and empty: it gave nothing, or 0.
struct DeviceReading {
  int index = 0;  ///< CUDA's own number
  std::string name;
  std::string uuid;  ///< `GPU-...`, `MIG-...`
  std::string pci_bus_id;
  int capability_major = 0;
  int capability_minor = 0;
  int sm_count = 0;
  std::uint64_t memory_bytes = 0;
  int clock_khz = 0;
  int memory_clock_khz = 0;
  int memory_bus_bits = 0;
  int l2_bytes = 0;
  int shared_memory_per_block_bytes = 0;
  int shared_memory_opt_in_bytes = 0;  ///< that a block may have when it asks for it
  int shared_memory_per_sm_bytes = 0;
  int threads_per_sm = 0;
  std::optional<int> ecc = {};
  std::optional<int> integrated = {};
  int compute_mode = 0;    ///< CUcomputemode
  int driver_version = 0;  ///< 13000
  bool wsl = false;
};

/// As NVML gave it; a fact it couldn't give is an Unknown with the reason.
struct NvmlReading {
  FactValue driver_version = Unknown{};  ///< `580.65.06`
  FactValue memory_free_bytes = Unknown{};
  FactValue power_limit_w = Unknown{};
  FactValue default_power_limit_w = Unknown{};
  FactValue persistence_mode = Unknown{};
  FactValue pcie_generation = Unknown{};
  FactValue pcie_width = Unknown{};
  FactValue other_processes = Unknown{};
  std::optional<bool> is_mig = {};
  std::optional<unsigned> virtualization = {};  ///< nvmlGpuVirtualizationMode_t
};

/// What the kernels of this build were compiled for.
struct KernelImages {
  std::vector<int> sm;   ///< 75, 80 ... ascending
  int ptx = 0;           ///< newest architecture whose PTX is included; 0: none
  int cuda_version = 0;  ///< of the toolkit, as 13000
};
/// Of this build.
[[nodiscard]] const KernelImages& kernel_images();

[[nodiscard]] Facts device_facts(const DeviceReading& device, const NvmlReading& nvml,
                                 const KernelImages& images);

/// Why the device can't be measured and what would help; empty when it can.
[[nodiscard]] std::string unusable_because(const DeviceReading& device, const KernelImages& images);

/// `1g.10gb` of a name that ends in `MIG 1g.10gb`; empty for a whole GPU.
[[nodiscard]] std::string mig_profile(const std::string& name);
/// Whether the name is one that vGPU gives: `GRID ...`, or a profile such as `-8Q` or `-80C` at its
/// end.
[[nodiscard]] bool is_virtual_name(const std::string& name);
/// `GPU-01234567-89ab-...` of 16 bytes.
[[nodiscard]] std::string uuid_text(const char* prefix, const unsigned char* bytes);
/// `sm_90`, `ptx 12.0 jit`; empty when no image fits.
[[nodiscard]] std::string image_for(int major, int minor, const KernelImages& images);

}  // namespace roofline::cuda
