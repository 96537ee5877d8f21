// Whether there is a GPU, or at least a GPU's driver and its library. What each GPU is, and whether
// it can be measured, is told by `roofline devices`.
#include "host/checks/check.hpp"
#include "roofline/record.hpp"

namespace roofline::host {
namespace {

std::string list_of(const Gpus& gpus) {
  std::string out = counted(gpus.devices.size(), "GPU") + ": ";
  const char* separator = "";
  for (const Gpu& gpu : gpus.devices) {
    out += separator + spoken_name(gpu.id, gpu.name);
    separator = ", ";
  }
  return out;
}

Verdict nvidia(const Evidence& e) {
  const auto& driver = e.conditions.nvidia_driver;
  const auto& library = e.conditions.libcuda;
  if (e.gpus && !e.gpus->devices.empty()) {
    return {
        Severity::note,
        list_of(*e.gpus),
        {"what each is: roofline devices cuda:0; measure all of them: roofline run --device all"},
        "without --device the first that can be measured is"};
  }
  const std::string none = e.gpus ? "no GPU: " + e.gpus->none_because : std::string();
  if (!driver && !library)
    return {Severity::ok, e.gpus ? none : "no NVIDIA driver; CPUs are measured"};
  if (driver && library && e.gpus)
    return {Severity::note, none, {"nvidia-smi tells what the driver sees"}};
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
