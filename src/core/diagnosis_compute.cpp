#include <algorithm>

#include "diagnosis_symptoms.hpp"
#include "limits.hpp"
#include "prose.hpp"
#include "roofline/fact_lookup.hpp"
#include "roofline/roof_book.hpp"

namespace roofline::symptom {

using prose::percent;
using prose::text;

namespace {

/// As the driver gave them: while it ran, or else at its end.
std::string reasons_for_clock(const Record& point) {
  const auto& events = std::get<Measured>(point.outcome).telemetry.events;
  if (!events) return text_fact(point.implementation, "clock_event_reasons");
  std::string out;
  for (const ClockEvent event : events->list())
    out += (out.empty() ? "" : ", ") + std::string(name(event));
  return out;
}

}  // namespace

std::optional<Symptom> clock_throttled(const Record& point, const Report& report) {
  constexpr double kNotable = 1.1;
  if (power_capped(point, report)) return std::nullopt;  // the same clock, with its reason
  const Assessment& found = *point.assessment;
  const auto& measured = std::get<Measured>(point.outcome);
  const bool fell = measured.end == MeasurementEnd::throttled;
  const bool known = found.mfu && found.clock_adjusted_mfu && *found.mfu > 0;
  const double ratio = known ? *found.clock_adjusted_mfu / *found.mfu : 1;
  if (!fell && ratio < kNotable) return std::nullopt;
  double score = 0.95 * explained(ratio, point);
  if (fell) score = std::max(score, 0.6);
  std::string evidence = fell ? "sampling ended throttled" : "the clock was low";
  if (measured.clock) evidence += " at " + text(*measured.clock);
  if (point.roofs.compute && point.roofs.compute->clock)
    evidence += ", the roof is of " + text(*point.roofs.compute->clock);
  if (known) {
    evidence += ": MFU is " + percent(*found.mfu) + ", at its own clock " +
                percent(*found.clock_adjusted_mfu);
  }
  const std::string reasons = reasons_for_clock(point);
  if (!reasons.empty()) evidence += "; the driver gives as its reason: " + reasons;
  return Symptom{score, std::move(evidence)};
}

std::optional<Symptom> library_held_back(const Record& point, const Report&) {
  const Facts& facts = point.implementation;
  const bool below = flag_fact(facts, "library_below_cpu_isa");
  const std::string instead = text_fact(facts, "provider_instead_of");
  if (!below && instead.empty()) return std::nullopt;
  std::string evidence = text_fact(facts, "provider");
  if (evidence.empty()) evidence = "the library";
  const std::string isa = text_fact(facts, "library_isa");
  const std::string core = text_fact(facts, "library_core");
  const std::string own = text_fact(facts, "isa_path");
  if (below) {
    evidence += " runs its code for " + (!core.empty()  ? core
                                         : !isa.empty() ? isa
                                                        : "an older CPU");
    if (!own.empty()) evidence += " on a CPU with " + own;
  }
  if (!instead.empty()) evidence += (below ? ", and" : " ran") + (" instead of " + instead);
  return Symptom{below ? 0.9 : 0.5, std::move(evidence)};
}

namespace {

bool of_ordinary_units(PeakKey key) {
  return key == PeakKey::fp64 || key == PeakKey::fp32 || key == PeakKey::fp16_vector ||
         key == PeakKey::bf16_vector;
}

/// What workload and facts themselves say against matrix units.
std::optional<Symptom> without_matrix_units(const Record& point) {
  const auto* gemm = std::get_if<Gemm>(&point.workload);
  if (gemm == nullptr || is_cpu(point)) return std::nullopt;
  const std::string type(name(gemm->input));
  if (gemm->input == DType::tf32 && text_fact(point.implementation, "compute") == "32f")
    return Symptom{0.85, "the library was asked for true fp32 sums (compute 32f), not for tf32's"};
  const bool tn = gemm->transpose_b && !gemm->transpose_a;
  if (storage_bits(gemm->input) != 8 || tn) return std::nullopt;
  return Symptom{0.8, std::string("A lies as ") + (gemm->transpose_a ? "[k,m]" : "[m,k]") +
                          " and B as " + (gemm->transpose_b ? "[n,k]" : "[k,n]") +
                          ", where matrix units take " + type +
                          " with k last in both: A as [m,k], B as [n,k] (TN)"};
}

}  // namespace

std::optional<Symptom> ordinary_units(const Record& point, const Report& report) {
  if (auto told = without_matrix_units(point)) return told;
  const auto& own = point.roofs.compute;
  const auto& achieved = point.assessment->achieved;
  if (!own || !achieved) return std::nullopt;
  constexpr double kFits = 0.7;    // of the slower peak, at least
  constexpr double kSlower = 0.6;  // of the own peak, at most
  const ComputeRoof* best = nullptr;
  for (const RoofEntry& entry : report.roofs) {
    const auto* roof = std::get_if<ComputeRoof>(&entry.roof);
    if (roof == nullptr || roof->key == own->key || roof->sparsity != Sparsity::dense) continue;
    if (is_best_product(entry)) continue;  // what one shape reached is no limit of a unit
    // Matrix units of another type are no place that a GPU's product could have gone to.
    if (!is_cpu(point) && (!of_ordinary_units(roof->key) || of_ordinary_units(own->key))) continue;
    if (roof->peak > kSlower * own->peak) continue;
    if (*achieved < kFits * roof->peak || *achieved > kImpossible * roof->peak) continue;
    if (best == nullptr || roof->peak < best->peak) best = roof;
  }
  if (best == nullptr) return std::nullopt;
  return Symptom{0.55, text(*achieved) + " is " + percent(*achieved / best->peak) + " of the " +
                           std::string(name(best->key)) + " peak, and " +
                           percent(*achieved / own->peak) + " of the " +
                           std::string(name(own->key)) + " one it is held against"};
}

std::optional<Symptom> kernel_choice(const Record& point, const Report&) {
  std::string evidence = percent(*point.assessment->of_ceiling) + " of the ceiling";
  if (point.assessment->achieved && point.placement.ceiling) {
    evidence = text(*point.assessment->achieved) + " of " + text(*point.placement.ceiling);
  }
  const std::string provider = text_fact(point.implementation, "provider");
  if (!provider.empty()) evidence += " by " + provider;
  if (text_fact(point.implementation, "algo_of") == "first")
    evidence += ", by the algorithm that it suggests first";
  return Symptom{0.2, std::move(evidence)};
}

}  // namespace roofline::symptom
