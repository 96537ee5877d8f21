#include <algorithm>
#include <cmath>

#include "audit_rules.hpp"
#include "limits.hpp"
#include "prose.hpp"
#include "roofline/fact_lookup.hpp"

namespace roofline::audit_detail {
namespace {

using prose::text;

/// Four digits: how far above 100 % it lies matters here.
std::string ratio_text(double ratio) { return digits(std::round(ratio * 1e4) / 1e2) + " %"; }

/// Two figures of one data sheet that lie this near to each other are the same one.
constexpr double kSameFigure = 0.005;

bool same_figure(Performance a, Performance b) { return std::abs(a / b - 1) <= kSameFigure; }

/// The rated peak of a type, by the data sheet or by its units and clock.
const ComputeRoof* rated_peak(const DeviceView& device, PeakKey key, Sparsity sparsity) {
  const ComputeRoof* best = nullptr;
  for (const RoofEntry* entry : device.roofs) {
    const auto* roof = std::get_if<ComputeRoof>(&entry->roof);
    if (roof == nullptr || roof->key != key || roof->sparsity != sparsity) continue;
    if (roof->origin != Origin::datasheet) continue;
    if (best == nullptr || roof->peak > best->peak) best = roof;
  }
  return best;
}

std::string spoken(const ComputeRoof& roof) {
  return text(roof.peak) + " (" + std::string(name(roof.key)) + ", " +
         std::string(name(roof.sparsity)) + ", " + std::string(name(roof.origin)) + ")";
}

bool is_data_sheet(Origin origin) {
  return origin == Origin::datasheet || origin == Origin::derived;
}

/// Of the first derivation, which has the time and the counts as they stand.
const Assessment* assessed(const PointView& view) {
  const auto& found = view.derived.front().assessment;
  return found ? &*found : nullptr;
}

/// A measured roof may be passed by a quieter moment, a rated one by its clock alone.
double margin(Origin origin) {
  return origin == Origin::measured ? kImpossibleOverMeasured : kImpossible;
}

/// `achieved 400 TFLOP/s is 128 % of the peak, 312 TFLOP/s (bf16, dense, datasheet)`.
std::string how_far(const Record& point, const Assessment& found) {
  std::string out;
  const auto& compute = point.roofs.compute;
  const auto& memory = point.roofs.memory;
  if (compute && found.achieved && found.mfu && *found.mfu > 1) {
    out += "achieved " + text(*found.achieved) + " is " + ratio_text(*found.mfu) +
           " of the peak, " + spoken(*compute);
    if (found.clock_adjusted_mfu)
      out +=
          ", and " + ratio_text(*found.clock_adjusted_mfu) + " of it at the clock of its samples";
  }
  if (memory && found.achieved_bandwidth && *found.achieved_bandwidth > memory->bandwidth) {
    out += out.empty() ? "" : "; ";
    out += "moving " + text(*found.achieved_bandwidth) + " is " +
           ratio_text(*found.achieved_bandwidth / memory->bandwidth) + " of the " +
           std::string(name(memory->boundary)) + " bandwidth, " + text(memory->bandwidth) + " (" +
           std::string(name(memory->origin)) + ")";
  }
  if (out.empty() && found.clock_adjusted_mfu && *found.clock_adjusted_mfu > 1)
    out = ratio_text(*found.clock_adjusted_mfu) + " of the peak at the clock of its samples";
  if (out.empty()) out = "the reading passes what is rated";
  return out;
}

/// The report's own word first: what it was measured under is more than it says.
std::string likeliest(const Record& point, const Assessment& found) {
  const bool said = point.assessment && !point.assessment->causes.empty();
  const auto& causes = said ? point.assessment->causes : found.causes;
  return causes.empty() ? "" : "; " + causes.front().text;
}

/// The bytes that a call touches, with all its rotated copies.
std::optional<double> working_set(const Record& point) {
  if (const auto stated = number_fact(point.implementation, "working_set_byte")) return stated;
  const double bytes = total_traffic(point.account).as_double();
  if (bytes <= 0) return std::nullopt;
  return bytes * number_fact(point.implementation, "weight_copies").value_or(1);
}

}  // namespace

Found sparse_denominator(const PointView& view) {
  const auto& compute = view.point.roofs.compute;
  if (!compute) return {};
  if (compute->sparsity == Sparsity::sparse_2_4) {
    return {{"the peak is " + spoken(*compute) + ", and the work is dense", "peak_sparsity"}};
  }
  if (compute->origin != Origin::user) return {};
  const ComputeRoof* sparse = rated_peak(view.device, compute->key, Sparsity::sparse_2_4);
  const ComputeRoof* dense = rated_peak(view.device, compute->key, Sparsity::dense);
  const bool twice = dense != nullptr && same_figure(compute->peak, 2 * dense->peak);
  if (!twice && (sparse == nullptr || !same_figure(compute->peak, sparse->peak))) return {};
  Evidence found{"the peak is " + spoken(*compute) + ", which is the figure with 2:4 sparsity",
                 "peak_flop_per_s", in_flop_per_s(compute->peak)};
  if (dense != nullptr) {
    found.text += "; dense is " + text(dense->peak);
    found.expected = in_flop_per_s(dense->peak);
  }
  return {found};
}

Found wrong_dtype_denominator(const PointView& view) {
  const Record& point = view.point;
  const auto& compute = point.roofs.compute;
  if (!compute || !computes(point.workload)) return {};
  const auto keys = peak_candidates(compute_dtype(point.workload), accumulate_dtype(point.workload),
                                    engine(point.workload));
  const std::string type(name(compute_dtype(point.workload)));
  if (std::find(keys.begin(), keys.end(), compute->key) == keys.end()) {
    return {{"the work is in " + type + ", and the peak is " + spoken(*compute), "peak_key"}};
  }
  // A peak that somebody stated is of the type that they stated, whatever that figure is known as.
  const ComputeRoof* own = rated_peak(view.device, compute->key, Sparsity::dense);
  if (compute->origin != Origin::user || own == nullptr || same_figure(compute->peak, own->peak))
    return {};
  for (const PeakKey key : peak_keys()) {
    const ComputeRoof* other = rated_peak(view.device, key, Sparsity::dense);
    if (other == nullptr || !same_figure(compute->peak, other->peak)) continue;
    return {{"the peak is " + spoken(*compute) + ", which is the " + std::string(name(key)) +
                 " peak of the device; that of " + std::string(name(own->key)) + " is " +
                 text(own->peak),
             "peak_flop_per_s", in_flop_per_s(compute->peak), in_flop_per_s(own->peak)}};
  }
  return {};
}

Found peak_counted_once(const PointView& view) {
  constexpr double kHalf = 0.02;
  const auto half_of = [](Performance a, Performance whole) {
    return std::abs(2 * (a / whole) - 1) <= kHalf;
  };
  const auto& compute = view.point.roofs.compute;
  if (!compute) return {};
  const ComputeRoof* own = rated_peak(view.device, compute->key, Sparsity::dense);
  if (own == nullptr) return {};
  if (compute->origin == Origin::user && half_of(compute->peak, own->peak)) {
    return {{"the peak is " + spoken(*compute) + ", half of the rated " + text(own->peak),
             "peak_flop_per_s", in_flop_per_s(compute->peak), in_flop_per_s(own->peak)}};
  }
  const Assessment* found = assessed(view);
  if (!std::holds_alternative<PeakProbe>(view.point.workload) || found == nullptr) return {};
  if (!found->achieved || !half_of(*found->achieved, own->peak)) return {};
  return {{"the probe reaches " + text(*found->achieved) + ", half of the rated " + text(own->peak),
           "achieved_flop_per_s", in_flop_per_s(*found->achieved), in_flop_per_s(own->peak)}};
}

Found impossible_reading(const PointView& view) {
  const Assessment* found = assessed(view);
  if (found == nullptr || !found->impossible) return {};
  return {{how_far(view.point, *found) + likeliest(view.point, *found), "of_ceiling",
           found->of_ceiling}};
}

Found above_roof(const PointView& view) {
  const Assessment* found = assessed(view);
  if (found == nullptr || !found->above_roof || found->impossible) return {};
  Evidence out{how_far(view.point, *found), "of_ceiling", found->of_ceiling};
  // The best that was demonstrated is no limit.
  const auto& roofs = view.point.roofs;
  const bool over_peak = found->mfu && *found->mfu > 1;
  const bool demonstrated = over_peak ? roofs.compute && roofs.compute->origin == Origin::measured
                                      : roofs.memory && roofs.memory->origin == Origin::measured;
  if (!demonstrated) return {out};
  if (found->of_ceiling.value_or(0) <= kImpossible) return {};
  out.severity = Severity::note;
  return {out};
}

Found hot_cache(const PointView& view) {
  const Record& point = view.point;
  const Assessment* found = assessed(view);
  const auto& memory = point.roofs.memory;
  const auto& cache = view.device.last_level_cache_byte;
  if (found == nullptr || !found->achieved_bandwidth || !memory || !cache) return {};
  if (memory->boundary != Boundary::dram || point.account.boundary != Boundary::dram) return {};
  const auto set = working_set(point);
  if (!set || *set > *cache) return {};
  if (*found->achieved_bandwidth / memory->bandwidth <= margin(memory->origin)) return {};
  return {{"it moves " + text(*found->achieved_bandwidth) + " where DRAM has " +
               text(memory->bandwidth) + ", and its " + text(byte(*set)) + " fit the " +
               text(byte(*cache)) + " of the last-level cache",
           "achieved_byte_per_s", in_byte_per_s(*found->achieved_bandwidth),
           in_byte_per_s(memory->bandwidth)}};
}

Found below_launch_floor(const PointView& view) {
  const Record& point = view.point;
  const auto& overhead = point.roofs.overhead;
  if (view.measured == nullptr || !overhead || !usable(overhead->time)) return {};
  if (std::holds_alternative<Launch>(point.workload)) return {};
  // Probes and streams count the passes of their loops; how many make a call is for them to say.
  const auto passes = number_fact(point.implementation, "passes_per_launch");
  const bool loops = std::holds_alternative<PeakProbe>(point.workload) ||
                     std::holds_alternative<Stream>(point.workload);
  if (loops && !passes) return {};
  const Seconds time = passes.value_or(1) * view.measured->time_median;
  if (time * margin(overhead->origin) >= overhead->time) return {};
  return {{"a launch takes " + text(time) + ", and an empty one " + text(overhead->time) + " (" +
               std::string(name(overhead->path)) + ", " + std::string(name(overhead->origin)) + ")",
           "time_median_s", in_second(time), in_second(overhead->time)}};
}

Found low_entropy_data(const PointView& view) {
  const auto* gemm = std::get_if<Gemm>(&view.point.workload);
  const auto& compute = view.point.roofs.compute;
  if (gemm == nullptr || view.measured == nullptr || !compute) return {};
  if (gemm->data == DataPattern::random || !is_data_sheet(compute->origin)) return {};
  std::string text_of = "its operands are " + std::string(name(gemm->data)) +
                        ", and it is held against " + spoken(*compute);
  if (view.point.assessment && view.point.assessment->mfu)
    text_of += ": MFU " + ratio_text(*view.point.assessment->mfu);
  return {{std::move(text_of), "workload.data"}};
}

}  // namespace roofline::audit_detail
