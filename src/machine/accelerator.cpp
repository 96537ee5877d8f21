#include "machine/accelerator.hpp"

#include <algorithm>

namespace roofline::machine {

std::string_view name(Confidence confidence) {
  constexpr std::string_view names[] = {"high", "medium", "low"};
  return names[static_cast<std::size_t>(confidence)];
}

std::string_view name(Provenance provenance) {
  constexpr std::string_view names[] = {"printed_dense", "sparse_halved", "same_rate",
                                        "cloud_printed", "computed",      "secondary"};
  return names[static_cast<std::size_t>(provenance)];
}

const DensePeak* dense_peak(const Accelerator& accelerator, PeakKey key) {
  const auto found = accelerator.dense.find(key);
  return found == accelerator.dense.end() ? nullptr : std::get_if<DensePeak>(&found->second);
}

std::optional<MemorySize> memory_size(const Accelerator& accelerator) {
  const Memory& memory = accelerator.memory;
  const bool inline_ecc = has_inline_ecc(memory);
  if (memory.reported) {
    // With ECC 15/16 of the nameplate, without it nearly all.
    constexpr double kBetween = 0.97;
    const bool on = memory.nameplate_gb &&
                    memory.reported->value < byte(kBetween * memory.nameplate_gb->value * kGibi);
    return MemorySize{memory.reported->value, true,
                      !inline_ecc ? "as a driver reports it"
                      : on        ? "as a driver reports it with ECC on"
                                  : "as a driver reports it with ECC off"};
  }
  if (!memory.nameplate_gb) return std::nullopt;
  return MemorySize{byte(memory.nameplate_gb->value * kGibi), false,
                    inline_ecc ? "nameplate, GiB; ECC, where it is on, takes a sixteenth of it"
                               : "nameplate, GiB"};
}

bool has_inline_ecc(const Memory& memory) { return memory.type.starts_with("GDDR6"); }

std::string_view exception_for(const Accelerator& accelerator, std::string_view field) {
  for (const CrossCheckException& exception : accelerator.exceptions) {
    if (std::find(exception.fields.begin(), exception.fields.end(), field) !=
        exception.fields.end()) {
      return exception.reason;
    }
  }
  return {};
}

}  // namespace roofline::machine
