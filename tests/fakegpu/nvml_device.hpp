// Handles of the simulated NVML, and what each of its calls does first.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "inspection.hpp"
#include "nvml_abi.hpp"

#define FAKEGPU_NVML extern "C" __attribute__((visibility("default"))) int

namespace nvml {

struct Target {
  int device = 0;
  bool slice = false;  ///< a MIG slice, not its GPU
  const fakegpu::DeviceModel* model = nullptr;
  fakegpu::DeviceState state = {};
};

/// Which targets answer a query.
enum class Answers {
  always,
  whole,     ///< a GPU, and no slice of one
  physical,  ///< a GPU that is neither a slice nor virtual
};

[[nodiscard]] bool& initialised();
[[nodiscard]] int device_count();
/// NVML counts in the order of PCI addresses, CUDA does not: here one is the other backwards.
[[nodiscard]] int device_of_index(unsigned index);
[[nodiscard]] Device handle_of(int device, bool slice);
[[nodiscard]] std::optional<Target> target_of(Device handle);
/// `GPU-...`, of a slice `MIG-...`
[[nodiscard]] std::string uuid_of(const Target& target);
/// `00000000:17:00.0`
[[nodiscard]] std::string pci_of(const fakegpu::DeviceModel& model);

/// A query of one device, whose answer is the scenario's or the body's.
int ask(const char* function, Device handle, Answers answers,
        const std::function<int(const Target&)>& body);
/// A query of one number.
template <class T>
int ask_value(const char* function, Device handle, Answers answers, T* out,
              const std::function<T(const Target&)>& value) {
  if (out == nullptr) return invalid_argument;
  return ask(function, handle, answers, [&](const Target& target) {
    *out = value(target);
    return success;
  });
}
/// A query of none.
int ask_system(const char* function, const std::function<int()>& body);
int copy_text(const std::string& text, char* out, unsigned length);

}  // namespace nvml
