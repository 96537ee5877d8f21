#include "report/comparison_verdict.hpp"

#include <algorithm>
#include <cmath>

#include "report/format.hpp"
#include "roofline/statistics.hpp"

namespace roofline::report {
namespace {

constexpr double kImplausible = 8;  ///< times faster than before: rather the measurement broke
/// Clocks move by so much on their own; what is more is a change of the machine.
constexpr double kClockReach = 0.10;
/// A point's clock must have moved with that of the others, or the point itself moved it.
constexpr double kClockOwn = 0.03;
constexpr std::size_t kClockPoints = 3;

bool is_gpu(const RunPoint& point) { return point.device_id.starts_with("cuda:"); }

std::string why_ambiguous(const Ratio& ratio, VariationKind kind, double threshold) {
  if (ratio.one_placement) {
    return "what fits a cache depends on the pages it got, and a side has fewer than " +
           std::to_string(kPlacements) + " preparations";
  }
  if (ratio.low > 1 || ratio.high < 1) {
    return std::string(ratio.value > 1 ? "longer" : "shorter") + ", but perhaps by less than " +
           format_percent(threshold);
  }
  return ratio.estimated
             ? "these runs differ as much among themselves"
             : "separate runs of one thing may differ as much (" + std::string(name(kind)) + ")";
}

const std::string& placement_of(const Times& times) { return times.runs.front()->placement; }

ComparedAs as_verdict(Change change) {
  switch (change) {
    case Change::slower:
      return ComparedAs::slower;
    case Change::faster:
      return ComparedAs::faster;
    case Change::same:
      return ComparedAs::same;
    case Change::ambiguous:
      break;
  }
  return ComparedAs::ambiguous;
}

/// New / base clock, where the point is to be compared in cycles.
std::optional<double> equal_clock(const Pair& pair, const std::optional<double>& moved) {
  if (!moved || !pair.follows_clock()) return std::nullopt;
  const double own = pair.clock_ratio();
  if (!within_clock_reach(own)) return std::nullopt;
  if (std::abs(std::log(own / *moved)) > kClockOwn) return std::nullopt;
  return own;
}

}  // namespace

bool same_figures(const std::vector<const RunPoint*>& base,
                  const std::vector<const RunPoint*>& fresh) {
  return std::is_permutation(
      base.begin(), base.end(), fresh.begin(), fresh.end(),
      [](const RunPoint* a, const RunPoint* b) { return a->digest == b->digest; });
}

bool Pair::follows_clock() const {
  const RunPoint& first = *base.runs.front();
  return !is_gpu(first) && first.kind != VariationKind::memory && !base.cycles.empty() &&
         !fresh.cycles.empty();
}

bool within_clock_reach(double clock_ratio) {
  return std::abs(std::log(clock_ratio)) <= std::log1p(kClockReach);
}

std::vector<std::optional<double>> clock_moves(const std::vector<std::optional<Pair>>& pairs,
                                               std::size_t devices) {
  std::vector<std::vector<double>> ratios(devices);
  for (const auto& pair : pairs) {
    if (pair && pair->follows_clock()) ratios[pair->device].push_back(pair->clock_ratio());
  }
  std::vector<std::optional<double>> out(devices);
  for (std::size_t i = 0; i < devices; ++i) {
    if (ratios[i].size() >= kClockPoints) out[i] = median(ratios[i]);
  }
  return out;
}

void judge_pair(const Pair& pair, const std::optional<double>& clock_moved, double threshold,
                bool same_runs, ComparedPoint& point) {
  if (same_runs && same_figures(pair.base.runs, pair.fresh.runs)) {
    point.verdict = ComparedAs::same;
    point.ratio = Ratio{};
    point.reason = "the very same measurement";
    return;
  }
  if (pair.base.seconds.empty() || pair.fresh.seconds.empty()) {
    point.verdict = ComparedAs::ambiguous;
    point.reason = "fewer than three samples on a side tell nothing";
    return;
  }
  const RunPoint& first = *pair.base.runs.front();
  point.clock_ratio = equal_clock(pair, clock_moved);
  const bool cycles = point.clock_ratio.has_value();
  const bool several_threads = first.threads && *first.threads > 1;
  const Variation usual = usual_variation(point.kind, {is_gpu(first), several_threads, cycles});
  const Ratio ratio = time_ratio(cycles ? pair.base.cycles : pair.base.seconds,
                                 cycles ? pair.fresh.cycles : pair.fresh.seconds, usual);
  point.ratio = ratio;
  if (ratio.value < 1 / kImplausible) {
    point.verdict = ComparedAs::unusable;
    point.broken = true;
    point.reason = "implausible change: " + format_number(1 / ratio.value) +
                   " times faster; a measurement that broke looks like this";
    return;
  }
  const std::string& was = placement_of(pair.base);
  const std::string& is = placement_of(pair.fresh);
  if (was != is && !was.empty() && !is.empty()) {
    point.verdict = ComparedAs::ambiguous;
    point.reason = "the threads lay " + was + " to each other, then " + is;
    return;
  }
  point.verdict = as_verdict(judge(ratio, threshold));
  if (point.verdict == ComparedAs::ambiguous)
    point.reason = why_ambiguous(ratio, point.kind, threshold);
}

}  // namespace roofline::report
