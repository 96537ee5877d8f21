// Whether there is a GPU's driver, which this version does not measure.
#include "host/checks/check.hpp"

namespace roofline::host {
namespace {

Verdict nvidia(const Evidence& e) {
  const auto& driver = e.conditions.nvidia_driver;
  const auto& library = e.conditions.libcuda;
  if (!driver && !library)
    return {Severity::ok, "no NVIDIA driver; GPU support is not in this build, CPUs are measured"};
  if (driver && library) return {Severity::note, "NVIDIA driver " + *driver + " and " + *library};
  if (driver)
    return {Severity::note,
            "NVIDIA driver " + *driver + ", but no libcuda.so.1",
            {"in a container: docker run --gpus all; else install the driver's user-space part"},
            "no program here can use the GPU; GPU support is not in this build either way"};
  return {Severity::note,
          *library + ", but no driver is loaded",
          {"modprobe nvidia; in a container: docker run --gpus all", true,
           "nothing: CPUs are measured all the same"},
          "no program here can use a GPU; GPU support is not in this build either way"};
}

constexpr Check kChecks[] = {
    {"nvidia_driver", "GPU support is not in this build: the GPU is neither measured nor disturbed",
     "for the GPU's roofs by datasheet: roofline devices, roofline explain --device ID", false, "",
     nvidia},
};

}  // namespace

std::span<const Check> checks_of_gpu() { return kChecks; }

}  // namespace roofline::host
