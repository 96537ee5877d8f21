#include "backend/cuda/device_condition.hpp"

#include "backend/cuda/device_reading.hpp"

namespace roofline::cuda {
namespace {

/// Asks NVML about one card, or says why it can't.
class Card {
 public:
  Card(const Nvml& nvml, const DeviceReading& device) : nvml_(nvml) {
    NvmlDevice const found = nvml.find(device.uuid, device.pci_bus_id, why_);
    // Of a slice: link, heat and clocks belong to the whole card.
    if (found != nullptr) card_ = card_of(nvml, found);
  }

  template <class Number = unsigned, class Ask>
  [[nodiscard]] FactValue count(const char* call, Ask&& ask) const {
    if (card_ == nullptr) return Unknown{why_};
    Number value{};
    const int result = ask(card_, &value);
    if (result != kNvmlSuccess) return Unknown{std::string(call) + ": " + Nvml::words(result)};
    return static_cast<std::uint64_t>(value);
  }

  [[nodiscard]] FactValue clock(
      const char* call, const NvmlFunction<NvmlDevice, unsigned, unsigned*>& function) const {
    const FactValue mhz = count(call, [&](NvmlDevice card, unsigned* value) {
      return function(card, kNvmlClockGraphics, value);
    });
    const auto* known = std::get_if<std::uint64_t>(&mhz);
    return known == nullptr ? mhz : FactValue{static_cast<double>(*known) * 1e6};
  }

  [[nodiscard]] FactValue reasons() const {
    const FactValue bits = count<unsigned long long>(
        "nvmlDeviceGetCurrentClocksEventReasons",
        [&](NvmlDevice card, auto* value) { return nvml_.clock_event_reasons(card, value); });
    const auto* known = std::get_if<std::uint64_t>(&bits);
    return known == nullptr ? bits : FactValue{clock_event_text(*known)};
  }

 private:
  const Nvml& nvml_;
  NvmlDevice card_ = nullptr;
  std::string why_;
};

}  // namespace

Facts read_condition(const Libraries& libraries, const DeviceReading& device) {
  const Nvml& nvml = libraries.nvml;
  const Card card(nvml, device);
  return {
      {"clock_event_reasons", card.reasons()},
      {"temperature_c",
       card.count("nvmlDeviceGetTemperature",
                  [&](NvmlDevice of, unsigned* value) { return nvml.temperature(of, value); })},
      {"slowdown_temperature_c", card.count("nvmlDeviceGetTemperatureThreshold",
                                            [&](NvmlDevice of, unsigned* value) {
                                              return nvml.temperature_threshold(
                                                  of, kNvmlSlowdownTemperature, value);
                                            })},
      {"pcie_generation_now",
       card.count("nvmlDeviceGetCurrPcieLinkGeneration", nvml.pcie_generation_now)},
      {"pcie_width_now", card.count("nvmlDeviceGetCurrPcieLinkWidth", nvml.pcie_width_now)},
      {"application_clock_hz",
       card.clock("nvmlDeviceGetApplicationsClock", nvml.application_clock_mhz)},
      {"default_application_clock_hz",
       card.clock("nvmlDeviceGetDefaultApplicationsClock", nvml.default_application_clock_mhz)},
      {"ecc_uncorrected_errors",
       card.count<unsigned long long>("nvmlDeviceGetTotalEccErrors",
                                      [&](NvmlDevice of, unsigned long long* value) {
                                        return nvml.total_ecc_errors(of, kNvmlUncorrected,
                                                                     kNvmlVolatile, value);
                                      })},
  };
}

}  // namespace roofline::cuda
