#include "roofline/placement.hpp"

#include <algorithm>
#include <cmath>

namespace roofline {
namespace {

constexpr std::string_view kBoundNames[] = {"memory", "compute", "overhead"};
constexpr std::string_view kVerdictNames[] = {
    "at_memory_roof",     "below_memory_roof", "at_compute_roof", "below_compute_roof",
    "overhead_bound",     "impossible",        "unknown"};
constexpr std::string_view kLevers[] = {
    "The roofline is finished: change the algorithm (batch more rows, fuse, quantise) to move right.",
    "Far below the memory roof: a profiler's question (coalescing, occupancy, bytes in flight, launch overhead).",
    "At the compute roof: only more silicon, or a narrower type, helps.",
    "Far below the compute roof: a profiler's question (tile shape, kernel choice, clocks).",
    "Overhead decides: fuse, compile or capture a graph before buying silicon.",
    "The reading cannot be: mend the count, the time or the peak before reading anything else.",
    "Nothing can be said: a roof, the work or the time is missing."};
constexpr std::string_view kBoundLevers[] = {
    "Memory-bound: move right. Share each byte among more rows (batch), fuse, or shrink the elements (quantise); "
    "a better kernel cannot pass this ceiling.",
    "Compute-bound: move up. Tile shape, matrix-unit kernels and clocks decide; beyond the roof only more silicon "
    "or a narrower type helps.",
    "Overhead-bound: the call costs more than its work. Fuse, compile or capture a graph."};

/// Time that the arithmetic and the traffic of an account take at least, each under its own roof.
struct Terms {
  std::optional<Seconds> compute;
  std::optional<Seconds> memory;
};

Terms terms_of(const Account& account, const Roofs& roofs) {
  Terms out;
  if (account.work && roofs.compute) {
    out.compute = flop(account.work->as_double()) / roofs.compute->peak;
  }
  if (!account.stated_intensity && roofs.memory) {
    out.memory = byte(total_traffic(account).as_double()) / roofs.memory->bandwidth;
  }
  return out;
}

std::optional<Seconds> bare_floor(const Account& account, const Roofs& roofs) {
  const Terms terms = terms_of(account, roofs);
  // Work without a compute roof leaves the floor open, unless there is no work to do.
  const bool no_work = account.work && account.work->value() == 0;
  if (terms.memory && no_work) return terms.memory;
  if (terms.memory && terms.compute) return std::max(*terms.memory, *terms.compute);
  const bool no_bytes = !account.stated_intensity && account.work && account.traffic.empty();
  if (terms.compute && no_bytes) return terms.compute;
  return std::nullopt;
}

}  // namespace

std::string_view name(Bound bound) { return kBoundNames[static_cast<std::size_t>(bound)]; }
std::string_view name(Verdict verdict) { return kVerdictNames[static_cast<std::size_t>(verdict)]; }
std::string_view lever(Verdict verdict) { return kLevers[static_cast<std::size_t>(verdict)]; }
std::string_view lever(Bound bound) { return kBoundLevers[static_cast<std::size_t>(bound)]; }

std::optional<Bound> side_of(const Account& account, Intensity ridge) {
  if (const auto at = intensity(account)) return *at < ridge ? Bound::memory : Bound::compute;
  const bool arithmetic_only = account.work && account.work->value() != 0 && account.traffic.empty();
  if (arithmetic_only) return Bound::compute;
  return std::nullopt;
}

Placement place(const Account& account, const Roofs& roofs) {
  Placement out;
  out.intensity = intensity(account);
  if (roofs.compute && roofs.memory) {
    const Performance peak = roofs.compute->peak;
    const Bandwidth bandwidth = roofs.memory->bandwidth;
    out.ridge = ridge_point(peak, bandwidth);
    out.bound = side_of(account, *out.ridge);
    if (out.intensity) {
      out.ridge_distance = *out.intensity / *out.ridge;
      out.near_ridge = *out.ridge_distance <= kNearRidge && *out.ridge_distance >= 1 / kNearRidge;
      out.ceiling = attainable(*out.intensity, peak, bandwidth);
      out.mfu_ceiling = *out.ceiling / peak;
    }
  } else if (account.work && account.work->value() == 0 && roofs.memory) {
    out.bound = Bound::memory;  // no arithmetic: no compute roof could bind
  }
  if (out.bound == Bound::compute && !out.intensity && roofs.compute) {
    out.ceiling = roofs.compute->peak;
    out.mfu_ceiling = 1.0;
  }
  if (!out.bound && account.work && account.traffic.empty() && !account.stated_intensity &&
      roofs.compute) {
    out.bound = Bound::compute;
    out.ceiling = roofs.compute->peak;
    out.mfu_ceiling = 1.0;
  }
  if (const auto bare = bare_floor(account, roofs)) {
    const Seconds overhead = roofs.overhead.value_or(second(0));
    out.floor = *bare + overhead;
    if (overhead > *bare) out.bound = Bound::overhead;
  }
  return out;
}

RowsToRidge rows_to_ridge(const Workload& workload, Intensity ridge) {
  // Intensity of T rows = T*f / (fixed + T*v): work and bytes per row, and bytes that all rows share.
  double flop_per_row = 0;
  double byte_per_row = 0;
  double shared_bytes = 0;
  const auto rows_of = [&](const Workload& one_row, std::string_view shared, std::string_view also) {
    const Account cost = account(one_row);
    flop_per_row = cost.work->as_double();
    for (const TensorTraffic& entry : cost.traffic) {
      const bool is_shared = entry.tensor == shared || entry.tensor.starts_with(also);
      (is_shared ? shared_bytes : byte_per_row) += entry.bytes.as_double();
    }
  };
  // A multiple of eight rows keeps packed types exact, whatever their width.
  constexpr std::uint64_t kRows = 8;
  if (const auto* gemm = std::get_if<Gemm>(&workload)) {
    Gemm few = *gemm;
    few.m = kRows;
    rows_of(few, "B", "B ");
  } else if (const auto* projection = std::get_if<Projection>(&workload)) {
    Projection few = *projection;
    few.rows = kRows;
    rows_of(few, "weights", "scales");
  } else {
    return {std::nullopt, std::nullopt,
            "a " + std::string(kind_name(workload)) + " has no rows that share a weight read"};
  }
  flop_per_row /= static_cast<double>(kRows);
  byte_per_row /= static_cast<double>(kRows);
  const double r = in_flop_per_byte(ridge);
  const double gain = flop_per_row - r * byte_per_row;
  if (gain <= 0) {
    return {std::nullopt, std::nullopt,
            "no row count reaches the ridge: the activations alone keep the intensity below it"};
  }
  const double rows = r * shared_bytes / gain;
  if (!(rows < 9e15)) {
    return {std::nullopt, std::nullopt, "no row count that fits 53 bits reaches the ridge"};
  }
  // A solution within rounding of a whole number is that number.
  const double nearest = std::round(rows);
  const bool whole = std::abs(rows - nearest) <= 1e-9 * std::max(1.0, nearest);
  return {rows, static_cast<std::uint64_t>(std::max(1.0, whole ? nearest : std::ceil(rows))), {}};
}

}  // namespace roofline
