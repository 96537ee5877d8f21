// What a sweep will run, in which order, and how long that should take. Runs nothing.
#pragma once

#include "measure/sweep.hpp"

namespace roofline::measure {

/// Points of one phase run before those of the next.
enum class Phase {
  roofs,      ///< what others are held against
  turns,      ///< whose samples alternate with those of other points
  burst,      ///< alone, after a rest
  sustained,  ///< alone, under load that has settled; last, for they heat the device
};
[[nodiscard]] Phase phase_of(const Workload& workload);
[[nodiscard]] inline bool alone(Phase phase) {
  return phase == Phase::burst || phase == Phase::sustained;
}

/// Whether both draw the same power, as far as it is known before: a device that has settled under
/// the one is nearly settled under the other.
[[nodiscard]] bool same_load(const Workload& one, const Workload& other);

/// How long a point takes in all, with the roofs that `book` has now. `warm`: the device has
/// settled under such a load just before.
[[nodiscard]] Seconds expected_time(const Record& record, const SamplingPlan& plan,
                                    const RoofBook& book, bool warm);

/// By phases, and sustained points of the same load one after the other; else as they are.
void put_in_order(std::vector<PlannedPoint>& points);

}  // namespace roofline::measure
