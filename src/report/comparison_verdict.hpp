// What is said of one point that has usable times on both sides, and in which unit it is compared:
// seconds, or cycles of a core whose clock moved. Knows nothing of how points were matched.
#pragma once

#include <optional>
#include <vector>

#include "report/comparison.hpp"
#include "report/comparison_times.hpp"

namespace roofline::report {

/// The usable times of a point on both sides.
struct Pair {
  std::size_t device = 0;
  Times base;
  Times fresh;

  /// Whether cycles can stand for the times: of a core, with its clock.
  [[nodiscard]] bool follows_clock() const;
  [[nodiscard]] double clock_ratio() const { return *fresh.clock / *base.clock; }
};

/// Whether two sides hold the very same measurements of a point, in whichever order.
[[nodiscard]] bool same_figures(const std::vector<const RunPoint*>& base,
                                const std::vector<const RunPoint*>& fresh);

/// How the clocks of a device's points moved between the sides, new / base, where several show it.
[[nodiscard]] std::vector<std::optional<double>> clock_moves(
    const std::vector<std::optional<Pair>>& pairs, std::size_t devices);
/// Whether a clock moved by no more than clocks do on their own.
[[nodiscard]] bool within_clock_reach(double clock_ratio);

/// Fills ratio, verdict, clock ratio and reason of `point`. `clock_moved`: that of its device.
/// `same_runs`: both sides bear the ids of the same runs, which proves nothing alone.
void judge_pair(const Pair& pair, const std::optional<double>& clock_moved, double threshold,
                bool same_runs, ComparedPoint& point);

}  // namespace roofline::report
