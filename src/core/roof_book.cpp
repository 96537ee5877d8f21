#include "roofline/roof_book.hpp"

#include <algorithm>
#include <cmath>

namespace roofline {
namespace {

/// Read fraction of the traffic that a stream of this name makes, by the counts in account().
std::optional<double> read_fraction_of_stream(std::string_view stream_name) {
  const auto kind = find_stream_kind(stream_name);
  if (!kind) return std::nullopt;
  return read_fraction(account(Stream{.kind = *kind, .elements = 1}));
}

const MemoryRoof* nearest_mix(const std::vector<RoofEntry>& entries, Boundary boundary,
                              double wanted) {
  const MemoryRoof* best = nullptr;
  double best_distance = 0;
  for (const RoofEntry& entry : entries) {
    const auto* roof = std::get_if<MemoryRoof>(&entry.roof);
    if (roof == nullptr || roof->boundary != boundary) continue;
    // A roof that is no stream (a datasheet bandwidth) stands for every mix, behind any measured
    // one.
    const auto fraction = read_fraction_of_stream(entry.name);
    const double distance = fraction ? std::abs(*fraction - wanted) : 2.0;
    const bool nearer = best == nullptr || distance < best_distance;
    const bool faster =
        best != nullptr && distance == best_distance && roof->bandwidth > best->bandwidth;
    if (nearer || faster) {
      best = roof;
      best_distance = distance;
    }
  }
  return best;
}

const ComputeRoof* find_compute(const std::vector<RoofEntry>& entries, PeakKey key) {
  const ComputeRoof* best = nullptr;
  for (const RoofEntry& entry : entries) {
    const auto* roof = std::get_if<ComputeRoof>(&entry.roof);
    if (roof == nullptr || roof->key != key || roof->sparsity != Sparsity::dense) continue;
    if (best == nullptr || roof->peak > best->peak) best = roof;
  }
  return best;
}

std::string missing_peak(DType dtype, Engine units) {
  return "no " + std::string(name(dtype)) + " peak of the " + std::string(name(units)) +
         " units is known for this device";
}

}  // namespace

void RoofBook::add(RoofEntry entry) {
  for (RoofEntry& known : entries_) {
    if (known.name != entry.name || known.roof.index() != entry.roof.index()) continue;
    if (const auto* fresh = std::get_if<ComputeRoof>(&entry.roof)) {
      const auto& old = std::get<ComputeRoof>(known.roof);
      if (old.origin != fresh->origin || old.key != fresh->key || old.sparsity != fresh->sparsity)
        continue;
      if (fresh->peak > old.peak) known = std::move(entry);
    } else {
      const auto& fresh_memory = std::get<MemoryRoof>(entry.roof);
      const auto& old = std::get<MemoryRoof>(known.roof);
      if (old.origin != fresh_memory.origin || old.boundary != fresh_memory.boundary) continue;
      if (fresh_memory.bandwidth > old.bandwidth) known = std::move(entry);
    }
    return;
  }
  entries_.push_back(std::move(entry));
}

void RoofBook::learn(const Record& record) {
  const auto* measured = std::get_if<Measured>(&record.outcome);
  if (measured == nullptr || in_second(measured->time_median) <= 0) return;
  if (measured->verification.state != VerificationState::verified) return;
  const bool shows_roof = std::holds_alternative<Stream>(record.workload) ||
                          std::holds_alternative<PeakProbe>(record.workload);
  if (shows_roof && measured->end == MeasurementEnd::contended) {
    disturbed_ = true;
    return;
  }
  if (const auto* stream = std::get_if<Stream>(&record.workload)) {
    const Bytes bytes = byte(total_traffic(record.account).as_double());
    add({std::string(name(stream->kind)),
         MemoryRoof{bytes / measured->time_median, record.account.boundary, Origin::measured,
                    "stream " + std::string(name(stream->kind)) + ", median"},
         record.id});
  } else if (const auto* probe = std::get_if<PeakProbe>(&record.workload)) {
    const auto key = probed_key(probe->dtype);
    if (!key || !record.account.work) return;
    add({std::string(name(probe->dtype)),
         ComputeRoof{flop(record.account.work->as_double()) / measured->time_median, *key,
                     Sparsity::dense, Origin::measured, "register-resident FMA loop, median"},
         record.id});
  }
}

Roofs RoofBook::roofs_for(const Workload& workload, const Account& account) const {
  Roofs out;
  const DType dtype = compute_dtype(workload);
  const Engine units = engine(workload);
  for (const PeakKey key : peak_candidates(dtype, accumulate_dtype(workload), units)) {
    if (const ComputeRoof* roof = find_compute(entries_, key)) {
      out.compute = *roof;
      break;
    }
  }
  const std::string why = disturbed_ ? " (other work disturbed the measurement of roofs)" : "";
  if (!out.compute) out.compute_reason = missing_peak(dtype, units) + why;
  const auto fraction = read_fraction(account);
  // Without traffic of its own (a bare intensity) a read stream is the memory roof.
  const double wanted = fraction.value_or(1.0);
  if (const MemoryRoof* roof = nearest_mix(entries_, account.boundary, wanted)) {
    out.memory = *roof;
  } else {
    out.memory_reason =
        "no " + std::string(name(account.boundary)) + " bandwidth is known for this device" + why;
  }
  return out;
}

std::optional<double> read_fraction(const Account& account) {
  const Count all = total_traffic(account);
  if (all.value() == 0) return std::nullopt;
  return read_traffic(account).as_double() / all.as_double();
}

std::optional<PeakKey> probed_key(DType dtype) {
  const auto keys = peak_candidates(dtype, info(dtype).accumulate, Engine::tensor);
  if (keys.empty()) return std::nullopt;
  return keys.back();
}

void place_record(Record& record, const RoofBook& book) {
  record.roofs = book.roofs_for(record.workload, record.account);
  record.placement = place(record.account, record.roofs);
  record.rows = {};
  // Rows are counted across DRAM, and mean nothing against the ridge of another boundary.
  if (record.placement.ridge && record.account.boundary == Boundary::dram) {
    record.rows = rows_to_ridge(record.workload, *record.placement.ridge);
  }
  record.defines_roof =
      std::any_of(book.entries().begin(), book.entries().end(),
                  [&](const RoofEntry& entry) { return entry.point == record.id; });
  record.assessment = {};
  record.observed = {};
  const auto* measured = std::get_if<Measured>(&record.outcome);
  if (measured == nullptr) return;
  record.assessment =
      assess(record.account, record.roofs, record.placement, {.time = measured->time_median});
  record.observed =
      observe_side(record.account, record.roofs, record.prediction, measured->time_median);
}

Prediction predict(const Workload& workload, const Account& account, const RoofBook& book) {
  const Roofs roofs = book.roofs_for(workload, account);
  const Placement placement = place(account, roofs);
  Prediction out;
  out.ridge = placement.ridge;
  if (placement.bound && *placement.bound != Bound::overhead) out.side = placement.bound;
  if (roofs.compute && roofs.memory) {
    const bool measured =
        roofs.compute->origin == Origin::measured || roofs.memory->origin == Origin::measured;
    out.ridge_origin = measured ? Origin::measured : roofs.compute->origin;
  }
  if (!out.side) {
    out.reason = !roofs.compute  ? roofs.compute_reason
                 : !roofs.memory ? roofs.memory_reason
                                 : "the workload has no arithmetic intensity";
  }
  return out;
}

}  // namespace roofline
