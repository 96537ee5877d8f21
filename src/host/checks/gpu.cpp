// Whether there is a GPU's driver and its library. Files are looked for, never loaded: what each
// GPU is, and whether it can be measured, is told by `roofline devices`.
#include "host/checks/check.hpp"

namespace roofline::host {
namespace {

Verdict nvidia(const Evidence& e) {
  const auto& driver = e.conditions.nvidia_driver;
  const auto& library = e.conditions.libcuda;
  if (!driver && !library) return {Severity::ok, "no NVIDIA driver; CPUs are measured"};
  if (driver && library) return {Severity::note, "NVIDIA driver " + *driver + " and " + *library};
  if (driver)
    return {Severity::note,
            "NVIDIA driver " + *driver + ", but no libcuda.so.1",
            {"in a container: docker run --gpus all; else install the driver's user-space part"},
            "no program here can use the GPU"};
  return {Severity::note,
          *library + ", but no driver is loaded",
          {"modprobe nvidia; in a container: docker run --gpus all", true,
           "nothing: CPUs are measured all the same"},
          "no program here can use a GPU"};
}

constexpr Check kChecks[] = {
    {"nvidia_driver", "without a driver and its libcuda no GPU can be measured",
     "which GPUs are here: roofline devices; roofs by datasheet: roofline explain --device ID",
     false, "", nvidia},
};

}  // namespace

std::span<const Check> checks_of_gpu() { return kChecks; }

}  // namespace roofline::host
