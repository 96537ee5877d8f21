// The driver's libraries as this process found them: loaded once, kept for its life.
#pragma once

#include <memory>
#include <string>

#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver_api.hpp"
#include "backend/cuda/nvml.hpp"

namespace roofline::cuda {

struct Libraries {
  DriverApi driver;
  std::string driver_path;
  std::string driver_problem;  ///< why no device can be asked for; empty when they can
  int driver_version = 0;      ///< of CUDA that the driver is for, as 13000; 0: unknown
  Nvml nvml;
};

/// Searches, loads and initialises. Never throws for what isn't there.
[[nodiscard]] std::shared_ptr<const Libraries> load_libraries(const CudaOptions& options);

/// libcuda, libnvidia_ml (paths of what was really loaded, or why nothing was), driver_version,
/// cuda_driver_version.
[[nodiscard]] Facts library_facts(const Libraries& libraries);

/// `13.0` of 13000.
[[nodiscard]] std::string cuda_version_text(int version);

}  // namespace roofline::cuda
