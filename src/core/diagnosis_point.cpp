#include <algorithm>
#include <cmath>

#include "diagnosis_symptoms.hpp"
#include "prose.hpp"
#include "roofline/fact_lookup.hpp"

namespace roofline::symptom {

using prose::number;
using prose::percent;
using prose::text;

bool memory_side(const Record& point) {
  if (point.placement.bound == Bound::memory) return true;
  if (point.placement.bound == Bound::compute) return false;
  return !point.placement.ridge_distance || *point.placement.ridge_distance < 1;
}

double explained(double factor, const Record& point) {
  const double of_ceiling = point.assessment->of_ceiling.value_or(1);
  if (!(factor > 1) || !(of_ceiling > 0) || of_ceiling >= 1) return 0;
  return std::min(1.0, std::log(factor) / -std::log(of_ceiling));
}

bool is_cpu(const Record& point) {
  if (point.device_id.starts_with("cuda")) return false;
  if (point.device_id.starts_with("cpu")) return true;
  // Only our own CPU code and the libraries behind it say by which instructions they run.
  return find_fact(point.implementation, "isa_path") != nullptr;
}

std::optional<Symptom> mfu_above_one(const Record& point, const Report&) {
  const Assessment& found = *point.assessment;
  if (!found.mfu || !point.roofs.compute) return std::nullopt;
  const double most = std::max(*found.mfu, found.hfu.value_or(0));
  // A measured peak is passed by the noise of its own measurement; a rated one by nothing.
  const bool measured = point.roofs.compute->origin == Origin::measured;
  if (most <= (measured ? kImpossible : 1) + kRounding) return std::nullopt;
  // A clock above the rated one is no fault of the count.
  if (found.clock_adjusted_mfu && *found.clock_adjusted_mfu <= 1 + kRounding &&
      most <= *found.mfu) {
    return std::nullopt;
  }
  std::string evidence = "MFU " + percent(*found.mfu);
  if (most > *found.mfu) evidence += ", HFU " + percent(most);
  if (found.achieved)
    evidence += " = " + text(*found.achieved) + " / " + text(point.roofs.compute->peak);
  evidence += ", the " + std::string(name(point.roofs.compute->key)) + " peak, " +
              std::string(name(point.roofs.compute->sparsity)) + ", " +
              std::string(name(point.roofs.compute->origin));
  if (!found.causes.empty()) evidence += "; likeliest cause: " + found.causes.front().id;
  return Symptom{found.impossible ? 1.0 : 0.9, std::move(evidence)};
}

std::optional<Symptom> low_mfu_at_its_roof(const Record& point, const Report&) {
  // Ten per cent is where a ceiling starts to be mistaken for a failure; decode lies far below.
  constexpr double kLow = 0.1;
  const Assessment& found = *point.assessment;
  const bool has_rows = std::holds_alternative<Gemm>(point.workload) ||
                        std::holds_alternative<Projection>(point.workload) ||
                        std::holds_alternative<Kernel>(point.workload);
  if (!has_rows || found.verdict != Verdict::at_memory_roof || found.above_roof)
    return std::nullopt;
  if (!found.mfu || !point.placement.mfu_ceiling || *point.placement.mfu_ceiling >= kLow)
    return std::nullopt;
  std::string evidence = "MFU " + percent(*found.mfu) + " is " + percent(*found.of_ceiling) +
                         " of its ceiling, " + percent(*point.placement.mfu_ceiling) +
                         " of the peak";
  if (point.placement.intensity && point.placement.ridge) {
    evidence += ": intensity " + number(in_flop_per_byte(*point.placement.intensity)) + ", ridge " +
                text(*point.placement.ridge);
  }
  if (point.rows.integer)
    evidence += "; " + std::to_string(*point.rows.integer) + " rows would reach it";
  return Symptom{1.0, std::move(evidence)};
}

}  // namespace roofline::symptom
