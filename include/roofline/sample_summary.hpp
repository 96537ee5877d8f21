// From samples to a figure: which of them count, and what the ones that don't say about the
// measurement. Disturbed samples, those of another placement than most and those at a fallen clock
// are kept and marked, never averaged in.
#pragma once

#include <vector>

#include "roofline/record.hpp"

namespace roofline {

/// Fewer samples that count than this say nothing of how the rest were disturbed.
inline constexpr std::size_t kFewestSamples = 3;
/// A clock below this share of the fastest one seen (its 90th percentile) has fallen.
inline constexpr double kFallenClock = 0.93;

/// The thirds of a measurement agree this well, or as well as their noise lets them.
inline constexpr double kSettled = 0.03;

/// The samples that count, by their times per call.
struct Counted {
  std::vector<double> times_s;
  std::vector<std::optional<Disturbance>> disturbance;  ///< of every sample, in their order
  /// What spoils the figure as a whole: too many samples disturbed, moved or throttled. `times_s`
  /// then holds what there is.
  std::optional<MeasurementEnd> spoilt;
  /// The medians of the first, second and last third of them differ by more than kSettled and by
  /// more than the noise explains.
  bool unsettled = false;
  std::string placement;           ///< that all of them share
  std::optional<Frequency> clock;  ///< median
};

/// Sorts samples into those that count and those that don't: what the backend marked is out, then
/// all but the commonest placement, then those at a fallen clock unless most are. Fewer than
/// kFewestSamples left in any step spoil the figure. Throws nothing; no samples give no times.
[[nodiscard]] Counted count_samples(const std::vector<Sample>& samples);

/// Median, interval, minimum, noise, clock and placement of the samples that count, and all samples
/// with their marks. `end` gives way to what spoils the figure, and to `unsettled`, unless it is an
/// interruption. Throws
/// std::invalid_argument without samples.
[[nodiscard]] Measured summarise(std::vector<Sample> samples, MeasurementEnd end,
                                 double confidence);

}  // namespace roofline
