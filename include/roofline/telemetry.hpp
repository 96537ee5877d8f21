// What a device's management says of it while it works: power, temperature, and why its clock is
// lower than it could be. Every part may be unknown. Who reads it is not known here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "roofline/units.hpp"

namespace roofline {

/// Reasons for a lower clock, in the words of NVML's event reasons. Idleness is none.
enum class ClockEvent {
  clock_setting,   ///< somebody set a lower one
  sw_power_cap,    ///< the power limit: the usual state under sustained load
  hw_slowdown,     ///< heat or power beyond what the board allows
  sync_boost,      ///< held to the clock of another device
  sw_thermal,      ///< heat, as the driver acts on it
  hw_thermal,      ///< heat, as the board acts on it
  hw_power_brake,  ///< the machine's power supply asks for less
};
[[nodiscard]] std::string_view name(ClockEvent event);
[[nodiscard]] std::optional<ClockEvent> find_clock_event(std::string_view text);
[[nodiscard]] std::span<const ClockEvent> clock_events();

/// A set of them.
class ClockEvents {
 public:
  constexpr ClockEvents() = default;
  constexpr ClockEvents(std::initializer_list<ClockEvent> events) {
    for (const ClockEvent event : events) add(event);
  }
  constexpr void add(ClockEvent event) { bits_ |= bit(event); }
  constexpr void add(ClockEvents other) { bits_ |= other.bits_; }
  [[nodiscard]] constexpr bool has(ClockEvent event) const { return (bits_ & bit(event)) != 0; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] std::vector<ClockEvent> list() const;
  friend constexpr bool operator==(ClockEvents, ClockEvents) = default;

 private:
  [[nodiscard]] static constexpr std::uint32_t bit(ClockEvent event) {
    return std::uint32_t{1} << static_cast<unsigned>(event);
  }
  std::uint32_t bits_ = 0;
};

/// Of one sample, or of all that count: then the medians of clock and power, the highest
/// temperature, and whatever was seen in any of them.
struct Telemetry {
  std::optional<Frequency> clock = {};  ///< as the management reads it, some ms late
  std::optional<double> power_w = {};
  std::optional<double> temperature_c = {};
  std::optional<ClockEvents> events = {};
  friend bool operator==(const Telemetry&, const Telemetry&) = default;
};

/// Whether a sample taken so was throttled: by heat or by a brake. The power limit is what
/// sustained load runs into, and throttles nothing but a burst.
[[nodiscard]] bool throttled(const Telemetry& telemetry);
[[nodiscard]] bool power_capped(const Telemetry& telemetry);

}  // namespace roofline
