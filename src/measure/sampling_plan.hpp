// How long and how well the points of a suite are measured. Plain numbers.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "roofline/account.hpp"
#include "roofline/units.hpp"

namespace roofline::measure {

struct SamplingPlan {
  Seconds warm_up = second(0.1);   ///< at least so long, and until the rate has settled
  Seconds sample = second(0.015);  ///< a sample lasts at least so long: shorter ones scatter
  Seconds budget = second(0.6);    ///< sampling time of one point, warm-up apart
  std::size_t min_samples = 9;     ///< that count, unless the calls are too long for the budget
  std::size_t turns = 3;           ///< at least, with other points between them
  double confidence = 0.95;
  double target =
      0.01;  ///< stop early once the interval of the median is narrower than this, relative
};

/// True once the run should end as soon as it can.
using StopRequested = std::function<bool()>;

/// How long a point is expected to take in all: set-up at a cautious fill rate, verification,
/// warm-up and sampling. `floor` is the least time of one call, where the roofs are known.
[[nodiscard]] Seconds estimate(const Account& account, const SamplingPlan& plan,
                               std::optional<Seconds> floor = {});

/// The plan with its warm-up and sampling times cut so that points expected to take `expected` in
/// all fit into `budget`; not below a tenth, nor below one sample, where a point says nothing any
/// more.
[[nodiscard]] SamplingPlan fit_into(const SamplingPlan& plan, Seconds expected, Seconds budget);

}  // namespace roofline::measure
