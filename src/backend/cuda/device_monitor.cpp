#include "backend/cuda/device_monitor.hpp"

#include <algorithm>
#include <chrono>

namespace roofline::cuda {
namespace {

struct EventRow {
  unsigned long long bit;
  ClockEvent event;
};
// nvmlClocksEventReasons of R580; idle (bit 0) is no reason of a device at work.
constexpr EventRow kEvents[] = {
    {0x2, ClockEvent::clock_setting},   {0x4, ClockEvent::sw_power_cap},
    {0x8, ClockEvent::hw_slowdown},     {0x10, ClockEvent::sync_boost},
    {0x20, ClockEvent::sw_thermal},     {0x40, ClockEvent::hw_thermal},
    {0x80, ClockEvent::hw_power_brake}, {0x100, ClockEvent::clock_setting},
};

ClockEvents events_of(unsigned long long bits) {
  ClockEvents out;
  for (const EventRow& row : kEvents) {
    if ((bits & row.bit) != 0) out.add(row.event);
  }
  return out;
}

template <class Value, class Ask>
std::optional<Value> asked(Ask&& ask) {
  Value value{};
  return ask(&value) == kNvmlSuccess ? std::optional(value) : std::nullopt;
}

Seconds now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return second(std::chrono::duration<double>(since).count());
}

}  // namespace

DeviceMonitor::DeviceMonitor(std::shared_ptr<const Libraries> libraries,
                             const DeviceReading& device)
    : libraries_(std::move(libraries)) {
  const Nvml& nvml = libraries_->nvml;
  std::string ignored;  // the facts of every point say it
  NvmlDevice const found = nvml.find(device.uuid, device.pci_bus_id, ignored);
  if (found == nullptr) return;
  card_ = card_of(nvml, found);
  errors_ = memory_errors();
}

std::optional<Telemetry> DeviceMonitor::read(Seconds within) {
  // A reading that was slow once is tried again now and then: its next one may be fast.
  constexpr double kForget = 0.9;
  cost_ = kForget * cost_;
  if (card_ == nullptr || cost_ > within / 2) return std::nullopt;
  const Nvml& nvml = libraries_->nvml;
  const Seconds begin = now();
  Telemetry out;
  if (const auto bits = asked<unsigned long long>(
          [&](auto* value) { return nvml.clock_event_reasons(card_, value); }))
    out.events = events_of(*bits);
  if (const auto mhz =
          asked<unsigned>([&](auto* value) { return nvml.clock_mhz(card_, kNvmlClockSm, value); });
      mhz && *mhz > 0)
    out.clock = hertz(*mhz * 1e6);
  if (const auto mw = asked<unsigned>([&](auto* value) { return nvml.power_mw(card_, value); }))
    out.power_w = *mw * 1e-3;
  if (const auto celsius =
          asked<unsigned>([&](auto* value) { return nvml.temperature(card_, value); }))
    out.temperature_c = *celsius;
  cost_ = std::max(cost_, now() - begin);
  if (out == Telemetry{}) return std::nullopt;
  return out;
}

std::optional<std::uint64_t> DeviceMonitor::memory_errors() const {
  if (card_ == nullptr) return std::nullopt;
  const Nvml& nvml = libraries_->nvml;
  const auto count = asked<unsigned long long>([&](auto* value) {
    return nvml.total_ecc_errors(card_, kNvmlUncorrected, kNvmlVolatile, value);
  });
  return count ? std::optional<std::uint64_t>(*count) : std::nullopt;
}

std::uint64_t DeviceMonitor::new_memory_errors() {
  const auto before = errors_;
  const auto counted = memory_errors();
  if (!counted) return 0;
  errors_ = counted;
  return before && *counted > *before ? *counted - *before : 0;
}

}  // namespace roofline::cuda
