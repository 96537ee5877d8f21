#include "nvml_device.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace nvml {
namespace {

constexpr std::uintptr_t kGpus = 0x2000;
constexpr std::uintptr_t kSlices = 0x3000;
constexpr std::uintptr_t kStep = 16;

}  // namespace

bool& initialised() {
  static bool done = false;
  return done;
}

int device_count() {
  fakegpu::MachineState machine;
  fakegpu_machine(&machine);
  return machine.devices;
}

int device_of_index(unsigned index) { return device_count() - 1 - static_cast<int>(index); }

Device handle_of(int device, bool slice) {
  const std::uintptr_t number =
      (slice ? kSlices : kGpus) + kStep * static_cast<std::uintptr_t>(device);
  return reinterpret_cast<Device>(number);  // NOLINT(performance-no-int-to-ptr)
}

std::optional<Target> target_of(Device handle) {
  for (int device = 0; device < device_count(); ++device) {
    for (const bool slice : {false, true}) {
      if (handle != handle_of(device, slice)) continue;
      Target target{.device = device, .slice = slice, .model = fakegpu_model(device)};
      fakegpu_device(device, &target.state);
      return target;
    }
  }
  return std::nullopt;
}

std::string uuid_of(const Target& target) {
  std::string digits = target.model->uuid;
  // The GPU behind a slice has a UUID of its own.
  if (target.model->mig.present() && !target.slice)
    digits.front() = digits.front() == 'f' ? '0' : 'f';
  return (target.slice ? "MIG-" : "GPU-") + digits.substr(0, 8) + "-" + digits.substr(8, 4) + "-" +
         digits.substr(12, 4) + "-" + digits.substr(16, 4) + "-" + digits.substr(20);
}

std::string pci_of(const fakegpu::DeviceModel& model) {
  char text[32];
  std::snprintf(text, sizeof(text), "%08X:%02X:00.0", model.pci_domain, model.pci_bus);
  return text;
}

int ask(const char* function, Device handle, Answers answers,
        const std::function<int(const Target&)>& body) {
  if (!initialised()) return uninitialized;
  const auto target = target_of(handle);
  if (!target) return invalid_argument;
  if (const int answer = fakegpu_nvml_answer(function, target->device)) return answer;
  if (target->slice && answers != Answers::always) return not_supported;
  if (target->model->virtual_gpu && answers == Answers::physical) return not_supported;
  return body(*target);
}

int ask_system(const char* function, const std::function<int()>& body) {
  if (!initialised()) return uninitialized;
  if (const int answer = fakegpu_nvml_answer(function, -1)) return answer;
  return body();
}

int copy_text(const std::string& text, char* out, unsigned length) {
  if (out == nullptr) return invalid_argument;
  if (length <= text.size()) return insufficient_size;
  std::memcpy(out, text.c_str(), text.size() + 1);
  return success;
}

}  // namespace nvml
