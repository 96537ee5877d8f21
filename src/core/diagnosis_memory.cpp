#include <algorithm>
#include <cmath>

#include "diagnosis_symptoms.hpp"
#include "limits.hpp"
#include "prose.hpp"
#include "roofline/fact_lookup.hpp"

namespace roofline::symptom {

using prose::number;
using prose::percent;
using prose::text;

namespace {

Bytes counted(const Record& point) { return byte(total_traffic(point.account).as_double()); }

/// Whether `roof` is the one that the point is held against.
bool holds(const RoofEntry& entry, const Record& point) {
  if (const auto* memory = std::get_if<MemoryRoof>(&entry.roof)) {
    return memory_side(point) && point.roofs.memory &&
           memory->bandwidth == point.roofs.memory->bandwidth;
  }
  const auto* compute = std::get_if<ComputeRoof>(&entry.roof);
  return compute != nullptr && !memory_side(point) && point.roofs.compute &&
         compute->peak == point.roofs.compute->peak;
}

/// Threads of the point that demonstrated the roof; nothing where that is not told.
std::optional<double> threads_of_roof(const Record& point, const Report& report) {
  for (const RoofEntry& entry : report.roofs) {
    if (entry.point.empty() || !holds(entry, point)) continue;
    for (const Record& shown : report.points) {
      if (shown.id == entry.point) return number_fact(shown.implementation, "threads");
    }
  }
  return std::nullopt;
}

std::optional<double> cores(const Report& report) {
  for (const char* key : {"allowed_cores", "physical_cores"}) {
    if (const auto found = number_fact(report.environment, key)) return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Symptom> disturbed_measurement(const Record& point, const Report&) {
  const Measured& seen = *measured(point);
  if (seen.end != MeasurementEnd::contended && seen.end != MeasurementEnd::placement_unstable)
    return std::nullopt;
  const auto spoilt = std::count_if(seen.samples.begin(), seen.samples.end(),
                                    [](const Sample& sample) { return !sample.clean(); });
  std::optional<double> share;
  for (const Sample& sample : seen.samples) {
    if (sample.cpu_share) share = std::min(share.value_or(*sample.cpu_share), *sample.cpu_share);
  }
  std::string evidence = "sampling ended " + std::string(name(seen.end)) + ": " +
                         std::to_string(spoilt) + " of " + std::to_string(seen.samples.size()) +
                         " samples were disturbed";
  if (share) evidence += ", a thread had its CPU for " + percent(*share) + " of one";
  return Symptom{0.9, std::move(evidence)};
}

std::optional<Symptom> call_overhead(const Record& point, const Report&) {
  constexpr double kNotable = 0.2;  // of the time
  const auto& overhead = point.roofs.overhead;
  const auto& time = point.assessment->time;
  if (!overhead && time && !point.roofs.overhead_reason.empty()) {
    // An empty call of any path takes less than a fifth of this.
    constexpr Seconds kLong = second(100e-6);
    if (*time > kLong) return std::nullopt;
    return Symptom{0.3, "what an empty call takes is not known, and this one takes " + text(*time) +
                            ": " + point.roofs.overhead_reason};
  }
  if (!overhead || !time || !usable(overhead->time) || !point.placement.floor) return std::nullopt;
  const double share = overhead->time / *time;
  if (share < kNotable) return std::nullopt;
  const Seconds bare = *point.placement.floor - overhead->time;
  const Seconds gap = *time - bare;
  const double closes = usable(gap) ? std::min(1.0, overhead->time / gap) : 1.0;
  return Symptom{0.95 * closes, "an empty call (" + std::string(name(overhead->path)) + ") takes " +
                                    text(overhead->time) + ", " + percent(share) + " of the " +
                                    text(*time) + " of this one, whose bytes and work need " +
                                    text(bare)};
}

std::optional<Symptom> too_few_threads(const Record& point, const Report& report) {
  const auto used = number_fact(point.implementation, "threads");
  if (!used) return std::nullopt;
  const auto of_roof = threads_of_roof(point, report);
  const auto there = of_roof ? of_roof : cores(report);
  if (!there || *used >= *there) return std::nullopt;
  // Threads in proportion to the rate are a good fit, a single thread that nearly saturates is not.
  const double fit = *point.assessment->of_ceiling / (*used / *there);
  const bool fits = fit > 0.5 && fit < 1.5;
  return Symptom{fits ? 0.85 : 0.5,
                 number(*used) + (*used == 1 ? " thread ran it, " : " threads ran it, ") +
                     number(*there) + (of_roof ? " showed the roof" : " cores are there")};
}

std::optional<Symptom> emulated_arithmetic(const Record& point, const Report&) {
  const Facts& facts = point.implementation;
  for (const char* key : {"emulated", "arithmetic_note"}) {
    const std::string note = text_fact(facts, key);
    if (!note.empty()) return Symptom{0.8, note};
    if (flag_fact(facts, key)) {
      const std::string kernel = text_fact(facts, "kernel");
      return Symptom{0.8, std::string(name(compute_dtype(point.workload))) + " is emulated" +
                              (kernel.empty() ? "" : " by " + kernel)};
    }
  }
  return std::nullopt;
}

std::optional<Symptom> small_transfer(const Record& point, const Report&) {
  const Bytes bytes = counted(point);
  if (!point.roofs.memory || !usable(bytes) || in_byte(bytes) >= kFewBytes) return std::nullopt;
  const double smallness = 1 - in_byte(bytes) / kFewBytes;
  return Symptom{0.35 + 0.35 * smallness,
                 "only " + text(bytes) + " cross " + std::string(name(point.account.boundary)) +
                     " in a call, " + text(bytes / point.roofs.memory->bandwidth) + " at the roof"};
}

std::optional<Symptom> stores_read_lines(const Record& point, const Report&) {
  const double moved = moved_traffic(point.account).as_double();
  const double bytes = total_traffic(point.account).as_double();
  if (point.account.write_allocate.value() == 0 || bytes <= 0) return std::nullopt;
  const double with_lines = *point.assessment->of_ceiling * moved / bytes;
  if (with_lines < kAtRoof) return std::nullopt;
  return Symptom{0.8, "with the lines that its stores read first it moves " + text(byte(moved)) +
                          ", not " + text(byte(bytes)) + ", and reaches " + percent(with_lines) +
                          " of the roof"};
}

std::optional<Symptom> other_placement(const Record& point, const Report&) {
  const std::string& here = measured(point)->placement;
  if (here.empty() || !point.roofs.memory) return std::nullopt;
  const std::string& there = point.roofs.memory->placement;
  if (there.empty() || there == here) return std::nullopt;
  return Symptom{0.75, "its threads lay " + here + " to each other, those of the roof " + there};
}

std::optional<Symptom> host_side_of_link(const Record& point, const Report&) {
  const auto* transfer = std::get_if<Transfer>(&point.workload);
  if (transfer == nullptr) return std::nullopt;
  const bool pageable = transfer->host_memory == HostMemory::pageable;
  std::string evidence = std::string(name(transfer->host_memory)) + " host memory, " +
                         percent(*point.assessment->of_ceiling) + " of the roof";
  if (point.roofs.memory && point.roofs.memory->origin == Origin::measured)
    evidence += " that the best transfer showed";
  return Symptom{pageable ? 0.9 : 0.3, std::move(evidence)};
}

std::optional<Symptom> uncoalesced_access(const Record& point, const Report&) {
  if (std::holds_alternative<Transfer>(point.workload)) return std::nullopt;
  const Bytes bytes = counted(point);
  const bool large = in_byte(bytes) >= kFewBytes;
  std::string evidence = percent(*point.assessment->of_ceiling) + " of the ceiling";
  if (point.assessment->achieved_bandwidth && point.roofs.memory) {
    evidence =
        text(*point.assessment->achieved_bandwidth) + " of " + text(point.roofs.memory->bandwidth);
  }
  if (usable(bytes)) evidence += " over " + text(bytes);
  if (large) evidence += ", enough for latency not to matter";
  return Symptom{large ? 0.3 : 0.1, std::move(evidence)};
}

}  // namespace roofline::symptom
