// Order statistics of a handful of samples. Nothing here assumes a distribution.
#pragma once

#include <optional>
#include <span>

namespace roofline {

/// All take samples in any order. NaN or infinity among them is a programming error and throws
/// std::invalid_argument, as an empty span does.
[[nodiscard]] double median(std::span<const double> samples);
/// Linear interpolation between order statistics (the default of R and NumPy). `p` in [0, 1].
[[nodiscard]] double quantile(std::span<const double> samples, double p);
/// Median absolute deviation from the median, unscaled.
[[nodiscard]] double median_absolute_deviation(std::span<const double> samples);

struct Interval {
  double low = 0;
  double high = 0;
  double coverage =
      0;  ///< exact probability that the interval holds the true median, >= the one asked for
};
/// The narrowest symmetric interval of order statistics that holds the median with at least
/// `confidence`, whatever the distribution (sign test). Nothing when there are too few samples:
/// below 6 at 95 %.
[[nodiscard]] std::optional<Interval> median_interval(std::span<const double> samples,
                                                      double confidence);

}  // namespace roofline
