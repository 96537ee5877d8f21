#include "roofline/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "roofline/sample_summary.hpp"
#include "roofline/statistics.hpp"

namespace roofline {
namespace {

constexpr double kConfidence = 0.95;
constexpr double kNormal = 1.959964;  // the 97.5 % point of the normal distribution
/// The usual variation was itself estimated, and other machines differ: as if by 9 runs.
constexpr double kUsualDegrees = 8;
/// The median of absolute differences knows less than a standard deviation of as many values does.
/// Simulated: intervals then miss in 2 to 4 % of cases (tests/core/comparison_test.cpp).
constexpr double kDegreesEach = 0.6;
/// The median of |x - y| for normal x and y of standard deviation 1: sqrt(2) x 0.6745.
constexpr double kMedianDifference = 0.9539;
/// The same of their 40 % and 75 % points, sqrt(2) x 0.5244 and x 1.1503; and how much more the
/// second must say than the first, so that chance alone seldom makes two modes of one.
constexpr double kFewerDifferences = 0.4;
constexpr double kFewerDifference = 0.7416;
constexpr double kMostDifferences = 0.75;
constexpr double kMostDifference = 1.6268;
constexpr double kTwoModes = 2;
/// More values than this of two modes tell no more of their median. Simulated: runs of one thing
/// whose times have two modes are then called other in 3 % of cases on a side.
constexpr double kModeCount = 5;
/// Clocks and counters are not read better than this.
constexpr double kLeastDeviation = 0.0005;

/// The point of the normal distribution that |z| stays below with this probability, by bisection.
double normal_point(double coverage) {
  double low = 0;
  double high = 10;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erf(middle / std::sqrt(2.0)) < coverage ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// The whole range of n < 6 times covers less than 95 %: by how much it is made wider for that.
double widening(std::size_t n) {
  static const auto kFactors = [] {
    std::array<double, 6> out{};
    for (std::size_t i = 2; i < out.size(); ++i)
      out[i] = kNormal / normal_point(1 - std::ldexp(2.0, -static_cast<int>(i)));
    return out;
  }();
  return kFactors.at(n);
}

/// Variance of the median of n normal values, in units of that of their mean.
double cost_of_median(std::size_t n) {
  constexpr std::array kCosts{1.0, 1.0, 1.0, 1.346, 1.193, 1.434, 1.288, 1.473, 1.346, 1.495};
  return n < kCosts.size() ? kCosts[n] : 1.571;
}

double square(double x) { return x * x; }

/// A side of a comparison in logarithms: values that may stand beside each other, and how they
/// scatter if all is as usual.
struct LogSide {
  std::vector<double> centres;
  double within_low = 0;   ///< how far below its centre a value may lie for the noise of samples
  double within_high = 0;  ///< and above
  double unit = 0;         ///< usual standard deviation of a value between runs, noise apart
  double shared = 0;       ///< usual standard deviation that all its values share
  std::size_t placements = 0;

  [[nodiscard]] double centre() const { return median(centres); }
  [[nodiscard]] double count() const { return static_cast<double>(centres.size()); }
  /// What the variance of one value becomes in the median of all.
  [[nodiscard]] double share() const { return cost_of_median(centres.size()) / count(); }
  [[nodiscard]] double noise() const { return (within_low + within_high) / 2 / kNormal; }
  [[nodiscard]] double deviation() const { return std::sqrt(square(unit) + square(noise())); }
};

LogSide log_side(std::span<const RunLevels> runs, const Variation& usual) {
  if (runs.empty()) throw std::invalid_argument("a comparison needs runs on both sides");
  LogSide out;
  double repetitions = 0;
  for (const RunLevels& run : runs) {
    if (run.empty()) throw std::invalid_argument("a run of no repetition");
    std::vector<double> centres;
    for (const Level& level : run) {
      centres.push_back(std::log(level.centre));
      out.within_low += std::log(level.centre / level.low);
      out.within_high += std::log(level.high / level.centre);
    }
    out.placements += run.size();
    repetitions += static_cast<double>(run.size());
    if (runs.size() == 1) {
      out.centres = centres;
    } else {
      out.centres.push_back(median(centres));
    }
  }
  const double each = runs.size() == 1 ? 1 : repetitions / static_cast<double>(runs.size());
  // Of several runs each has a session of its own; the repetitions of one share theirs.
  out.shared = runs.size() == 1 ? usual.session : 0;
  out.unit =
      std::sqrt(square(runs.size() == 1 ? 0 : usual.session) + square(usual.repetition) / each);
  out.within_low /= repetitions * std::sqrt(each);
  out.within_high /= repetitions * std::sqrt(each);
  return out;
}

/// Differences between the values of one side, in units of what is usual.
void add_differences(const LogSide& side, std::vector<double>& out) {
  const double unit = std::max(side.deviation(), kLeastDeviation);
  for (std::size_t i = 0; i < side.centres.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      out.push_back(std::abs(side.centres[i] - side.centres[j]) / unit);
  }
}

/// Whether a value of one side lies where the other side's median is, which is what times of two
/// modes look like when the medians fall into different ones. One that is just far off does not.
bool share_modes(const LogSide& base, const LogSide& fresh) {
  const double near = std::abs(fresh.centre() - base.centre()) / 4;
  const auto reaches = [&](const LogSide& side, const LogSide& other) {
    return std::any_of(side.centres.begin(), side.centres.end(),
                       [&](double value) { return std::abs(value - other.centre()) < near; });
  };
  return reaches(base, fresh) || reaches(fresh, base);
}

/// How many times the usual the values scatter. One that lies far off on each side doesn't move it.
double scatter(const LogSide& base, const LogSide& fresh) {
  std::vector<double> differences;
  add_differences(base, differences);
  add_differences(fresh, differences);
  if (differences.empty()) return 1;
  const double by_median = median(differences) / kMedianDifference;
  if (!share_modes(base, fresh)) return by_median;
  const double by_fewer = quantile(differences, kFewerDifferences) / kFewerDifference;
  const double by_most = quantile(differences, kMostDifferences) / kMostDifference;
  // As many pairs share a mode, and the median may be what a mode scatters by.
  if (by_most <= kTwoModes * by_fewer) return by_median;
  // The median of two modes lies in one or the other, however many values there are.
  return by_most * std::sqrt(std::max(1.0, std::max(base.count(), fresh.count()) / kModeCount));
}

}  // namespace

std::string_view name(VariationKind kind) {
  constexpr std::string_view names[] = {"arithmetic", "product", "cache", "memory", "call"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name(Change change) {
  constexpr std::string_view names[] = {"slower", "faster", "same", "ambiguous"};
  return names[static_cast<std::size_t>(change)];
}

VariationKind variation_kind(const Record& record) {
  if (std::holds_alternative<Launch>(record.workload)) return VariationKind::call;
  if (std::holds_alternative<PeakProbe>(record.workload)) return VariationKind::arithmetic;
  if (std::holds_alternative<Transfer>(record.workload)) return VariationKind::memory;
  const Placement& at = record.placement;
  if (at.bound == Bound::overhead) return VariationKind::call;
  const bool own_cache =
      record.account.boundary == Boundary::l1 || record.account.boundary == Boundary::l2;
  if (std::holds_alternative<Stream>(record.workload) || at.near_ridge ||
      at.bound != Bound::compute) {
    return own_cache ? VariationKind::cache : VariationKind::memory;
  }
  return VariationKind::product;
}

Variation usual_variation(VariationKind kind, const RunsOn& on) {
  // One thread of a virtual machine, over 100 separate runs (products: over 10); at equal clock
  // but for memory.
  constexpr Variation kCpu[] = {{0.0005, 0.002, 0},
                                {0.003, 0.007, 0},
                                {0.001, 0.004, 0.35},
                                {0.025, 0.025, 0},
                                {0.0005, 0.002, 0}};
  // Not measured by us: what GPUs whose clock moves freely are taken to do, and that pages decide
  // as much in their L2 as in a CPU's.
  constexpr double kRare = kCpu[static_cast<std::size_t>(VariationKind::cache)].rare;
  constexpr Variation kGpu[] = {{0.007, 0.007, 0},
                                {0.007, 0.007, 0},
                                {0.007, 0.007, kRare},
                                {0.004, 0.003, 0},
                                {0.015, 0.015, 0}};
  if (on.gpu) return kGpu[static_cast<std::size_t>(kind)];
  Variation out = kCpu[static_cast<std::size_t>(kind)];
  if (on.several_threads && kind != VariationKind::memory) {
    // Register-resident loops on two threads scattered three times as much as on one.
    out.session *= 3;
    out.repetition *= 3;
  }
  // The same runs in seconds: what the host's clock does between two of them.
  constexpr double kClock = 0.015;
  if (!on.at_equal_clock && kind != VariationKind::memory) out.session += kClock;
  return out;
}

std::optional<Level> level_of(std::span<const double> times) {
  if (times.size() < kFewestSamples) return std::nullopt;
  const auto is_time = [](double time) { return time > 0 && std::isfinite(time); };
  if (!std::all_of(times.begin(), times.end(), is_time)) return std::nullopt;
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  const double centre = median(times);
  if (const auto interval = median_interval(times, kConfidence))
    return Level{centre, interval->low, interval->high};
  const double wider = widening(times.size());
  return Level{centre, centre * std::pow(*least / centre, wider),
               centre * std::pow(*most / centre, wider)};
}

double student_t(double degrees) {
  // Cornish and Fisher's series around the normal distribution.
  const double z = kNormal;
  const double z3 = std::pow(z, 3);
  const double z5 = std::pow(z, 5);
  const double z7 = std::pow(z, 7);
  const double z9 = std::pow(z, 9);
  const double first = (z3 + z) / 4;
  const double second = (5 * z5 + 16 * z3 + 3 * z) / 96;
  const double third = (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384;
  const double fourth = (79 * z9 + 776 * z7 + 1482 * z5 - 1920 * z3 - 945 * z) / 92160;
  const double d = degrees;
  return z + (first + (second + (third + fourth / d) / d) / d) / d;
}

Ratio time_ratio(std::span<const RunLevels> base, std::span<const RunLevels> fresh,
                 const Variation& usual) {
  const LogSide from = log_side(base, usual);
  const LogSide to = log_side(fresh, usual);
  const double beyond = from.count() + to.count() - 2;
  const double times_usual = scatter(from, to);
  const double shared = square(from.shared) + square(to.shared);
  Ratio out;
  out.estimated = beyond >= static_cast<double>(kEnoughRepetitions);
  double below = 0;
  double above = 0;
  if (out.estimated) {
    const double variance =
        square(from.deviation()) * from.share() + square(to.deviation()) * to.share() + shared;
    const double floor = square(kLeastDeviation) * (from.share() + to.share());
    const double deviation = std::sqrt(std::max(square(times_usual) * variance, floor));
    below = above = student_t(std::max(2.0, kDegreesEach * beyond)) * deviation;
  } else {
    // Intervals of both sides and the usual variation, in quadrature: what lies below the ratio is
    // what lies below the new side and above the base.
    const double between =
        square(student_t(kUsualDegrees)) *
        (square(from.unit) * from.share() + square(to.unit) * to.share() + shared);
    const double worse = std::max(1.0, times_usual);
    below = worse * std::sqrt(between + square(to.within_low) * to.share() +
                              square(from.within_high) * from.share());
    above = worse * std::sqrt(between + square(to.within_high) * to.share() +
                              square(from.within_low) * from.share());
  }
  out.one_placement = usual.rare > 0 && std::min(from.placements, to.placements) < kPlacements;
  if (out.one_placement) {
    below = std::max(below, std::log1p(usual.rare));
    above = std::max(above, std::log1p(usual.rare));
  }
  const double change = to.centre() - from.centre();
  out.value = std::exp(change);
  out.low = std::exp(change - below);
  out.high = std::exp(change + above);
  return out;
}

Change judge(const Ratio& ratio, double threshold) {
  const double most = 1 + threshold;
  if (ratio.low > most) return Change::slower;
  if (ratio.high < 1 / most) return Change::faster;
  if (ratio.low >= 1 / most && ratio.high <= most) return Change::same;
  return Change::ambiguous;
}

}  // namespace roofline
