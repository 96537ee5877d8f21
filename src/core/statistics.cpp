#include "roofline/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace roofline {
namespace {

std::vector<double> sorted(std::span<const double> samples) {
  if (samples.empty()) throw std::invalid_argument("statistics of no samples");
  if (std::any_of(samples.begin(), samples.end(), [](double x) { return std::isnan(x); })) {
    throw std::invalid_argument("statistics of NaN");
  }
  std::vector<double> out(samples.begin(), samples.end());
  std::sort(out.begin(), out.end());
  return out;
}

double quantile_of_sorted(const std::vector<double>& xs, double p) {
  const double position = p * static_cast<double>(xs.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const std::size_t above = std::min(below + 1, xs.size() - 1);
  const double fraction = position - static_cast<double>(below);
  return xs[below] + fraction * (xs[above] - xs[below]);
}

}  // namespace

double median(std::span<const double> samples) { return quantile_of_sorted(sorted(samples), 0.5); }

double quantile(std::span<const double> samples, double p) {
  if (!(p >= 0 && p <= 1)) throw std::invalid_argument("a quantile lies in [0, 1]");
  return quantile_of_sorted(sorted(samples), p);
}

double median_absolute_deviation(std::span<const double> samples) {
  const double centre = median(samples);
  std::vector<double> deviations;
  deviations.reserve(samples.size());
  for (const double x : samples) deviations.push_back(std::abs(x - centre));
  return median(deviations);
}

std::optional<Interval> median_interval(std::span<const double> samples, double confidence) {
  if (!(confidence > 0 && confidence < 1)) throw std::invalid_argument("a confidence lies in (0, 1)");
  const std::vector<double> xs = sorted(samples);
  const std::size_t n = xs.size();
  // The number of samples below the median is Binomial(n, 1/2). Dropping the j lowest and j highest leaves an
  // interval that misses it with probability 2 * P(X <= j - 1). Walk j upwards while that stays small enough.
  // Logarithms keep 2^-n representable for any n.
  const double log_half_n = -static_cast<double>(n) * std::log(2.0);
  double tail = 0;  // P(X <= j - 1)
  std::optional<Interval> best;
  for (std::size_t j = 0; 2 * j < n; ++j) {
    const double log_choose = std::lgamma(static_cast<double>(n) + 1) -
                              std::lgamma(static_cast<double>(j) + 1) -
                              std::lgamma(static_cast<double>(n - j) + 1);
    tail += std::exp(log_choose + log_half_n);  // now P(X <= j)
    const double coverage = 1 - 2 * tail;
    if (coverage < confidence) break;
    best = Interval{xs[j], xs[n - 1 - j], coverage};
  }
  return best;
}

}  // namespace roofline
