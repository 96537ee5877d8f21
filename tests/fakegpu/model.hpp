// What a simulated GPU is: the figures its driver would report and the rates it would reach. Plain
// values; presets.cpp has the products, a scenario may change each figure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fakegpu {

struct Process {
  unsigned pid = 0;
  std::uint64_t memory_bytes = 0;
};

struct MigSlice {
  int sm_count = 0;  ///< 0: the device is not partitioned
  int memory_eighths = 0;
  std::string profile = {};  ///< `1g.10gb`

  [[nodiscard]] bool present() const { return sm_count > 0; }
};

/// Of one SM, on the ordinary units (no tensor cores); FMA = 2.
struct FlopPerClock {
  double fp64 = 64;
  double fp32 = 128;
  double fp16 = 256;
};

/// Of one SM, on its tensor cores where it has such for the type, dense; FMA = 2. 0: the device
/// has no such product.
struct MatrixFlopPerClock {
  double fp64 = 0;
  double fp32 = 0;  ///< true fp32, on the ordinary units
  double tf32 = 0;
  double fp16 = 0;
  double bf16 = 0;
  double fp8 = 0;
  double int8 = 0;
};

struct DeviceModel {
  std::string name;  ///< as the product is called; the driver reports it behind "FAKE "
  int major = 0;
  int minor = 0;
  int sm_count = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t memory_limit_bytes = 0;  ///< allocations end here; 0: at memory_bytes
  std::uint64_t l2_bytes = 0;
  unsigned bus_bits = 0;
  unsigned memory_clock_khz = 0;  ///< as the attribute says: half the data rate
  unsigned clock_khz = 0;         ///< highest SM clock
  unsigned idle_clock_khz = 0;
  unsigned shared_opt_in_bytes = 0;
  unsigned shared_per_sm_bytes = 0;
  unsigned threads_per_sm = 2048;
  double bandwidth = 0;     ///< byte/s of the memory, theoretical
  double l2_bandwidth = 0;  ///< byte/s at clock_khz
  unsigned pcie_generation = 4;
  unsigned pcie_width = 16;
  double pinned_bandwidth = 0;    ///< byte/s of the host link, page-locked memory
  double pageable_bandwidth = 0;  ///< byte/s of the host link, ordinary memory
  double power_limit_w = 0;
  double default_power_limit_w = 0;
  FlopPerClock flop_per_clock = {};
  MatrixFlopPerClock matrix_flop_per_clock = {};
  double matrix_efficiency = 0.87;  ///< what the best kernel reaches of it on large matrices
  unsigned clock_tick_ns = 32;      ///< how often globaltimer moves on

  bool ecc = true;
  bool ecc_known = true;
  unsigned ecc_errors = 0;      ///< uncorrected ones that are counted
  double ecc_errors_after = 0;  ///< after so many s of load
  bool persistence = true;
  bool virtual_gpu = false;
  MigSlice mig = {};

  double efficiency = 1;        ///< factor on what streams reach of `bandwidth`
  double bandwidth_factor = 1;  ///< below 1: the memory of this very GPU is slower
  double clock_factor = 1;      ///< below 1: this very GPU never reaches clock_khz
  std::string uuid = {};        ///< 16 bytes as 32 hexadecimal digits
  unsigned pci_domain = 0;
  unsigned pci_bus = 0;
  std::map<int, int> attributes = {};  ///< CUdevice_attribute -> value, instead of the above
  std::vector<Process> processes = {};
};

}  // namespace fakegpu
