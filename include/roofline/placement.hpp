// Where a workload lies under its roofs, by arithmetic alone, and how an observed time or rate
// compares.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/account.hpp"
#include "roofline/roof.hpp"
#include "roofline/text.hpp"
#include "roofline/workload.hpp"

namespace roofline {

enum class Bound { memory, compute, overhead };
[[nodiscard]] std::string_view name(Bound bound);

/// A point within this factor of the ridge, either way, is `near_ridge`: its side may flip between
/// runs.
inline constexpr double kNearRidge = 1.10;
/// `at` a roof means at least this fraction of the lower roof.
inline constexpr double kAtRoof = 0.70;
/// What a ratio may lie beside a limit and still be on it: a reading taken from the roof itself.
inline constexpr double kRounding = 1e-9;
/// More than this above the clock-adjusted roof (the given or rated one where no clock is known)
/// cannot be: boards boost, but not so far.
inline constexpr double kImpossible = 1.03;
/// A measured roof is the best that was demonstrated, not a limit: a quieter moment or a better
/// kernel passes it by more than the noise of a rated one, though not by this much.
inline constexpr double kImpossibleOverMeasured = 1.25;

struct Placement {
  std::optional<Intensity> intensity;
  std::optional<Intensity> ridge;
  std::optional<double> ridge_distance;  ///< intensity / ridge; < 1 is the memory side
  std::optional<Bound> bound;
  bool near_ridge = false;
  std::optional<Performance> ceiling;  ///< min(peak, bandwidth * intensity)
  std::optional<double> mfu_ceiling;   ///< ceiling / peak
  std::optional<Seconds> floor;        ///< overhead + max(work / peak, traffic / bandwidth)
};

/// Pure arithmetic. Whatever lacks a roof, work or traffic stays empty; a roof that is no positive
/// finite number, or a bandwidth of another boundary than the account's, is no roof. A workload
/// that does no arithmetic (copy) is memory-bound with a ceiling of 0 FLOP/s; its floor and
/// bandwidth say the rest. A point that moves no byte is compute-bound.
[[nodiscard]] Placement place(const Account& account, const Roofs& roofs);

/// Which side of `ridge` an account lies on; exactly on the ridge counts as compute.
[[nodiscard]] std::optional<Bound> side_of(const Account& account, Intensity ridge);

/// How many rows must share one read of the weights to reach the ridge, activations counted.
struct RowsToRidge {
  std::optional<double> rows;            ///< the real-valued solution
  std::optional<std::uint64_t> integer;  ///< the first whole row count at or right of the ridge
  Text reason;                           ///< why there is none
};
/// For gemm (rows = m) and projections; other workloads have no rows, and say so.
[[nodiscard]] RowsToRidge rows_to_ridge(const Workload& workload, Intensity ridge);

enum class Verdict {
  at_memory_roof,
  below_memory_roof,
  at_compute_roof,
  below_compute_roof,
  overhead_bound,
  impossible,
  unknown,
};
[[nodiscard]] std::string_view name(Verdict verdict);
/// The seed's lever for a verdict, as one sentence.
[[nodiscard]] std::string_view lever(Verdict verdict);
/// The lever that arithmetic alone can name, before anything was measured.
[[nodiscard]] std::string_view lever(Bound bound);

/// What was observed of one call: its time, or else a rate. A time decides where both are given.
struct Observation {
  std::optional<Seconds> time = {};
  std::optional<Performance> achieved = {};  ///< useful FLOP/s
  std::optional<Count> executed =
      {};  ///< FLOP executed, recomputation and padding included: the numerator of HFU
  std::optional<Bandwidth> achieved_bandwidth =
      {};  ///< counted bytes per second: all there is to say of a copy
};

/// A candidate explanation for a reading above a roof. `id` is stable, `text` is for people.
struct Cause {
  Text id;
  Text text;
};

/// What else is known about the device, to tell which causes of an impossible reading fit.
struct RoofContext {
  std::optional<Performance> clock_adjusted_peak =
      {};                                       ///< the peak at the clock sampled under load
  std::optional<Performance> sparse_peak = {};  ///< 2:4 sparse peak of the same type
  std::vector<ComputeRoof> other_peaks = {};    ///< dense peaks of the other types
  /// Rated or derived, where the memory roof is a measured one.
  std::optional<MemoryRoof> rated_memory = {};
};

struct Assessment {
  std::optional<Seconds> time;  ///< of one call, where it was observed
  std::optional<Performance> achieved;
  std::optional<Bandwidth> achieved_bandwidth;     ///< counted traffic / time
  std::optional<double> mfu;                       ///< achieved / peak
  std::optional<Performance> executed;             ///< FLOP executed / time
  std::optional<double> hfu;                       ///< executed / peak
  std::optional<Performance> clock_adjusted_peak;  ///< the peak at the clock of the samples
  std::optional<double> clock_adjusted_mfu;        ///< achieved / clock_adjusted_peak
  std::optional<double>
      of_ceiling;  ///< achieved / ceiling; of a copy, achieved bandwidth / bandwidth
  Verdict verdict = Verdict::unknown;
  bool above_roof = false;
  bool impossible = false;
  std::vector<Cause> causes;  ///< only when above a roof, likeliest first
};

/// How an observation compares with the roofs. A reading above a roof is flagged with candidate
/// causes, never clipped; whether it is impossible is asked of the clock-adjusted peak where there
/// is one, of the rated bandwidth where the memory roof is measured and a rated one is known, and
/// else of the roofs themselves. Executed FLOP count too.
[[nodiscard]] Assessment assess(const Account& account, const Roofs& roofs,
                                const Placement& placement, const Observation& observation,
                                const RoofContext& context = {});

}  // namespace roofline
