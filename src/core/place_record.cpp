#include <algorithm>

#include "roofline/fact_lookup.hpp"
#include "roofline/roof_book.hpp"

namespace roofline {

bool iterates_within_call(const Record& record) {
  if (std::holds_alternative<PeakProbe>(record.workload)) return true;
  return std::holds_alternative<Stream>(record.workload) &&
         find_fact(record.implementation, "passes_per_launch") != nullptr;
}

void place_record(Record& record, const RoofBook& book) {
  const auto* measured = std::get_if<Measured>(&record.outcome);
  record.roofs = book.roofs_for(record.workload, record.account,
                                measured != nullptr ? measured->placement : Text());
  if (iterates_within_call(record)) {
    record.roofs.overhead.reset();
    record.roofs.overhead_reason.clear();
  }
  const std::string lies = text_fact(record.implementation, "level");
  if (!lies.empty() && !find_boundary(lies)) {
    record.roofs.memory.reset();
    record.roofs.memory_reason =
        "its data lie " + lies + ", and what is between two levels has no roof of its own";
  }
  record.placement = place(record.account, record.roofs);
  record.rows = {};
  // Rows are counted across DRAM, and mean nothing against the ridge of another boundary.
  if (record.placement.ridge && record.account.boundary == Boundary::dram) {
    record.rows = rows_to_ridge(record.workload, *record.placement.ridge);
  }
  record.defines_roof = std::any_of(
      book.entries().begin(), book.entries().end(),
      [&](const RoofEntry& entry) { return entry.point == record.id && !is_best_product(entry); });
  record.assessment = {};
  record.observed = {};
  if (measured != nullptr) {
    RoofContext context = book.context_for(record.roofs);
    if (record.roofs.compute && record.roofs.compute->clock && measured->clock) {
      context.clock_adjusted_peak =
          record.roofs.compute->peak * (*measured->clock / *record.roofs.compute->clock);
    }
    record.assessment = assess(record.account, record.roofs, record.placement,
                               {.time = measured->time_median}, context);
    record.observed =
        observe_side(record.account, record.roofs, record.prediction, measured->time_median);
  }
  record.rooflines = rooflines(record.account, book.peaks_for(record.workload), record.roofs.memory,
                               record.assessment);
}

Prediction predict(const Workload& workload, const Account& account, const RoofBook& book) {
  Roofs roofs = book.roofs_for(workload, account);
  // Passes over a cache are made within a call, or may be: the implementation will say.
  const auto* stream = std::get_if<Stream>(&workload);
  if (std::holds_alternative<PeakProbe>(workload) ||
      (stream != nullptr && stream->level != Boundary::dram))
    roofs.overhead.reset();
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
                 : placement.bound == Bound::overhead
                     ? "the cost of a call is more than its bytes and work take"
                     : "the workload has no arithmetic intensity";
  }
  return out;
}

}  // namespace roofline
