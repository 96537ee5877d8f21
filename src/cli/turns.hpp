// Measures the devices of a session one after the other, within one budget and under one watchdog.
#pragma once

#include <optional>
#include <vector>

#include "cli/recorder.hpp"
#include "cli/work.hpp"

namespace roofline::cli {

struct TurnSettings {
  measure::SamplingPlan sampling;
  std::uint64_t seed = 1;
  std::optional<Seconds> budget = {};   ///< of all devices together
  std::optional<Seconds> timeout = {};  ///< of a step of a point; much more than expected otherwise
};

/// Hands every finished point to `recorder`, and its roofs to the book of its device. A device that
/// is lost ends its own points; a point that does not return ends the program, with what there is
/// saved. Says on `io.err` how far it is, and before it begins how long a run of minutes will take.
[[nodiscard]] measure::SweepEnd measure_in_turn(std::vector<Work> all, const TurnSettings& settings,
                                                Recorder& recorder, Books& books, Io& io);

}  // namespace roofline::cli
