#include "backend/cuda/libraries.hpp"

#include <dlfcn.h>

#include <cstdlib>

#include "backend/cuda/library_search.hpp"
#include "backend/cuda/visible_devices.hpp"

namespace roofline::cuda {
namespace {

constexpr int kStub = 34;
constexpr int kNoDevice = 100;

const char* environment(const char* name) { return std::getenv(name); }

/// A libcuda that can be initialised, or that fails for another reason than being none: that one
/// would be the driver, and its reason is the answer.
std::string accept_driver(void* handle) {
  using Init = CUresult(CUDAAPI*)(unsigned);
  const auto init = reinterpret_cast<Init>(dlsym(handle, "cuInit"));
  if (init == nullptr) return "it is no CUDA driver (it has no cuInit)";
  if (static_cast<int>(init(0)) != kStub) return {};
  return std::string(error_words(kStub)) + " (" + error_name(kStub) + "); " +
         std::string(way_out(kStub));
}

std::string no_driver(const std::string& problem) {
  return "no CUDA driver could be loaded: " + problem +
         "; install the NVIDIA driver, or name its libcuda with ROOFLINE_LIBCUDA";
}

std::string init_problem(int result, const std::string& path) {
  std::string out =
      path + ": cuInit: " + std::string(error_words(result)) + " (" + error_name(result) + ")";
  const char* const visible = environment("CUDA_VISIBLE_DEVICES");
  if (result == kNoDevice && visible != nullptr) {
    out += "; " + describe(parse_visible_devices(visible));
  } else if (!way_out(result).empty()) {
    out += "; " + std::string(way_out(result));
  }
  return out;
}

}  // namespace

std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::shared_ptr<const Libraries> load_libraries(const CudaOptions& options) {
  auto out = std::make_shared<Libraries>();
  const OpenedLibrary driver =
      open_first(candidates(DriverLibrary::libcuda, options.libcuda, environment), accept_driver);
  if (driver.handle == nullptr) {
    out->driver_problem = no_driver(driver.problem);
    return out;
  }
  out->driver = bind_driver(driver.handle);
  out->driver_path = driver.path;
  if (out->driver.driver_version.result(&out->driver_version) != CUDA_SUCCESS)
    out->driver_version = 0;
  const auto result = static_cast<int>(out->driver.init.result(0));
  if (result != 0) out->driver_problem = init_problem(result, driver.path);
  out->nvml.load(candidates(DriverLibrary::libnvidia_ml, options.nvml, environment));
  return out;
}

Facts library_facts(const Libraries& libraries) {
  Facts out;
  if (libraries.driver_path.empty()) {
    out.push_back({"libcuda", Unknown{libraries.driver_problem}});
  } else {
    out.push_back({"libcuda", libraries.driver_path});
  }
  out.push_back({"libnvidia_ml", libraries.nvml.path_fact()});
  out.push_back({"driver_version", libraries.nvml.driver_version()});
  if (libraries.driver_version > 0) {
    out.push_back({"cuda_driver_version", cuda_version_text(libraries.driver_version)});
  } else {
    out.push_back({"cuda_driver_version", Unknown{"cuDriverGetVersion gave none"}});
  }
  return out;
}

}  // namespace roofline::cuda
