// Why a figure of training may lie above the peak: what of its count, its devices or its sequence
// would bring it below. Knows no hardware.
#pragma once

#include <vector>

#include "model/training_use.hpp"
#include "roofline/placement.hpp"

namespace roofline::model {

struct TrainingReading {
  TokenRate rate;  ///< of one device
  Performance peak;
  bool counts_devices = false;  ///< the reading was of all devices, and there was said to be one
};

/// Likeliest first; only those that the figures allow. For a reading above the peak.
[[nodiscard]] std::vector<Cause> training_causes(const Architecture& model,
                                                 const TrainingWork& work,
                                                 const TrainingReading& reading);

}  // namespace roofline::model
