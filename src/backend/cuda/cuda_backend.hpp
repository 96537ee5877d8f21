// The NVIDIA GPUs of this machine behind the backend interface: what is here, why what is here
// can't be used, and the backend that measures the rest. The driver is loaded when first asked
// for; a build without CUDA support answers the same calls and says so.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.hpp"

namespace roofline::cuda {

/// Which of a GEMM library's algorithms runs: the fastest of those that it suggests, or the first.
enum class AlgoChoice { best, first };

struct CudaOptions {
  /// Paths of libcuda and libnvidia-ml. Empty: the environment (ROOFLINE_LIBCUDA, ROOFLINE_NVML),
  /// then the loader's own search, then the usual folders of drivers.
  std::string libcuda = {};
  std::string nvml = {};
  /// Of libcublasLt, likewise (ROOFLINE_CUBLASLT), with the folders of toolkits and Python
  /// packages.
  std::string libcublaslt = {};
  AlgoChoice algo = AlgoChoice::best;
};

struct ListedDevice {
  backend::Device device;     ///< id `cuda:N` by CUDA's own numbering, name, facts
  std::string unusable = {};  ///< why it can't be measured, and what would help; empty when it can
};

struct Inventory {
  std::vector<ListedDevice> devices;
  std::string none_because = {};  ///< one sentence; empty when there are devices
  Facts libraries;                ///< which files were loaded, or what was tried in vain
};

/// Never throws for what isn't there: no library, a stub, no device and an old driver are answers.
[[nodiscard]] Inventory take_inventory(const CudaOptions& options);

/// The same, each device's facts followed by the state that it is in just now: clock_event_reasons,
/// temperature_c, slowdown_temperature_c, pcie_generation_now, pcie_width_now,
/// application_clock_hz, default_application_clock_hz, ecc_uncorrected_errors (since the driver was
/// loaded). Asks NVML only: makes no context and changes nothing.
[[nodiscard]] Inventory examine_devices(const CudaOptions& options);

/// Its devices() are those of the inventory that can be measured: none without a driver.
[[nodiscard]] std::unique_ptr<backend::Backend> make_cuda_backend(const CudaOptions& options);

/// By `cuda:N`, `N`, a UUID or the beginning of one (`GPU-4f1c`, `MIG-...`), or the name as far as
/// its words go (`A100`, `NVIDIA H200`). Nothing when none is so called. Throws InputError when
/// several are, naming them.
[[nodiscard]] const ListedDevice* find_device(const Inventory& inventory, std::string_view text);

}  // namespace roofline::cuda
