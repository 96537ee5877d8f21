#include "roofline/rooflines.hpp"

#include <algorithm>

#include "limits.hpp"

namespace roofline {
namespace {

constexpr std::string_view kNoPeakMeasured = "no peak of this type was measured";

bool sustained(const MemoryRoof& memory) {
  return memory.origin == Origin::measured || memory.origin == Origin::user;
}

Roofline curve(const Account& account, const std::optional<ComputeRoof>& peak,
               const std::optional<MemoryRoof>& memory, std::string_view missing_peak) {
  Roofline out;
  out.peak = peak;
  Roofs roofs;
  roofs.compute = peak;
  if (memory && sustained(*memory)) roofs.memory = memory;
  out.ceiling = place(account, roofs).ceiling;
  if (out.ceiling) return out;
  if (!peak) {
    out.reason = missing_peak;
  } else if (!roofs.memory) {
    out.reason = memory ? "the bandwidth is that of a " + std::string(name(memory->origin)) +
                              ", and no access pattern reaches it: measure what is sustained"
                        : "no sustained bandwidth of this boundary is known";
  } else {
    out.reason = "the point has no arithmetic intensity at this boundary";
  }
  return out;
}

/// Work that is 0 makes every ceiling 0 FLOP/s: only bandwidth says anything.
bool is_rate(const std::optional<Performance>& ceiling) { return ceiling && usable(*ceiling); }

void compare_curves(Rooflines& out) {
  if (is_rate(out.hardware.ceiling) && is_rate(out.empirical.ceiling)) {
    out.platform_opportunity = *out.hardware.ceiling / *out.empirical.ceiling;
  } else if (!out.hardware.ceiling || !out.empirical.ceiling) {
    out.platform_reason = !out.hardware.ceiling ? out.hardware.reason : out.empirical.reason;
  } else {
    out.platform_reason = "without arithmetic both rooflines are the same bandwidth";
  }
}

void compare_point(Rooflines& out, const std::optional<MemoryRoof>& memory,
                   const std::optional<Assessment>& assessment) {
  if (!assessment) {
    out.kernel_reason = "nothing was measured";
    return;
  }
  std::optional<Performance> lower;
  for (const Roofline* curve : {&out.hardware, &out.empirical}) {
    if (is_rate(curve->ceiling)) lower = std::min(lower.value_or(*curve->ceiling), *curve->ceiling);
  }
  if (lower && assessment->achieved && usable(*assessment->achieved)) {
    out.kernel_opportunity = *lower / *assessment->achieved;
    return;
  }
  const bool idle = assessment->achieved && !usable(*assessment->achieved);
  if (idle && memory && sustained(*memory) && assessment->achieved_bandwidth &&
      usable(*assessment->achieved_bandwidth)) {
    out.kernel_opportunity = memory->bandwidth / *assessment->achieved_bandwidth;
    return;
  }
  out.kernel_reason = lower ? "no rate was observed" : "neither roofline has a ceiling here";
}

void compare_best(Rooflines& out, const std::optional<Assessment>& assessment) {
  const auto& best = out.empirical.peak;
  if (!assessment) {
    out.best_measured_reason = "nothing was measured";
  } else if (!best || !usable(best->peak)) {
    out.best_measured_reason = kNoPeakMeasured;
  } else if (!assessment->achieved || !usable(*assessment->achieved)) {
    out.best_measured_reason = "no rate of arithmetic was observed";
  } else {
    out.best_measured_mfu = *assessment->achieved / best->peak;
  }
}

}  // namespace

Rooflines rooflines(const Account& account, const RooflinePeaks& peaks,
                    const std::optional<MemoryRoof>& memory,
                    const std::optional<Assessment>& assessment) {
  Rooflines out;
  // The bandwidth of another boundary than the account's is no roof of it.
  std::optional<MemoryRoof> own;
  if (memory && memory->boundary == account.boundary && usable(memory->bandwidth)) own = memory;
  out.hardware = curve(account, peaks.hardware, own,
                       "no rated or derived peak of this type is known for this device");
  out.empirical = curve(account, peaks.empirical, own, kNoPeakMeasured);
  out.empirical.point = peaks.empirical_point;
  compare_curves(out);
  compare_point(out, own, assessment);
  compare_best(out, assessment);
  return out;
}

}  // namespace roofline
