#include <algorithm>
#include <cmath>
#include <string>

#include "limits.hpp"
#include "roofline/placement.hpp"

namespace roofline {
namespace {

Verdict verdict_of(const Placement& placement, const Assessment& assessment) {
  if (assessment.impossible) return Verdict::impossible;
  if (placement.bound == Bound::overhead) return Verdict::overhead_bound;
  if (!placement.bound || !assessment.of_ceiling) return Verdict::unknown;
  const bool at = *assessment.of_ceiling >= kAtRoof * (1 - kRounding);
  switch (*placement.bound) {
    case Bound::memory:
      return at ? Verdict::at_memory_roof : Verdict::below_memory_roof;
    case Bound::compute:
      return at ? Verdict::at_compute_roof : Verdict::below_compute_roof;
    case Bound::overhead:
      break;
  }
  return Verdict::overhead_bound;
}

/// How far a reading may pass a roof before it cannot be.
double margin(Origin origin) {
  return origin == Origin::measured ? kImpossibleOverMeasured : kImpossible;
}

bool passes(std::optional<double> ratio, double limit) {
  return ratio && *ratio > limit * (1 + kRounding);
}

/// The part of an observation that lies above some roof, as ratios to the roofs it is held against.
struct Excess {
  std::optional<double> peak;    ///< achieved, or executed where that is more, over the peak
  std::optional<double> memory;  ///< achieved bandwidth over the bandwidth
  bool over_peak = false;
  bool over_memory = false;
  bool over_rated_memory = false;  ///< by more than can be, behind a measured roof
  bool impossible = false;
  bool over_own_clock = false;  ///< above what the device can do at the clock that it ran at
};

Excess excess_of(const Assessment& found, const Roofs& roofs, const Limits& limits,
                 const RoofContext& context) {
  Excess out;
  const Performance fastest =
      std::max(found.achieved.value_or(flop_per_s(0)), found.executed.value_or(flop_per_s(0)));
  if (limits.peak) out.peak = fastest / *limits.peak;
  if (limits.bandwidth && found.achieved_bandwidth) {
    out.memory = *found.achieved_bandwidth / *limits.bandwidth;
  }
  out.over_peak = passes(out.peak, 1);
  out.over_memory = passes(out.memory, 1);
  if (context.clock_adjusted_peak && usable(*context.clock_adjusted_peak)) {
    const double ratio = fastest / *context.clock_adjusted_peak;
    out.over_own_clock = passes(ratio, 1);
    out.over_peak = out.over_peak || out.over_own_clock;
    out.impossible = passes(ratio, limits.peak ? margin(roofs.compute->origin) : kImpossible);
  } else if (limits.peak) {
    out.impossible = passes(out.peak, margin(roofs.compute->origin));
  }
  const bool better_known = limits.bandwidth && roofs.memory->origin == Origin::measured &&
                            context.rated_memory && usable(context.rated_memory->bandwidth);
  if (better_known && found.achieved_bandwidth) {
    out.over_rated_memory =
        passes(*found.achieved_bandwidth / context.rated_memory->bandwidth, kImpossible);
    out.impossible = out.impossible || out.over_rated_memory;
  } else if (limits.bandwidth) {
    out.impossible = out.impossible || passes(out.memory, margin(roofs.memory->origin));
  }
  return out;
}

/// The lowest other dense row that would hold the reading, if the dtype was named wrongly.
const ComputeRoof* roof_that_fits(const std::vector<ComputeRoof>& others, Performance achieved) {
  const ComputeRoof* best = nullptr;
  for (const ComputeRoof& roof : others) {
    if (kImpossible * roof.peak < achieved) continue;
    if (best == nullptr || roof.peak < best->peak) best = &roof;
  }
  return best;
}

/// 2:4 sparsity doubles the rate of matrix units, where they have it at all.
bool may_be_sparse(const ComputeRoof& roof, Performance achieved, const RoofContext& context) {
  if (roof.sparsity != Sparsity::dense) return false;
  if (context.sparse_peak) return achieved <= kImpossible * *context.sparse_peak;
  const bool ordinary_units = roof.key == PeakKey::fp64 || roof.key == PeakKey::fp64_tensor ||
                              roof.key == PeakKey::fp32 || roof.key == PeakKey::fp16_vector ||
                              roof.key == PeakKey::bf16_vector;
  return roof.origin == Origin::user && !ordinary_units && achieved <= 2 * kImpossible * roof.peak;
}

/// Where the figure that was passed is derived: that, and what from.
void add_derived_cause(std::vector<Cause>& causes, const Excess& excess, const Roofs& roofs,
                       const RoofContext& context) {
  const Text* source = nullptr;
  if (excess.over_peak && roofs.compute && roofs.compute->origin == Origin::derived)
    source = &roofs.compute->source;
  if (excess.over_memory && roofs.memory->origin == Origin::derived) source = &roofs.memory->source;
  if (excess.over_rated_memory && context.rated_memory->origin == Origin::derived)
    source = &context.rated_memory->source;
  if (source == nullptr) return;
  causes.push_back({"derived_roof",
                    "the figure that was passed is derived, not rated by a data "
                    "sheet" +
                        (source->empty() ? "" : " (" + *source + ")") +
                        ": what it is derived from may not be so for this device"});
}

void add_peak_causes(std::vector<Cause>& causes, const Excess& excess, const ComputeRoof& roof,
                     const RoofContext& context) {
  const Performance reading = *excess.peak * roof.peak;
  if (may_be_sparse(roof, reading, context)) {
    causes.push_back({"sparse_peak",
                      "the reading fits under the 2:4 sparse peak: a sparse kernel, or a figure "
                      "derived from a sparse peak, is held against the dense one"});
  }
  if (*excess.peak <= 2 * kImpossible) {
    causes.push_back({"fma_counted_as_one",
                      "the peak may count an FMA as one operation where the work counts two: "
                      "the reading is at most twice the roof"});
  }
  if (const ComputeRoof* other = roof_that_fits(context.other_peaks, reading)) {
    causes.push_back(
        {"wrong_dtype_peak", "the reading fits under the " + std::string(name(other->key)) +
                                 " peak: the dtype of the peak may not be that of the work"});
  }
}

std::vector<Cause> candidate_causes(const Excess& excess, const Roofs& roofs,
                                    const RoofContext& context) {
  std::vector<Cause> causes;
  const bool over_peak = excess.over_peak && excess.peak && roofs.compute;
  const bool compute_measured = over_peak && roofs.compute->origin == Origin::measured;
  const bool memory_measured = excess.over_memory && roofs.memory->origin == Origin::measured;
  if (compute_measured || memory_measured) {
    causes.push_back({"measured_roof",
                      "the roof is the best that was demonstrated, not a limit: the measurement "
                      "of the roof may have been disturbed, so measure it again"});
  }
  add_derived_cause(causes, excess, roofs, context);
  // An A100's 108 x 64 x 1.41 GHz of fp64 are the 9.7 TFLOP/s of its data sheet.
  constexpr double kTwoDigits = 1.01;
  const auto rounds = [&](double ratio, Origin origin) {
    return origin == Origin::datasheet && ratio > 1 && ratio <= kTwoDigits;
  };
  if ((over_peak && rounds(*excess.peak, roofs.compute->origin)) ||
      (excess.over_memory && rounds(*excess.memory, roofs.memory->origin))) {
    causes.push_back({"rounded_rating",
                      "the data sheet rounds to two or three digits, and the reading is within 1 % "
                      "of its figure"});
  }
  if (over_peak && !compute_measured && !excess.impossible && !excess.over_own_clock) {
    causes.push_back({"clock", "the device may run above the clock behind its rated roof"});
  }
  if (excess.over_memory) {
    causes.push_back({"cached_timing",
                      "the data may sit in a cache, so that fewer bytes cross the boundary than "
                      "counted: rotate operands over several times the cache"});
  }
  if (over_peak) add_peak_causes(causes, excess, *roofs.compute, context);
  causes.push_back(
      {"unsynchronised_timing",
       "the clock may have stopped before the work did: synchronise before reading it"});
  causes.push_back({"work_not_needed",
                    "the work may be overcounted: operations the model does not need, padding, "
                    "or another shape than the one that ran"});
  if (over_peak && !compute_measured) {
    causes.push_back({"wrong_device_peak",
                      "the peak may be another device's: give the device by its exact name"});
  }
  return causes;
}

/// What was observed, as rates; whatever is no finite number is left out.
Assessment rates_of(const Account& account, const Placement& placement, const Observation& seen) {
  Assessment out;
  const bool timed = seen.time && usable(*seen.time);
  const Count bytes = total_traffic(account);
  if (timed) {
    out.time = seen.time;
    if (bytes.value() != 0) out.achieved_bandwidth = byte(bytes.as_double()) / *seen.time;
  } else if (seen.achieved_bandwidth) {
    out.achieved_bandwidth = seen.achieved_bandwidth;
  } else if (seen.achieved && placement.intensity && usable(*placement.intensity)) {
    out.achieved_bandwidth = *seen.achieved / *placement.intensity;
  }
  if (timed && account.work) {
    out.achieved = flop(account.work->as_double()) / *seen.time;
  } else if (seen.achieved) {
    out.achieved = seen.achieved;
  } else if (out.achieved_bandwidth && placement.intensity) {
    out.achieved = *out.achieved_bandwidth * *placement.intensity;
  }
  if (seen.executed && timed) {
    out.executed = flop(seen.executed->as_double()) / *seen.time;
  } else if (seen.executed && out.achieved && account.work && account.work->value() != 0) {
    out.executed = *out.achieved * (seen.executed->as_double() / account.work->as_double());
  }
  const auto finite = [](auto& rate) {
    if (rate && !std::isfinite(rate->si())) rate.reset();
  };
  finite(out.achieved);
  finite(out.achieved_bandwidth);
  finite(out.executed);
  return out;
}

}  // namespace

Assessment assess(const Account& account, const Roofs& roofs, const Placement& placement,
                  const Observation& observation, const RoofContext& context) {
  const Limits limits = limits_of(account, roofs);
  Assessment out = rates_of(account, placement, observation);
  if (limits.peak && out.achieved) out.mfu = *out.achieved / *limits.peak;
  if (limits.peak && out.executed) out.hfu = *out.executed / *limits.peak;
  if (context.clock_adjusted_peak && usable(*context.clock_adjusted_peak)) {
    out.clock_adjusted_peak = context.clock_adjusted_peak;
    if (out.achieved) out.clock_adjusted_mfu = *out.achieved / *context.clock_adjusted_peak;
  }
  const Excess excess = excess_of(out, roofs, limits, context);
  // achieved / min(peak, bandwidth * intensity) is the larger of the two ratios. With one of them
  // unknown the other still speaks where nothing else could bind, or where it is passed already.
  if (placement.ceiling || passes(out.mfu, 1) || passes(excess.memory, 1)) {
    if (out.mfu || excess.memory)
      out.of_ceiling = std::max(out.mfu.value_or(0), excess.memory.value_or(0));
  }
  out.impossible = excess.impossible;
  out.above_roof = excess.over_peak || excess.over_memory || excess.impossible;
  out.verdict = verdict_of(placement, out);
  if (out.above_roof) out.causes = candidate_causes(excess, roofs, context);
  return out;
}

}  // namespace roofline
