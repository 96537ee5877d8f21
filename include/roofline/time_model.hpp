// How long a call of any size takes where its data lie in one level: t = t0 + max(work / peak,
// traffic / bandwidth), with t0 and the bandwidth fitted to streams and transfers of several sizes.
// Between two levels no such line exists, and none is drawn.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "roofline/record.hpp"

namespace roofline {

/// A set of at most this share of a level lies in it; one of at least kOutside times a level lies
/// outside. What is between two levels is a transition.
inline constexpr double kInside = 0.5;
inline constexpr double kOutside = 8;

/// One call: what it moved and how long it took.
struct TimedTraffic {
  Bytes traffic;
  Seconds time;
};

/// Least squares of the relative error, so that small calls count as much as large ones; t0 is not
/// negative. Nothing with fewer than three different sizes, a size or time that is not positive, or
/// a time that doesn't grow with the traffic.
[[nodiscard]] std::optional<TimeFit> fit_time(std::span<const TimedTraffic> calls);

/// t0 + max(work / peak, traffic / bandwidth). Without a peak the traffic alone decides.
[[nodiscard]] Seconds predicted_time(const TimeFit& fit, const Account& account,
                                     const std::optional<ComputeRoof>& compute);

/// Fits for every kind of stream, level and placement, and of transfer, of which the points have
/// enough sizes. The level of a stream is what the fact `level` of its point says.
[[nodiscard]] std::vector<TimeFit> fit_streams(std::span<const Record> points);

/// Fills the fits of a report and, in every point that others of its kind predict, the time they
/// predict.
void model_times(Report& report);

/// What the other points of its kind say of a point: the time predicted by a fit without it.
/// Nothing where they are too few, or the point lies in a transition.
[[nodiscard]] std::optional<Seconds> predicted_by_others(const Record& record,
                                                         std::span<const Record> points);

}  // namespace roofline
