// Why a figure of training may lie above the peak: what of its count, its devices or its sequence
// would bring it below. Knows no hardware.
#pragma once

#include <cstdint>
#include <vector>

#include "model/training_use.hpp"
#include "roofline/placement.hpp"

namespace roofline::model {

/// What kind of figure it was: each has its own ways to be wrong.
enum class TrainingFigure {
  tokens,     ///< a second, of all devices
  step_time,  ///< of an iteration of so many sequences
  hours,      ///< of all devices, for so many tokens
  of_peak,    ///< a ratio or a rate of arithmetic, which somebody worked out with a peak
};

struct TrainingReading {
  TokenRate rate;  ///< of one device
  Performance peak;
  TrainingFigure figure = TrainingFigure::of_peak;
  std::uint64_t devices = 1;    ///< as they were said
  std::uint64_t sequences = 0;  ///< of an iteration; 0: none were said
  std::uint64_t passes = 0;  ///< of each device in an iteration; 0: the sequences were said whole
};

/// Likeliest first; only those that the figures allow. For a reading above the peak.
[[nodiscard]] std::vector<Cause> training_causes(const Architecture& model,
                                                 const TrainingWork& work,
                                                 const TrainingReading& reading);

}  // namespace roofline::model
