#include "roofline/roof_book.hpp"

#include <algorithm>
#include <cmath>

namespace roofline {
namespace {

/// Read fraction of the traffic that a stream of this name makes, by the counts in account().
std::optional<double> read_fraction_of_stream(std::string_view stream_name) {
  const auto kind = find_stream_kind(stream_name.substr(0, stream_name.find(' ')));
  if (!kind) return std::nullopt;
  return read_fraction(account(Stream{.kind = *kind, .elements = 1}));
}

/// The stream's name; one with stores of the other kind is a roof of its own.
std::string roof_name(const Stream& stream) {
  return std::string(name(stream.kind)) + (stream.write_allocate ? " regular" : "");
}

/// `placement`: only roofs measured with threads that lay so; nothing: all.
const MemoryRoof* nearest_mix(const std::vector<RoofEntry>& entries, Boundary boundary,
                              double wanted, std::optional<std::string_view> placement) {
  const MemoryRoof* best = nullptr;
  double best_distance = 0;
  for (const RoofEntry& entry : entries) {
    const auto* roof = std::get_if<MemoryRoof>(&entry.roof);
    if (roof == nullptr || roof->boundary != boundary) continue;
    if (placement && roof->placement != *placement) continue;
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

/// Of the rated roofs and the measured ones, the same one each time: what it was measured at, or
/// through, tells them apart.
bool same_roof(const ComputeRoof& a, const ComputeRoof& b) {
  return a.origin == b.origin && a.key == b.key && a.sparsity == b.sparsity;
}
bool same_roof(const MemoryRoof& a, const MemoryRoof& b) {
  return a.origin == b.origin && a.boundary == b.boundary && a.placement == b.placement;
}
bool same_roof(const OverheadRoof& a, const OverheadRoof& b) {
  return a.origin == b.origin && a.path == b.path;
}
bool better(const ComputeRoof& a, const ComputeRoof& b) { return a.peak > b.peak; }
bool better(const MemoryRoof& a, const MemoryRoof& b) { return a.bandwidth > b.bandwidth; }
bool better(const OverheadRoof& a, const OverheadRoof& b) { return a.time < b.time; }

std::string missing_peak(DType dtype, Engine units) {
  return "no " + std::string(name(dtype)) + " peak of the " + std::string(name(units)) +
         " units is known for this device";
}

}  // namespace

void RoofBook::add(RoofEntry entry) {
  for (RoofEntry& known : entries_) {
    if (known.name != entry.name || known.roof.index() != entry.roof.index()) continue;
    const auto [same, fresh_is_better] = std::visit(
        [&](const auto& fresh) {
          const auto& old = std::get<std::decay_t<decltype(fresh)>>(known.roof);
          return std::pair{same_roof(fresh, old), better(fresh, old)};
        },
        entry.roof);
    if (!same) continue;
    if (fresh_is_better) known = std::move(entry);
    return;
  }
  entries_.push_back(std::move(entry));
}

void RoofBook::learn(const Record& record) {
  const auto* measured = std::get_if<Measured>(&record.outcome);
  if (measured == nullptr || in_second(measured->time_median) <= 0) return;
  if (measured->verification.state != VerificationState::verified) return;
  if (defines_roofs(record.workload) && !trusted(measured->end)) {
    disturbed_ = true;
    return;
  }
  if (const auto* stream = std::get_if<Stream>(&record.workload)) {
    const Bytes bytes = byte(total_traffic(record.account).as_double());
    add({roof_name(*stream),
         MemoryRoof{bytes / measured->time_median, record.account.boundary, Origin::measured,
                    "stream " + roof_name(*stream) + ", median", measured->placement},
         record.id});
  } else if (const auto* probe = std::get_if<PeakProbe>(&record.workload)) {
    const auto key = probed_key(probe->dtype);
    if (!key || !record.account.work) return;
    add({std::string(name(probe->dtype)),
         ComputeRoof{flop(record.account.work->as_double()) / measured->time_median, *key,
                     Sparsity::dense, Origin::measured, "register-resident FMA loop, median",
                     measured->clock},
         record.id});
  } else if (const auto* launch = std::get_if<Launch>(&record.workload)) {
    add({std::string(name(launch->path)) + " launch",
         OverheadRoof{measured->time_median, launch->path, Origin::measured, "empty call, median"},
         record.id});
  }
}

Roofs RoofBook::roofs_for(const Workload& workload, const Account& account,
                          std::string_view placement) const {
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
  const MemoryRoof* memory = nearest_mix(entries_, account.boundary, wanted, placement);
  // A roof of other placement is better than none; its own placement stands beside it.
  if (memory == nullptr) memory = nearest_mix(entries_, account.boundary, wanted, {});
  if (memory != nullptr) {
    out.memory = *memory;
  } else {
    out.memory_reason =
        "no " + std::string(name(account.boundary)) + " bandwidth is known for this device" + why;
  }
  for (const RoofEntry& entry : entries_) {
    const auto* overhead = std::get_if<OverheadRoof>(&entry.roof);
    if (overhead == nullptr || overhead->path != launch_path(workload)) continue;
    if (!out.overhead || overhead->time < out.overhead->time) out.overhead = *overhead;
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

bool defines_roofs(const Workload& workload) {
  return std::holds_alternative<PeakProbe>(workload) || std::holds_alternative<Stream>(workload) ||
         std::holds_alternative<Launch>(workload);
}

void place_record(Record& record, const RoofBook& book) {
  const auto* measured = std::get_if<Measured>(&record.outcome);
  record.roofs = book.roofs_for(record.workload, record.account,
                                measured != nullptr ? measured->placement : std::string());
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
  if (measured == nullptr) return;
  RoofContext context;
  if (record.roofs.compute && record.roofs.compute->clock && measured->clock) {
    context.clock_adjusted_peak =
        record.roofs.compute->peak * (*measured->clock / *record.roofs.compute->clock);
  }
  record.assessment = assess(record.account, record.roofs, record.placement,
                             {.time = measured->time_median}, context);
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
