// What goes on on the GPUs: whether they can be measured, who else uses them, heat, errors.
#include <fmt/core.h>

#include "host/checks/each_gpu.hpp"

namespace roofline::host {
namespace {

Verdict usable(const Gpu& gpu) {
  if (gpu.unusable.empty()) return {Severity::ok, "can be measured"};
  return {Severity::lowers, "can't be measured: " + gpu.unusable};
}

Verdict processes(const Gpu& gpu) {
  const auto others = number_of(gpu, "other_processes");
  if (!others.value) return unknown(others.why);
  if (*others.value == 0) return {Severity::ok, "no other process computes on it"};
  return {Severity::spoils,
          *others.value == 1
              ? std::string("1 other process has a context on it")
              : fmt::format("{:.0f} other processes have a context on it", *others.value)};
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// The driver's words for reasons, as clock_event_reasons has them.
Severity severity_of(const std::string& reasons) {
  for (const char* part : {"thermal", "hardware slowdown", "power brake"}) {
    if (contains(reasons, part)) return Severity::spoils;
  }
  for (const char* part : {"power cap", "sync boost"}) {
    if (contains(reasons, part)) return Severity::lowers;
  }
  return Severity::ok;  // a clock that somebody set has a check of its own
}

Verdict throttling(const Gpu& gpu) {
  constexpr double kMarginC = 5;
  const auto reasons = text_of(gpu, "clock_event_reasons");
  const auto now = number_of(gpu, "temperature_c");
  const auto limit = number_of(gpu, "slowdown_temperature_c");
  std::string heat;
  if (now.value) heat = fmt::format("{:.0f} °C", *now.value);
  if (now.value && limit.value)
    heat += fmt::format(" of the {:.0f} it slows down at", *limit.value);
  if (reasons.value && severity_of(*reasons.value) != Severity::ok) {
    return {severity_of(*reasons.value),
            "its clock is held down: " + *reasons.value + (heat.empty() ? "" : ", " + heat)};
  }
  if (now.value && limit.value && *now.value >= *limit.value - kMarginC)
    return {Severity::lowers, "it is hot before anything is measured: " + heat};
  if (!reasons.value) return unknown(reasons.why);
  return {Severity::ok, "nothing holds its clock down" + (heat.empty() ? "" : ", " + heat)};
}

Verdict memory_errors(const Gpu& gpu) {
  const auto errors = number_of(gpu, "ecc_uncorrected_errors");
  if (!errors.value) return unknown(errors.why);
  if (*errors.value == 0) return {Severity::ok, "no uncorrected error since the driver was loaded"};
  return {Severity::spoils,
          counted(static_cast<std::size_t>(*errors.value), "uncorrected memory error") +
              " since the driver was loaded"};
}

std::string variable(const Evidence& e, const char* name) {
  if (!e.environment) return {};
  const auto found = e.environment->find(name);
  return found == e.environment->end() ? std::string() : found->second;
}

/// MPS is one for the machine: its daemon may run outside of a container and show its pipe alone.
Verdict mps(const Evidence& e) {
  const std::string share = variable(e, "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
  const std::string pipe = variable(e, "CUDA_MPS_PIPE_DIRECTORY");
  if (!share.empty() && share != "100") {
    return {Severity::lowers,
            "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=" + share,
            {"unset CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"},
            "a client of MPS gets that part of the SMs: every compute roof is lower by it"};
  }
  const auto& daemon = e.conditions.mps_process;
  if (daemon && !daemon->empty()) return {Severity::lowers, *daemon + " runs"};
  if (!pipe.empty() || e.conditions.mps_pipe.value_or(false)) {
    return {Severity::note, (pipe.empty() ? std::string("/tmp/nvidia-mps/control is there")
                                          : "CUDA_MPS_PIPE_DIRECTORY=" + pipe) +
                                ", but no MPS daemon can be seen from here"};
  }
  if (!daemon) return unknown("no processes can be seen in /proc");
  return {Severity::ok, "no MPS daemon"};
}

constexpr Check kChecks[] = {
    {"gpu_usable", "no point can be measured on a GPU that can't be used",
     "the reason says what would help; other devices are measured all the same (--device)", false,
     "", on_each_gpu<usable>},
    {"gpu_processes",
     "they share its SMs, caches, memory bandwidth and power limit, and take turns with whatever "
     "is timed: figures may halve",
     "stop them (nvidia-smi tells which), or measure another GPU: roofline run --device cuda:N",
     false, "", on_each_gpu<processes>},
    {"gpu_throttling",
     "the clock falls, or has fallen already, while a point is measured: what is bound by "
     "arithmetic is slower in proportion",
     "let it cool down and see to its air, its power supply and what else draws power; nvidia-smi "
     "-q -d PERFORMANCE,TEMPERATURE tells more",
     false, "", on_each_gpu<throttling>},
    {"gpu_memory_errors", "results and times of a memory that fails can't be trusted",
     "nvidia-smi -q -d ECC,ROW_REMAPPER tells where; reset the GPU (nvidia-smi -r) or have it "
     "replaced",
     true, "measure another GPU: roofline run --device cuda:N", on_each_gpu<memory_errors>},
    {"gpu_mps",
     "kernels go through the MPS server, where those of other clients may run at the same time; a "
     "fault of one client ends all of them",
     "end it while nobody needs it: echo quit | nvidia-cuda-mps-control; or go past it: "
     "CUDA_MPS_PIPE_DIRECTORY=/dev/null roofline run",
     false, "", mps},
};

}  // namespace

std::span<const Check> checks_of_gpu_state() { return kChecks; }

}  // namespace roofline::host
