// How long and how well the points of a suite are measured. Plain numbers.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "roofline/account.hpp"
#include "roofline/units.hpp"

namespace roofline::measure {

/// Of points that are measured alone: how long the device rests, is loaded and is timed. Budgets
/// never shorten these, for they are what the figure means.
struct LoadPlan {
  Seconds rest = second(2);          ///< idle before a burst
  Seconds burst = second(0.5);       ///< of load after the rest, short warm-up included
  Seconds settle = second(3);        ///< of load before a sustained figure, at least
  Seconds settle_most = second(15);  ///< the same at most: whatever moves then ends unsettled
  Seconds span = second(0.5);        ///< two of these must agree
  double settled = 0.01;             ///< so well, in rate and clock, relative
  Seconds sustained = second(2);     ///< of samples once it has settled
};

struct SamplingPlan {
  Seconds warm_up = second(0.1);   ///< at least so long, and until the rate has settled
  Seconds sample = second(0.015);  ///< a sample lasts at least so long: shorter ones scatter
  Seconds budget = second(0.6);    ///< sampling time of one point, warm-up apart
  std::size_t min_samples = 9;     ///< that count, unless the calls are too long for the budget
  std::size_t turns = 3;           ///< at least, with other points between them
  double confidence = 0.95;
  double target =
      0.01;  ///< stop early once the interval of the median is narrower than this, relative
  LoadPlan load = {};
};

/// True once the run should end as soon as it can.
using StopRequested = std::function<bool()>;

/// How a point is loaded, and whether the device has settled under load of its type before.
struct LoadState {
  LoadDuration duration = LoadDuration::turns;
  bool warm = false;
};

/// How long a point is expected to take in all: set-up at a cautious fill rate, verification,
/// warm-up, rest or settling, and sampling. `floor` is the least time of one call, where the roofs
/// are known.
[[nodiscard]] Seconds estimate(const Account& account, const SamplingPlan& plan,
                               std::optional<Seconds> floor = {}, LoadState state = {});

/// The plan with its warm-up and sampling times cut so that points expected to take `expected` in
/// all fit into `budget`; not below a tenth, nor below one sample, where a point says nothing any
/// more. Its load plan stays.
[[nodiscard]] SamplingPlan fit_into(const SamplingPlan& plan, Seconds expected, Seconds budget);

/// Load that a sustained point is under before it may have settled: less where the device has
/// settled before, as two spans still have to agree.
[[nodiscard]] Seconds least_settling(const LoadPlan& plan, bool warm);

}  // namespace roofline::measure
