#include "report/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>
#include <tuple>

#include "report/comparison_match.hpp"
#include "report/comparison_verdict.hpp"
#include "report/format.hpp"
#include "report/in_order.hpp"

namespace roofline::report {
namespace {

class Comparer {
 public:
  /// `same_ids`: of the runs that are on both sides; `same_sides`: there are no others.
  Comparer(Matches matches, const ComparisonOptions& options, std::set<std::string> same_ids,
           bool same_sides)
      : matches_(std::move(matches)),
        same_ids_(std::move(same_ids)),
        same_sides_(same_sides),
        points_(matches_.points.size()),
        pairs_(matches_.points.size()) {
    out_.threshold = options.threshold;
  }

  Comparison run() {
    on_all_points([&](std::size_t i) { look_at(i); });
    const auto clocks = clock_moves(pairs_, matches_.devices.size());
    on_all_points([&](std::size_t i) {
      if (!pairs_[i]) return;
      judge_pair(*pairs_[i], clocks[pairs_[i]->device], out_.threshold, same_sides_, *points_[i]);
      doubt_result(*pairs_[i], *points_[i]);
      doubt_device(*pairs_[i], *points_[i]);
    });
    tell_ids();
    tell_devices();
    tell_unverified();
    tell_clocks(clocks);
    tell_skipped();
    out_.differences = std::move(matches_.differences);
    take_in_order();
    return std::move(out_);
  }

 private:
  void on_all_points(const std::function<void(std::size_t)>& work) const {
    on_all_cores(points_.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i != end; ++i) work(i);
    });
  }

  [[nodiscard]] std::string full_name(const Match& match, const RunPoint& point) const {
    if (matches_.devices.size() == 1) return point.id;
    return matches_.devices[match.device].id + " " + point.id;
  }

  /// Nothing where no run of the side has a usable one.
  static std::optional<ComparedTimes> times_shown(const Times& times) {
    if (times.runs.empty()) return std::nullopt;
    ComparedTimes out{
        .time_s = times.median_s, .runs = times.runs.size(), .repetitions = times.repetitions};
    const RunPoint& first = *times.runs.front();
    const bool works = std::holds_alternative<Gemm>(first.workload) ||
                       std::holds_alternative<PeakProbe>(first.workload);
    const auto& amount = works ? first.work : first.bytes;
    if (amount && amount->value() != 0) (works ? out.work : out.bytes) = amount;
    return out;
  }

  struct Usable {
    std::vector<const RunPoint*> runs;
    std::string reason;  ///< why the others aren't
    bool spoilt = false;
    bool broken = false;   ///< a run of it failed, is wrong or impossible
    bool skipped = false;  ///< all that there is
  };

  /// A wrong, failed or contradictory run spoils the side; disturbed ones only where they are half
  /// or more.
  static Usable usable(const MatchedSide& side) {
    Usable out;
    std::size_t skipped = 0;
    if (side.contradicts) {
      out.spoilt = true;
      out.reason = "a report has two points of this id with other figures (roofline audit)";
    }
    for (const RunPoint* const run : side.runs) {
      if (run->unusable.empty()) {
        out.runs.push_back(run);
        continue;
      }
      // What broke says more than what was disturbed.
      if (out.reason.empty() || (run->broken && !out.broken)) out.reason = run->unusable;
      out.broken = out.broken || run->broken;
      if (run->skipped) ++skipped;
      out.spoilt = out.spoilt || run->spoilt;
    }
    out.skipped = skipped == side.runs.size();
    if (2 * out.runs.size() <= side.runs.size()) out.spoilt = true;
    return out;
  }

  /// Of a match that is skipped on both sides nothing is made.
  void look_at(std::size_t index) {
    const Match& match = matches_.points[index];
    const Usable base = usable(match.base);
    const Usable fresh = usable(match.fresh);
    if (base.skipped && fresh.skipped) return;
    const RunPoint& shown = *(base.skipped ? match.fresh : match.base).runs.front();
    ComparedPoint& point = points_[index].emplace();
    point.id = shown.id;
    point.name = full_name(match, shown);
    point.device = matches_.devices[match.device].name;
    point.kind = shown.kind;
    if (fresh.skipped) {
      point.verdict = ComparedAs::missing;
      point.reason = fresh.reason;  // empty where nobody asked for it
    } else if (base.skipped) {
      point.verdict = ComparedAs::added;
      point.broken = fresh.spoilt && fresh.broken;
      point.reason = fresh.spoilt ? fresh.reason : base.reason;
    } else if (base.spoilt || fresh.spoilt) {
      point.verdict = ComparedAs::unusable;
      point.broken = fresh.spoilt && fresh.broken;
      point.reason = fresh.spoilt ? "new: " + fresh.reason : "base: " + base.reason;
    }
    Pair pair{match.device, times_of(base.runs), times_of(fresh.runs)};
    point.base = times_shown(pair.base);
    point.fresh = times_shown(pair.fresh);
    if (!base.spoilt && !fresh.spoilt) pairs_[index] = std::move(pair);
  }

  static bool any_unverified(std::span<const RunPoint* const> runs) {
    return std::any_of(runs.begin(), runs.end(),
                       [](const RunPoint* run) { return run->unverified; });
  }

  /// Equal times say nothing of a result, and a kernel whose check was switched off is not what the
  /// base had, whatever its time.
  static void doubt_result(const Pair& pair, ComparedPoint& point) {
    if (!any_unverified(pair.fresh.runs)) return;
    if (point.verdict == ComparedAs::same) point.verdict = ComparedAs::unverified;
    if (point.broken || any_unverified(pair.base.runs)) return;
    point.broken = true;
    point.reason = "nobody has looked whether its result is right, which was verified in the base";
  }

  void doubt_device(const Pair& pair, ComparedPoint& point) const {
    const bool clear = point.verdict == ComparedAs::slower || point.verdict == ComparedAs::faster ||
                       point.verdict == ComparedAs::same || point.verdict == ComparedAs::unverified;
    if (!clear || !matches_.devices[pair.device].unsure) return;
    point.verdict = ComparedAs::ambiguous;
    point.reason = "which of several equal devices this was is not known";
  }

  void tell_devices() {
    for (const ComparedDevice& device : matches_.devices) {
      if (!device.unsure) continue;
      out_.notes.push_back("what " + device.id + " of the base is on the new side can't be told: " +
                           "several devices are called " + device.name +
                           ", and neither uuid, host name nor id tells them apart");
    }
  }

  /// Their times are as good as others.
  void tell_unverified() {
    const auto unverified = [](const std::optional<Pair>& pair) {
      return pair && any_unverified(pair->fresh.runs);
    };
    const auto count = std::count_if(pairs_.begin(), pairs_.end(), unverified);
    if (count == 0) return;
    const auto first = std::find_if(pairs_.begin(), pairs_.end(), unverified);
    std::string note = points_[static_cast<std::size_t>(first - pairs_.begin())]->name;
    if (count > 1) note += " and " + std::to_string(count - 1) + " more";
    out_.notes.push_back("unverified: " + note +
                         "; nobody has looked whether the results are right, only times are "
                         "compared");
  }

  /// An id proves nothing where the figures are others: a file that was edited has it, too.
  void tell_ids() {
    if (same_ids_.empty()) return;
    if (!same_sides_) {
      out_.notes.push_back("the run " + *same_ids_.begin() +
                           " is on both sides: compared with itself it makes any change smaller");
      return;
    }
    const bool same = std::all_of(
        matches_.points.begin(), matches_.points.end(),
        [](const Match& match) { return same_figures(match.base.runs, match.fresh.runs); });
    const std::string both = "both sides have the run id " + *same_ids_.begin();
    out_.notes.push_back(same ? "identical run: " + both + ", so this compares a run with itself"
                              : both + " and yet other figures: one of them was edited");
  }

  void tell_clocks(const std::vector<std::optional<double>>& clocks) {
    constexpr double kWorthSaying = 0.005;
    for (std::size_t i = 0; i < clocks.size(); ++i) {
      if (!clocks[i] || std::abs(*clocks[i] - 1) < kWorthSaying) continue;
      const bool equal = within_clock_reach(*clocks[i]);
      out_.notes.push_back("the core clock of " + matches_.devices[i].id + " was " +
                           format_percent(std::abs(*clocks[i] - 1)) +
                           (*clocks[i] < 1 ? " lower" : " higher") + " in the new runs: " +
                           (equal ? "what follows it is compared at equal clock"
                                  : "too much for chance, so times are compared as they are"));
    }
  }

  void tell_skipped() {
    const auto skipped =
        std::count_if(points_.begin(), points_.end(), [](const auto& point) { return !point; });
    if (skipped == 0) return;
    out_.notes.push_back(std::to_string(skipped) + (skipped == 1 ? " point was" : " points were") +
                         " skipped on both sides");
  }

  /// By importance, then by size of change, then as matched.
  void take_in_order() {
    using Place = std::tuple<ComparedAs, double, std::size_t>;
    std::vector<Place> places;
    places.reserve(points_.size());
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (!points_[i]) continue;
      const auto& ratio = points_[i]->ratio;
      places.emplace_back(points_[i]->verdict, ratio ? -std::abs(std::log(ratio->value)) : 0, i);
    }
    std::sort(places.begin(), places.end());
    out_.points.reserve(places.size());
    for (const Place& place : places)
      out_.points.push_back(std::move(*points_[std::get<2>(place)]));
  }

  Matches matches_;
  std::set<std::string> same_ids_;
  bool same_sides_ = false;
  std::vector<std::optional<ComparedPoint>> points_;  ///< of each match
  std::vector<std::optional<Pair>> pairs_;            ///< likewise, where both sides are usable
  Comparison out_;
};

std::set<std::string> run_ids(std::span<const ComparedRun> side) {
  std::set<std::string> out;
  for (const ComparedRun& run : side) {
    if (!run.head.run.id.empty()) out.insert(run.head.run.id);
  }
  return out;
}

std::size_t repetitions(std::span<const ComparedRun> side) {
  std::size_t out = 0;
  for (const ComparedRun& run : side) {
    for (const RunPoint& point : run.points) out = std::max(out, point.seconds.size());
  }
  return out;
}

}  // namespace

std::string_view name(ComparedAs verdict) {
  constexpr std::string_view names[] = {"slower", "unusable", "missing",    "ambiguous",
                                        "faster", "new",      "unverified", "same"};
  return names[static_cast<std::size_t>(verdict)];
}

std::optional<ComparedAs> find_compared_as(std::string_view text) {
  for (std::size_t i = 0; i < kComparedAsCount; ++i) {
    const auto verdict = static_cast<ComparedAs>(i);
    if (name(verdict) == text) return verdict;
  }
  return std::nullopt;
}

std::size_t Comparison::count(ComparedAs verdict) const {
  return static_cast<std::size_t>(
      std::count_if(points.begin(), points.end(),
                    [&](const ComparedPoint& point) { return point.verdict == verdict; }));
}

std::size_t Comparison::count_broken() const {
  return static_cast<std::size_t>(
      std::count_if(points.begin(), points.end(), [](const auto& point) { return point.broken; }));
}

bool Comparison::refused() const {
  return std::any_of(differences.begin(), differences.end(),
                     [](const Difference& difference) { return difference.refuses; });
}

bool Comparison::says_something() const {
  return count(ComparedAs::slower) + count(ComparedAs::faster) + count(ComparedAs::same) +
             count(ComparedAs::unverified) !=
         0;
}

Comparison compare(std::span<const ComparedRun> base, std::span<const ComparedRun> fresh,
                   const ComparisonOptions& options) {
  const std::set<std::string> base_ids = run_ids(base);
  const std::set<std::string> fresh_ids = run_ids(fresh);
  std::set<std::string> both;
  std::set_intersection(base_ids.begin(), base_ids.end(), fresh_ids.begin(), fresh_ids.end(),
                        std::inserter(both, both.end()));
  const bool same_sides = !both.empty() && base_ids == fresh_ids;
  Comparison out = Comparer(match(base, fresh), options, std::move(both), same_sides).run();
  out.base_runs = base.size();
  out.fresh_runs = fresh.size();
  out.base_repetitions = repetitions(base);
  out.fresh_repetitions = repetitions(fresh);
  return out;
}

}  // namespace roofline::report
