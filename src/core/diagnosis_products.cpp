// What the facts of a GPU's products say beside their sizes: the power limit, the type that was
// asked for, and the algorithm that the library would have taken.
#include <algorithm>
#include <string>

#include "diagnosis_symptoms.hpp"
#include "prose.hpp"
#include "roofline/fact_lookup.hpp"
#include "roofline/roof_book.hpp"

namespace roofline::symptom {

using prose::number;
using prose::percent;
using prose::text;

namespace {

/// Heat beside it is the graver reason. A report without telemetry has what the driver said at the
/// end of the point.
bool power_is_the_reason(const Record& point) {
  const Telemetry& seen = measured(point)->telemetry;
  if (seen.events) return roofline::power_capped(seen) && !throttled(seen);
  const std::string reasons = text_fact(point.implementation, "clock_event_reasons");
  return reasons.find("power cap") != std::string::npos &&
         reasons.find("thermal") == std::string::npos;
}

std::string power_text(const Record& point, const Report& report) {
  std::string out;
  if (const auto drawn = measured(point)->telemetry.power_w)
    out += "; it draws " + number(*drawn) + " W";
  auto limit = number_fact(point.implementation, "power_limit_w");
  if (!limit) limit = number_fact(report.environment, "power_limit_w");
  if (limit) out += "; the limit is " + number(*limit) + " W";
  return out;
}

/// The roof's clock over that of the samples.
std::optional<double> clock_lost(const Record& point) {
  const Measured& seen = *measured(point);
  if (!seen.clock || !point.roofs.compute || !point.roofs.compute->clock) return std::nullopt;
  return *point.roofs.compute->clock / *seen.clock;
}

/// The same product of zeros, which draws less power.
const Record* of_zeros(const Record& point, const Report& report) {
  const auto* gemm = std::get_if<Gemm>(&point.workload);
  if (gemm == nullptr || gemm->data != DataPattern::random) return nullptr;
  Gemm wanted = *gemm;
  wanted.data = DataPattern::zeros;
  for (const Record& other : report.points) {
    const auto* own = std::get_if<Gemm>(&other.workload);
    if (own != nullptr && *own == wanted && measured(other) != nullptr) return &other;
  }
  return nullptr;
}

struct Relief {
  double faster = 1;  ///< time of random data over that of zeros
  std::optional<Frequency> clock;
};

/// Nothing where zeros are not clearly faster at a clearly higher clock: a kernel that is faster at
/// the same one skips work.
std::optional<Relief> relief_by_zeros(const Record& point, const Report& report) {
  constexpr double kFaster = 1.05;
  constexpr double kHigher = 1.02;
  const Record* other = of_zeros(point, report);
  if (other == nullptr) return std::nullopt;
  const Measured& random = *measured(point);
  const Measured& zeros = *measured(*other);
  if (!(in_second(zeros.time_median) > 0)) return std::nullopt;
  const double faster = random.time_median / zeros.time_median;
  if (faster < kFaster || !random.clock || !zeros.clock) return std::nullopt;
  if (*zeros.clock < kHigher * *random.clock) return std::nullopt;
  return Relief{faster, zeros.clock};
}

/// What the clock cost; nothing where it is as high as the roof's.
std::optional<double> lost_to_power(const Record& point, const std::optional<Relief>& relief) {
  constexpr double kNotable = 1.05;
  const double by_clock = clock_lost(point).value_or(1);
  if (power_is_the_reason(point) && by_clock >= kNotable) return by_clock;
  if (relief) return std::max(relief->faster, by_clock);
  return std::nullopt;
}

bool on_ordinary_units(const Record& point, const ComputeRoof& tf32) {
  constexpr double kAtIt = 0.5;
  const auto& own = point.roofs.compute;
  const auto& achieved = point.assessment->achieved;
  return own && achieved && own->key == PeakKey::fp32 && !memory_side(point) &&
         tf32.peak >= 2 * own->peak && *achieved >= kAtIt * own->peak;
}

const ComputeRoof* tf32_roof(const Report& report) {
  for (const RoofEntry& entry : report.roofs) {
    const auto* roof = std::get_if<ComputeRoof>(&entry.roof);
    if (roof != nullptr && roof->key == PeakKey::tf32 && roof->sparsity == Sparsity::dense &&
        !is_best_product(entry))
      return roof;
  }
  return nullptr;
}

}  // namespace

std::optional<Symptom> power_capped(const Record& point, const Report& report) {
  if (measured(point) == nullptr || is_cpu(point) || memory_side(point)) return std::nullopt;
  const auto relief = relief_by_zeros(point, report);
  const auto lost = lost_to_power(point, relief);
  if (!lost) return std::nullopt;
  std::string evidence = power_is_the_reason(point)
                             ? "the driver gives the software power cap as the reason for its clock"
                             : "its clock is held down by what its data draw";
  const Measured& seen = *measured(point);
  if (seen.clock) evidence += ": " + text(*seen.clock);
  if (point.roofs.compute && point.roofs.compute->clock)
    evidence += ", the roof is of " + text(*point.roofs.compute->clock);
  evidence += power_text(point, report);
  if (relief) {
    evidence += "; the same product of zeros is " + percent(relief->faster - 1) + " faster, at " +
                text(*relief->clock);
  }
  return Symptom{std::max(0.97 * explained(*lost, point), 0.65), std::move(evidence)};
}

std::optional<Symptom> fp32_not_tf32(const Report& report) {
  const ComputeRoof* tf32 = tf32_roof(report);
  if (tf32 == nullptr) return std::nullopt;
  Symptom out{0.4, {}};
  std::string best;
  for (const Record& point : report.points) {
    const bool product = std::holds_alternative<Gemm>(point.workload) ||
                         std::holds_alternative<Projection>(point.workload);
    if (!product || measured(point) == nullptr || !point.assessment || is_cpu(point)) continue;
    if (compute_dtype(point.workload) != DType::fp32 || !on_ordinary_units(point, *tf32)) continue;
    if (out.points.empty()) {
      out.evidence = point.id + " reaches " + text(*point.assessment->achieved) + " of the " +
                     text(point.roofs.compute->peak) + " that fp32 has; tf32 has " +
                     text(tf32->peak) + ", " + number(tf32->peak / point.roofs.compute->peak) +
                     " times as much";
    }
    out.points.push_back(point.id);
  }
  if (out.points.empty()) return std::nullopt;
  return out;
}

std::optional<Symptom> first_suggestion_slow(const Report& report) {
  constexpr double kNotable = 0.05;
  double worst = 0;
  std::size_t told = 0;
  Symptom out;
  for (const Record& point : report.points) {
    if (measured(point) == nullptr) continue;
    const FactValue* fact = find_fact(point.implementation, "first_suggestion_loss");
    if (fact == nullptr || std::holds_alternative<Unknown>(*fact)) continue;
    ++told;
    const double loss = number_fact(point.implementation, "first_suggestion_loss").value_or(0);
    if (loss <= kNotable) continue;
    out.points.push_back(point.id);
    if (loss <= worst) continue;
    worst = loss;
    out.evidence = "in " + point.id + " the library's first suggestion takes " + percent(loss) +
                   " longer than the best";
    const auto tried = number_fact(point.implementation, "algo_candidates");
    if (tried) out.evidence += " of " + number(*tried);
  }
  if (out.points.empty()) return std::nullopt;
  out.score = std::min(0.9, 0.5 + worst);
  out.evidence += "; above 5 % in " + std::to_string(out.points.size()) + " of " +
                  std::to_string(told) + (told == 1 ? " product" : " products");
  return out;
}

}  // namespace roofline::symptom
