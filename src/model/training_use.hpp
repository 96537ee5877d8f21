// How well training uses a device, and how long a budget of tokens takes: MFU, HFU and back. Knows
// neither the model nor where the peak comes from.
#pragma once

#include <cstdint>

#include "model/training.hpp"
#include "roofline/units.hpp"

namespace roofline::model {

/// Tokens of one device a second; times FLOP a token it is a rate of work.
using TokenRate = Quantity<0, 0, -1>;
[[nodiscard]] constexpr TokenRate tokens_per_s(double value) { return TokenRate::from_si(value); }

/// Work per second of one device.
struct TrainingSpeed {
  Performance achieved;  ///< of what the model needs
  Performance executed;  ///< of what runs: at least as much
};
[[nodiscard]] TrainingSpeed training_speed(const TrainingWork& work, TokenRate rate);

/// The rate at which a device does so much of what the model needs, or of what runs.
[[nodiscard]] TokenRate rate_achieving(const TrainingWork& work, Performance achieved);
[[nodiscard]] TokenRate rate_executing(const TrainingWork& work, Performance executed);

/// The MFU of a device that runs at its peak: below 1 by what is recomputed. HFU is MFU over it.
[[nodiscard]] double mfu_ceiling(const TrainingWork& work);

/// `tokens` on `devices` alike, at `rate` each.
[[nodiscard]] Seconds training_time(double tokens, std::uint64_t devices, TokenRate rate);
/// The other way round: the rate of each device that took `devices_time` (device hours, in seconds)
/// in all.
[[nodiscard]] TokenRate rate_of_budget(double tokens, Seconds devices_time);
/// Of one iteration over `tokens` on `devices`.
[[nodiscard]] TokenRate rate_of_step(double tokens, std::uint64_t devices, Seconds step);

}  // namespace roofline::model
