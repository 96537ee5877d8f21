#include <algorithm>
#include <cmath>
#include <string>

#include "roofline/placement.hpp"

namespace roofline {
namespace {

Verdict verdict_of(const Placement& placement, const Assessment& assessment) {
  if (assessment.impossible) return Verdict::impossible;
  if (!placement.bound || !assessment.of_ceiling) return Verdict::unknown;
  const bool at = *assessment.of_ceiling >= kAtRoof;
  switch (*placement.bound) {
    case Bound::memory: return at ? Verdict::at_memory_roof : Verdict::below_memory_roof;
    case Bound::compute: return at ? Verdict::at_compute_roof : Verdict::below_compute_roof;
    case Bound::overhead: break;
  }
  return Verdict::overhead_bound;
}

std::string_view word_for(Origin origin) {
  return origin == Origin::measured ? "measured roof" : "rated roof";
}

/// The fastest other dense row that would hold the reading, if the dtype was named wrongly.
const ComputeRoof* roof_that_fits(const std::vector<ComputeRoof>& others, Performance achieved) {
  const ComputeRoof* best = nullptr;
  for (const ComputeRoof& roof : others) {
    if (roof.peak < achieved) continue;
    if (best == nullptr || roof.peak < best->peak) best = &roof;
  }
  return best;
}

std::vector<Cause> candidate_causes(const Placement& placement, const Roofs& roofs,
                                    const Assessment& found, const RoofContext& context) {
  std::vector<Cause> causes;
  const double ratio = *found.of_ceiling;
  if (!found.impossible && roofs.compute) {
    causes.push_back({"clock", "the device may run above the clock behind its " +
                                   std::string(word_for(roofs.compute->origin))});
  }
  const bool over_memory = placement.bound == Bound::memory;
  if (over_memory) {
    causes.push_back({"cached_timing", "the data may sit in a cache, so that fewer bytes cross the boundary than counted: "
                                "rotate operands over several times the cache"});
  }
  if (!over_memory && ratio > 1.5 && ratio <= 2.1) {
    causes.push_back({"fma_counted_as_one", "the peak may count an FMA as one operation where the work counts two: "
                                            "the reading is about twice the roof"});
  }
  if (!over_memory && found.achieved && context.sparse_peak && *found.achieved <= *context.sparse_peak) {
    causes.push_back({"sparse_peak", "the reading fits under the 2:4 sparse peak: a sparse kernel, or a figure "
                                     "derived from a sparse peak, is held against the dense one"});
  }
  if (!over_memory && found.achieved) {
    if (const ComputeRoof* other = roof_that_fits(context.other_peaks, *found.achieved)) {
      causes.push_back({"wrong_dtype_peak", "the reading fits under the " + std::string(name(other->key)) +
                                                " peak: the dtype of the peak may not be that of the work"});
    }
  }
  causes.push_back({"unsynchronised_timing",
                    "the clock may have stopped before the work did: synchronise before reading it"});
  causes.push_back({"work_not_needed", "the work may be overcounted: operations the model does not need, padding, "
                                       "or another shape than the one that ran"});
  if (!over_memory) {
    causes.push_back({"wrong_device_peak", "the peak may be another device's: give the device by its exact name"});
  }
  return causes;
}

}  // namespace

Assessment assess(const Account& account, const Roofs& roofs, const Placement& placement,
                  const Observation& observation, const RoofContext& context) {
  Assessment out;
  out.achieved = observation.achieved;
  const bool timed = observation.time && in_second(*observation.time) > 0;
  if (timed) {
    const Seconds time = *observation.time;
    out.time = time;
    if (account.work) out.achieved = flop(account.work->as_double()) / time;
    const Count bytes = total_traffic(account);
    if (bytes.value() != 0) out.achieved_bandwidth = byte(bytes.as_double()) / time;
    if (observation.executed) out.executed = flop(observation.executed->as_double()) / time;
  } else if (out.achieved && placement.intensity && in_flop_per_byte(*placement.intensity) > 0) {
    out.achieved_bandwidth = *out.achieved / *placement.intensity;
  }
  if (roofs.compute && out.achieved) out.mfu = *out.achieved / roofs.compute->peak;
  if (roofs.compute && out.executed) out.hfu = *out.executed / roofs.compute->peak;
  if (placement.ceiling && out.achieved && in_flop_per_s(*placement.ceiling) > 0) {
    out.of_ceiling = *out.achieved / *placement.ceiling;
  } else if (out.achieved_bandwidth && roofs.memory && placement.bound == Bound::memory) {
    out.of_ceiling = *out.achieved_bandwidth / roofs.memory->bandwidth;
  } else if (out.mfu && *out.mfu > 1) {
    out.of_ceiling = out.mfu;  // no memory roof, but the compute roof alone is already passed
  }
  if (out.of_ceiling) {
    out.above_roof = *out.of_ceiling > 1;
    double against_clock = *out.of_ceiling;
    const bool compute_side = placement.bound != Bound::memory;
    if (compute_side && context.clock_adjusted_peak && roofs.compute) {
      against_clock *= roofs.compute->peak / *context.clock_adjusted_peak;
    }
    out.impossible = against_clock > kImpossible;
    out.verdict = verdict_of(placement, out);
    if (out.above_roof || out.impossible) {
      out.causes = candidate_causes(placement, roofs, out, context);
    }
  }
  return out;
}

}  // namespace roofline
