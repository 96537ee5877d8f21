#include "roofline/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace roofline {
namespace {

std::vector<double> sorted(std::span<const double> samples) {
  if (samples.empty()) throw std::invalid_argument("statistics of no samples");
  if (!std::all_of(samples.begin(), samples.end(), [](double x) { return std::isfinite(x); })) {
    throw std::invalid_argument("statistics of NaN or infinity");
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
  return std::lerp(xs[below], xs[above], fraction);
}

/// Walks P(X = 0), P(X = 1), ... of X ~ Binomial(n, 1/2).
class HalfBinomial {
 public:
  explicit HalfBinomial(std::size_t n)
      : n_(static_cast<double>(n)),
        exact_(n <= kExact),
        term_(exact_ ? std::ldexp(1.0, -static_cast<int>(n)) : 0),
        log_term_(-n_ * std::log(2.0)) {}

  /// The probability of the next value, starting at 0.
  double next() {
    const double term = exact_ ? term_ : std::exp(log_term_);
    const double from = n_ - k_;
    const double to = k_ + 1;
    term_ = term_ * from / to;
    log_term_ += std::log(from) - std::log(to);
    k_ += 1;
    return term;
  }

 private:
  // Up to here 2^-n is a normal double, and a binomial coefficient times it never overflows.
  static constexpr std::size_t kExact = 1000;
  double n_;
  bool exact_;
  double term_;
  double log_term_;
  double k_ = 0;
};

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
  if (!(confidence > 0 && confidence < 1))
    throw std::invalid_argument("a confidence lies in (0, 1)");
  const std::vector<double> xs = sorted(samples);
  const std::size_t n = xs.size();
  // The number of samples below the median is Binomial(n, 1/2). Dropping the j lowest and j highest
  // leaves an interval that misses it with probability 2 * P(X <= j - 1). Walk j upwards while that
  // stays small enough.
  HalfBinomial terms(n);
  double tail = 0;
  std::optional<Interval> best;
  for (std::size_t j = 0; 2 * j < n; ++j) {
    tail += terms.next();  // now P(X <= j)
    const double coverage = 1 - 2 * tail;
    if (coverage < confidence) break;
    best = Interval{xs[j], xs[n - 1 - j], coverage};
  }
  return best;
}

}  // namespace roofline
