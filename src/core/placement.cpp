#include "roofline/placement.hpp"

#include <algorithm>
#include <cmath>

#include "limits.hpp"
#include "roofline/error.hpp"
#include "tensor_class.hpp"

namespace roofline {
namespace {

constexpr std::string_view kBoundNames[] = {"memory", "compute", "overhead"};
constexpr std::string_view kVerdictNames[] = {
    "at_memory_roof", "below_memory_roof", "at_compute_roof", "below_compute_roof",
    "overhead_bound", "impossible",        "unknown"};
constexpr std::string_view kLevers[] = {
    "The roofline is finished: change the algorithm (batch more rows, fuse, quantise) to move "
    "right.",
    "Far below the memory roof: a profiler's question (coalescing, occupancy, bytes in flight, "
    "launch overhead).",
    "At the compute roof: only more silicon, or a narrower type, helps.",
    "Far below the compute roof: a profiler's question (tile shape, kernel choice, clocks).",
    "Overhead decides: fuse, compile or capture a graph before buying silicon.",
    "The reading cannot be: mend the count, the time or the peak before reading anything else.",
    "Nothing can be said: a roof, the work or the time is missing."};
constexpr std::string_view kBoundLevers[] = {
    "Memory-bound: move right. Share each byte among more rows (batch), fuse, or shrink the "
    "elements (quantise); "
    "a better kernel cannot pass this ceiling.",
    "Compute-bound: move up. Tile shape, matrix-unit kernels and clocks decide; beyond the roof "
    "only more silicon "
    "or a narrower type helps.",
    "Overhead-bound: the call costs more than its work. Fuse, compile or capture a graph."};

/// Nothing crosses the boundary although it is known what would: all of the work happens inside.
bool moves_nothing(const Account& account) {
  return account.work && !account.stated_intensity && total_traffic(account).value() == 0;
}

bool computes_nothing(const Account& account) {
  return account.work && account.work->value() == 0 && !moves_nothing(account);
}

/// An empty call: only its overhead is left.
bool does_nothing(const Account& account) {
  return moves_nothing(account) && account.work->value() == 0;
}

/// The least time under both roofs. Nothing where a roof, the work or the traffic that could bind
/// is unknown.
std::optional<Seconds> bare_floor(const Account& account, const Limits& limits) {
  if (does_nothing(account)) return second(0);
  std::optional<Seconds> compute;
  std::optional<Seconds> memory;
  if (account.work && limits.peak) compute = flop(account.work->as_double()) / *limits.peak;
  if (!account.stated_intensity && limits.bandwidth) {
    memory = byte(total_traffic(account).as_double()) / *limits.bandwidth;
  }
  if (moves_nothing(account)) return compute;
  if (computes_nothing(account)) return memory;
  if (memory && compute) return std::max(*memory, *compute);
  return std::nullopt;
}

}  // namespace

std::string_view name(Bound bound) { return kBoundNames[static_cast<std::size_t>(bound)]; }
std::string_view name(Verdict verdict) { return kVerdictNames[static_cast<std::size_t>(verdict)]; }
std::string_view lever(Verdict verdict) { return kLevers[static_cast<std::size_t>(verdict)]; }
std::string_view lever(Bound bound) { return kBoundLevers[static_cast<std::size_t>(bound)]; }

std::optional<Bound> side_of(const Account& account, Intensity ridge) {
  if (does_nothing(account)) return std::nullopt;
  if (const auto at = intensity(account)) return *at < ridge ? Bound::memory : Bound::compute;
  if (moves_nothing(account)) return Bound::compute;
  return std::nullopt;
}

Placement place(const Account& account, const Roofs& roofs) {
  const Limits limits = limits_of(account, roofs);
  Placement out;
  out.intensity = intensity(account);
  if (limits.peak && limits.bandwidth) {
    out.ridge = ridge_point(*limits.peak, *limits.bandwidth);
    out.bound = side_of(account, *out.ridge);
    if (out.intensity) {
      out.ridge_distance = *out.intensity / *out.ridge;
      out.near_ridge = *out.ridge_distance <= kNearRidge && *out.ridge_distance >= 1 / kNearRidge;
      out.ceiling = attainable(*out.intensity, *limits.peak, *limits.bandwidth);
    }
  }
  // One roof is enough where the other cannot bind.
  if (does_nothing(account)) {
    out.bound = std::nullopt;
  } else if (moves_nothing(account) && limits.peak) {
    out.bound = Bound::compute;
    out.ceiling = limits.peak;
  } else if (computes_nothing(account) && limits.bandwidth) {
    out.bound = Bound::memory;
    out.ceiling = flop_per_s(0);
  }
  if (out.ceiling && limits.peak) out.mfu_ceiling = *out.ceiling / *limits.peak;
  if (const auto bare = bare_floor(account, limits)) {
    const Seconds overhead = roofs.overhead ? roofs.overhead->time : second(0);
    out.floor = *bare + overhead;
    if (overhead > *bare) out.bound = Bound::overhead;
  }
  return out;
}

namespace {

/// The same operation for another number of rows; nothing where it has none.
std::optional<Workload> with_rows(const Workload& workload, std::uint64_t rows) {
  if (const auto* gemm = std::get_if<Gemm>(&workload)) {
    Gemm out = *gemm;
    out.m = rows;
    return out;
  }
  if (const auto* projection = std::get_if<Projection>(&workload)) {
    Projection out = *projection;
    out.rows = rows;
    return out;
  }
  return std::nullopt;
}

/// The first whole number at or right of the ridge, by the very counts that place() goes by.
/// Packing only ever adds bytes, so that no number below the real-valued solution can be it.
std::uint64_t first_right_of(const Workload& workload, Intensity ridge, double rows) {
  const auto guess = static_cast<std::uint64_t>(std::max(1.0, std::ceil(rows)));
  constexpr std::uint64_t kSlack = 2;  // the solution itself may be off by its last digits
  constexpr std::uint64_t kSteps = 4096;
  const std::uint64_t from = guess > kSlack ? guess - kSlack : 1;
  try {
    for (std::uint64_t candidate = from; candidate < from + kSteps; ++candidate) {
      if (side_of(account(*with_rows(workload, candidate)), ridge) == Bound::compute)
        return candidate;
    }
  } catch (const InputError&) {
    return guess;  // too many rows to count exactly
  }
  return guess;
}

}  // namespace

RowsToRidge rows_to_ridge(const Workload& workload, Intensity ridge) {
  const auto none = [](std::string reason) { return RowsToRidge{{}, {}, std::move(reason)}; };
  // A multiple of eight rows keeps packed types exact, whatever their width.
  constexpr std::uint64_t kRows = 8;
  const auto few = with_rows(workload, kRows);
  if (!few) {
    return none("only a gemm and a matvec have rows that share one read of the weights, not a " +
                std::string(kind_name(workload)));
  }
  validate(*few);
  // Intensity of T rows = T*f / (shared + T*v): work and bytes per row, and bytes that all rows
  // share.
  double flop_per_row = 0;
  double byte_per_row = 0;
  double shared_bytes = 0;
  try {
    const Account cost = account(*few);
    flop_per_row = cost.work->as_double() / static_cast<double>(kRows);
    for (const TensorTraffic& entry : cost.traffic) {
      (shared_by_rows(entry.tensor) ? shared_bytes : byte_per_row) += entry.bytes.as_double();
    }
    byte_per_row /= static_cast<double>(kRows);
  } catch (const InputError&) {
    return none("the counts of a few rows do not fit 64 bits");
  }
  const double r = in_flop_per_byte(ridge);
  const double gain = flop_per_row - r * byte_per_row;
  if (!(gain > 0)) {
    return none(
        "no row count reaches the ridge: the activations alone keep the intensity below it");
  }
  const double rows = r * shared_bytes / gain;
  if (!(rows < 9e15)) return none("no row count that fits 53 bits reaches the ridge");
  return {rows, first_right_of(workload, ridge, rows), {}};
}

}  // namespace roofline
