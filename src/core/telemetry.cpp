#include "roofline/telemetry.hpp"

#include <algorithm>
#include <iterator>

namespace roofline {
namespace {

constexpr std::string_view kNames[] = {"clock_setting", "sw_power_cap", "hw_slowdown",
                                       "sync_boost",    "sw_thermal",   "hw_thermal",
                                       "hw_power_brake"};

bool any_of(const Telemetry& telemetry, std::initializer_list<ClockEvent> events) {
  return telemetry.events && std::any_of(events.begin(), events.end(), [&](ClockEvent event) {
           return telemetry.events->has(event);
         });
}

}  // namespace

std::string_view name(ClockEvent event) { return kNames[static_cast<std::size_t>(event)]; }

std::optional<ClockEvent> find_clock_event(std::string_view text) {
  for (const ClockEvent event : clock_events()) {
    if (name(event) == text) return event;
  }
  return std::nullopt;
}

std::span<const ClockEvent> clock_events() {
  static constexpr ClockEvent kAll[] = {ClockEvent::clock_setting, ClockEvent::sw_power_cap,
                                        ClockEvent::hw_slowdown,   ClockEvent::sync_boost,
                                        ClockEvent::sw_thermal,    ClockEvent::hw_thermal,
                                        ClockEvent::hw_power_brake};
  static_assert(std::size(kAll) == std::size(kNames));
  return kAll;
}

std::vector<ClockEvent> ClockEvents::list() const {
  std::vector<ClockEvent> out;
  std::copy_if(clock_events().begin(), clock_events().end(), std::back_inserter(out),
               [&](ClockEvent event) { return has(event); });
  return out;
}

bool throttled(const Telemetry& telemetry) {
  return any_of(telemetry, {ClockEvent::hw_slowdown, ClockEvent::sw_thermal, ClockEvent::hw_thermal,
                            ClockEvent::hw_power_brake});
}

bool power_capped(const Telemetry& telemetry) {
  return any_of(telemetry, {ClockEvent::sw_power_cap});
}

}  // namespace roofline
