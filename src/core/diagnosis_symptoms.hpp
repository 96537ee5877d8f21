// The symptoms behind the table of failure modes, and what several of them ask of a point. Internal
// to the core.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roofline/diagnosis.hpp"

namespace roofline::symptom {

/// Which side holds a point below: of the ridge, where overhead hides it.
[[nodiscard]] bool memory_side(const Record& point);
/// Fewer bytes than this are not enough to keep a memory busy: at 1 TB/s, 4 us.
inline constexpr double kFewBytes = 4e6;
/// Of the logarithm of the gap to the ceiling, the part that a factor closes; 0 .. 1.
[[nodiscard]] double explained(double factor, const Record& point);
[[nodiscard]] bool is_cpu(const Record& point);
/// Nothing of a point without a figure.
[[nodiscard]] inline const Measured* measured(const Record& point) {
  return std::get_if<Measured>(&point.outcome);
}

// Not a fault of the kernel, or not a figure.
std::optional<Symptom> mfu_above_one(const Record&, const Report&);
std::optional<Symptom> power_capped(const Record&, const Report&);
std::optional<Symptom> low_mfu_at_its_roof(const Record&, const Report&);
// Below either roof.
std::optional<Symptom> disturbed_measurement(const Record&, const Report&);
std::optional<Symptom> call_overhead(const Record&, const Report&);
std::optional<Symptom> too_few_threads(const Record&, const Report&);
std::optional<Symptom> emulated_arithmetic(const Record&, const Report&);
std::optional<Symptom> few_tiles(const Record&, const Report&);
// Below the memory roof.
std::optional<Symptom> small_transfer(const Record&, const Report&);
std::optional<Symptom> stores_read_lines(const Record&, const Report&);
std::optional<Symptom> other_placement(const Record&, const Report&);
std::optional<Symptom> host_side_of_link(const Record&, const Report&);
std::optional<Symptom> uncoalesced_access(const Record&, const Report&);
// Below the compute roof.
std::optional<Symptom> clock_throttled(const Record&, const Report&);
std::optional<Symptom> awkward_shape(const Record&, const Report&);
std::optional<Symptom> tile_quantisation(const Record&, const Report&);
std::optional<Symptom> wave_quantisation(const Record&, const Report&);
std::optional<Symptom> library_held_back(const Record&, const Report&);
std::optional<Symptom> ordinary_units(const Record&, const Report&);
std::optional<Symptom> kernel_choice(const Record&, const Report&);
// Of the whole report.
std::optional<Symptom> nearly_all_compute_bound(const Report&);
std::optional<Symptom> only_friendly_squares(const Report&);
std::optional<Symptom> batching_stops_helping(const Report&);
std::optional<Symptom> quantisation_barely_helps(const Report&);
std::optional<Symptom> refuted_predictions(const Report&);
std::optional<Symptom> disturbed_points(const Report&);
std::optional<Symptom> fp32_not_tf32(const Report&);
std::optional<Symptom> first_suggestion_slow(const Report&);
// What the device says of itself.
std::optional<Symptom> rated_bandwidth_doubtful(const Report&);
std::optional<Symptom> power_limited(const Report&);
// Several devices beside each other.
std::vector<Symptom> slow_devices(const Report&);

}  // namespace roofline::symptom
