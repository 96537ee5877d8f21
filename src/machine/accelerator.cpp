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
  if (memory.reported) return MemorySize{memory.reported->value, true};
  if (memory.nameplate_gb) return MemorySize{byte(memory.nameplate_gb->value * kGibi), false};
  return std::nullopt;
}

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
