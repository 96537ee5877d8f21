// How GPUs are set, and what they are a part of: power limit, clocks, ECC, persistence, link,
// slices, sharing.
#include <fmt/core.h>

#include "host/checks/each_gpu.hpp"

namespace roofline::host {
namespace {

Verdict power_limit(const Gpu& gpu) {
  constexpr double kSame = 0.01;
  const auto limit = number_of(gpu, "power_limit_w");
  const auto own = number_of(gpu, "default_power_limit_w");
  if (!limit.value || !own.value) return unknown(limit.value ? own.why : limit.why);
  const std::string text =
      fmt::format("{:.0f} W of the default {:.0f} W", *limit.value, *own.value);
  const Remedy set{fmt::format("nvidia-smi -i {} -pl {:.0f}", smi_name(gpu), *own.value), true,
                   "judge by the clock-adjusted MFU, and compare only with GPUs of the same limit"};
  if (*limit.value < *own.value * (1 - kSame)) return {Severity::lowers, text, set};
  if (*limit.value > *own.value * (1 + kSame))
    return {Severity::note, text, set, "sustained clocks are higher than on others of its kind"};
  return {Severity::ok, text};
}

Verdict clock_setting(const Gpu& gpu) {
  const auto reasons = text_of(gpu, "clock_event_reasons");
  const auto set = number_of(gpu, "application_clock_hz");
  const auto own = number_of(gpu, "default_application_clock_hz");
  const bool both = set.value && own.value;
  if (both && *set.value < *own.value) {
    return {Severity::lowers, fmt::format("application clock {:.0f} MHz of the default {:.0f}",
                                          *set.value / 1e6, *own.value / 1e6)};
  }
  // Of applications, or of the display: both are somebody's.
  if (reasons.value && reasons.value->find("setting") != std::string::npos)
    return {Severity::lowers, "a clock that was set holds it down: " + *reasons.value};
  if (!reasons.value && !both) return unknown(reasons.why);
  return {Severity::ok, "no clock was set"};
}

Verdict ecc(const Gpu& gpu) {
  const auto on = flag_of(gpu, "ecc");
  if (!on.value) return unknown(on.why);
  if (*on.value) return {Severity::ok, "on"};
  return {Severity::note, "off"};
}

Verdict persistence(const Gpu& gpu) {
  const auto on = flag_of(gpu, "persistence_mode");
  if (!on.value) return unknown(on.why);
  if (*on.value) return {Severity::ok, "on"};
  return {Severity::note,
          "off",
          {"nvidia-smi -i " + smi_name(gpu) + " -pm 1", true,
           "keep some process on it while you measure, such as nvidia-smi -l 10"}};
}

Verdict link(const Gpu& gpu) {
  const auto width = number_of(gpu, "pcie_width_now");
  const auto widest = number_of(gpu, "pcie_width");
  if (!width.value || !widest.value) return unknown(width.value ? widest.why : width.why);
  const auto generation = number_of(gpu, "pcie_generation_now");
  const auto newest = number_of(gpu, "pcie_generation");
  const bool both = generation.value && newest.value;
  std::string text = fmt::format("{:.0f} lanes of {:.0f}", *width.value, *widest.value);
  if (both) text += fmt::format(", generation {:.0f} of {:.0f}", *generation.value, *newest.value);
  if (*width.value < *widest.value) return {Severity::lowers, text};
  if (both && *generation.value < *newest.value) {
    return {
        Severity::note,
        text,
        {"look again while a transfer runs: nvidia-smi -q -d PCIE (a link at rest saves power)"},
        "a link at rest runs at an older generation and rises under load; one that stays there "
        "halves transfers with each"};
  }
  return {Severity::ok, text};
}

Verdict slice(const Gpu& gpu) {
  const auto is_slice = flag_of(gpu, "mig");
  if (!is_slice.value) return unknown(is_slice.why);
  if (!*is_slice.value) return {Severity::ok, "no MIG slice"};
  const auto profile = text_of(gpu, "mig_profile");
  return {Severity::note,
          "a MIG slice" + (profile.value ? " (" + *profile.value + ")" : std::string())};
}

Verdict virtual_gpu(const Gpu& gpu) {
  const auto is_virtual = flag_of(gpu, "virtual_gpu");
  if (!is_virtual.value) return unknown(is_virtual.why);
  if (!*is_virtual.value) return {Severity::ok, "no virtual GPU"};
  return {Severity::lowers, "a virtual GPU"};
}

constexpr Check kChecks[] = {
    {"gpu_power_limit",
     "what is bound by arithmetic is slower than rated under sustained load, and what is bound by "
     "memory hardly",
     "", true, "", on_each_gpu<power_limit>},
    {"gpu_clock_setting", "compute figures are lower in proportion; memory hardly",
     "nvidia-smi -rac (application clocks) and nvidia-smi -rgc (locked clocks) set them back", true,
     "judge by the clock-adjusted MFU", on_each_gpu<clock_setting>},
    {"gpu_ecc",
     "with GDDR memory ECC takes some 6 % of capacity and up to a tenth of bandwidth, with HBM "
     "hardly anything: compare like with like; without it a flipped bit goes unseen",
     "nvidia-smi -e 1 and a restart", true, "name it beside the figures", on_each_gpu<ecc>},
    {"gpu_persistence",
     "the driver is unloaded when nobody uses the GPU: each start takes seconds longer, and limits "
     "and clocks that were set are forgotten; no figure changes",
     "", true, "", on_each_gpu<persistence>},
    {"gpu_link", "transfers between host and GPU are slower in proportion; nothing else is",
     "reseat card or riser, or use another slot; where the slot has no more lanes it is as it is",
     false, "", on_each_gpu<link>},
    {"gpu_slice",
     "its roofs are those of its part of the SMs and of the memory; power limit, clock and heat "
     "are those of the whole card, and neighbours change them",
     "compare with slices of the same profile; see what the neighbours do: nvidia-smi", false, "",
     on_each_gpu<slice>},
    {"gpu_virtual",
     "the card is shared in time slices with machines that can't be seen from here: figures are "
     "those of the moment, and rated peaks need not hold",
     "measure at a quiet time and more than once", false, "", on_each_gpu<virtual_gpu>},
};

}  // namespace

std::span<const Check> checks_of_gpu_settings() { return kChecks; }

}  // namespace roofline::host
