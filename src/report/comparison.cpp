#include "report/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "report/comparison_match.hpp"
#include "report/comparison_times.hpp"
#include "report/format.hpp"
#include "roofline/fact_lookup.hpp"
#include "roofline/statistics.hpp"

namespace roofline::report {
namespace {

constexpr double kImplausible = 8;  ///< times faster than before: rather the measurement broke
/// Clocks move by so much on their own; what is more is a change of the machine.
constexpr double kClockReach = 0.10;
/// A point's clock must have moved with that of the others, or the point itself moved it.
constexpr double kClockOwn = 0.03;
constexpr std::size_t kClockPoints = 3;

bool is_gpu(const Record& record) { return record.device_id.starts_with("cuda:"); }

/// A point with usable times on both sides, not judged yet.
struct Pair {
  std::size_t point = 0;  ///< index of the compared point
  std::size_t device = 0;
  Times base;
  Times fresh;

  /// Whether cycles can stand for the times: of a core, with its clock.
  [[nodiscard]] bool follows_clock() const {
    const Record& record = *base.records.front();
    return !is_gpu(record) && variation_kind(record) != VariationKind::memory &&
           !base.cycles.empty() && !fresh.cycles.empty();
  }
  [[nodiscard]] double clock_ratio() const { return *fresh.clock / *base.clock; }
};

/// How the clocks of a device's points moved between the sides, where several show it.
std::vector<std::optional<double>> clock_moves(const std::vector<Pair>& pairs,
                                               std::size_t devices) {
  std::vector<std::vector<double>> ratios(devices);
  for (const Pair& pair : pairs) {
    if (pair.follows_clock()) ratios[pair.device].push_back(pair.clock_ratio());
  }
  std::vector<std::optional<double>> out(devices);
  for (std::size_t i = 0; i < devices; ++i) {
    if (ratios[i].size() >= kClockPoints) out[i] = median(ratios[i]);
  }
  return out;
}

bool same_samples(const Record& one, const Record& other) {
  const auto& a = std::get<Measured>(one.outcome).samples;
  const auto& b = std::get<Measured>(other.outcome).samples;
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Sample& x, const Sample& y) {
    return x.duration == y.duration && x.iterations == y.iterations;
  });
}

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

class Comparer {
 public:
  Comparer(Matches matches, const ComparisonOptions& options, bool same_runs)
      : matches_(std::move(matches)), same_runs_(same_runs) {
    out_.threshold = options.threshold;
  }

  Comparison run() {
    for (const Match& match : matches_.points) look_at(match);
    clocks_ = clock_moves(pairs_, matches_.devices.size());
    for (const Pair& pair : pairs_) judge_pair(pair);
    tell_clocks();
    if (skipped_ != 0) {
      out_.notes.push_back(std::to_string(skipped_) +
                           (skipped_ == 1 ? " point was" : " points were") +
                           " skipped on both sides");
    }
    out_.differences = std::move(matches_.differences);
    in_order();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string full_name(const Match& match, const Record& record) const {
    if (matches_.devices.size() == 1) return record.id;
    return matches_.devices[match.device].id + " " + record.id;
  }

  struct Usable {
    std::vector<Found> runs;
    std::string reason;  ///< why the others aren't
    bool spoilt = false;
    bool skipped = false;  ///< all that there is
  };

  /// A wrong or failed run spoils the side; disturbed ones only where they are half or more.
  static Usable usable(const std::vector<Found>& side) {
    Usable out;
    std::size_t skipped = 0;
    for (const Found& found : side) {
      const Outcome& outcome = found.record->outcome;
      const auto why = why_unusable(found);
      if (!why) {
        out.runs.push_back(found);
        continue;
      }
      if (out.reason.empty()) out.reason = *why;
      if (std::holds_alternative<Skipped>(outcome)) ++skipped;
      out.spoilt = out.spoilt || std::holds_alternative<Incorrect>(outcome) ||
                   std::holds_alternative<Failed>(outcome);
    }
    out.skipped = skipped == side.size();
    if (2 * out.runs.size() <= side.size()) out.spoilt = true;
    return out;
  }

  void look_at(const Match& match) {
    const Usable base = usable(match.base);
    const Usable fresh = usable(match.fresh);
    if (base.skipped && fresh.skipped) {
      ++skipped_;
      return;
    }
    const Found& shown =
        match.base.empty() || base.skipped ? match.fresh.front() : match.base.front();
    ComparedPoint point;
    point.record = shown.record;
    point.name = full_name(match, *shown.record);
    point.device = matches_.devices[match.device].name;
    point.kind = variation_kind(*shown.record);
    if (fresh.skipped) {
      point.verdict = ComparedAs::missing;
      point.reason = fresh.reason;  // empty where nobody asked for it
    } else if (base.skipped) {
      point.verdict = ComparedAs::added;
      point.reason = fresh.spoilt ? fresh.reason : base.reason;
    } else if (base.spoilt || fresh.spoilt) {
      point.verdict = ComparedAs::unusable;
      point.reason = fresh.spoilt ? "new: " + fresh.reason : "base: " + base.reason;
    } else {
      pairs_.push_back(
          {out_.points.size(), match.device, times_of(base.runs), times_of(fresh.runs)});
    }
    const auto figures = [](const Usable& side) -> std::optional<ComparedTimes> {
      if (side.runs.empty()) return std::nullopt;
      const Times times = times_of(side.runs);
      return ComparedTimes{times.median_s, times.records.size(), times.repetitions};
    };
    point.base = figures(base);
    point.fresh = figures(fresh);
    out_.points.push_back(std::move(point));
  }

  /// New / base clock, where the point is to be compared in cycles.
  [[nodiscard]] std::optional<double> equal_clock(const Pair& pair) const {
    const auto& moved = clocks_[pair.device];
    if (!moved || !pair.follows_clock()) return std::nullopt;
    const double own = pair.clock_ratio();
    if (std::abs(std::log(own)) > std::log1p(kClockReach)) return std::nullopt;
    if (std::abs(std::log(own / *moved)) > kClockOwn) return std::nullopt;
    return own;
  }

  void judge_pair(const Pair& pair) {
    ComparedPoint& point = out_.points[pair.point];
    if (same_runs_ && same_samples(*pair.base.records.front(), *pair.fresh.records.front())) {
      point.verdict = ComparedAs::same;
      point.ratio = Ratio{};
      point.reason = "the very same run";
      return;
    }
    if (pair.base.seconds.empty() || pair.fresh.seconds.empty()) {
      point.verdict = ComparedAs::ambiguous;
      point.reason = "fewer than three samples on a side tell nothing";
      return;
    }
    const Record& record = *pair.base.records.front();
    point.clock_ratio = equal_clock(pair);
    RunsOn on{is_gpu(record), false, point.clock_ratio.has_value()};
    const auto threads = number_fact(record.implementation, "threads");
    on.several_threads = threads && *threads > 1;
    const Variation usual = usual_variation(point.kind, on);
    const bool cycles = on.at_equal_clock;
    const Ratio ratio = time_ratio(cycles ? pair.base.cycles : pair.base.seconds,
                                   cycles ? pair.fresh.cycles : pair.fresh.seconds, usual);
    point.ratio = ratio;
    if (ratio.value < 1 / kImplausible) {
      point.verdict = ComparedAs::unusable;
      point.reason = "implausible change: " + format_number(1 / ratio.value) +
                     " times faster; a measurement that broke looks like this";
      return;
    }
    const auto placement = [](const Times& times) {
      return std::get<Measured>(times.records.front()->outcome).placement;
    };
    const std::string was = placement(pair.base);
    const std::string is = placement(pair.fresh);
    if (was != is && !was.empty() && !is.empty()) {
      point.verdict = ComparedAs::ambiguous;
      point.reason = "the threads lay " + was + " to each other, then " + is;
      return;
    }
    switch (judge(ratio, out_.threshold)) {
      case Change::slower:
        point.verdict = ComparedAs::slower;
        break;
      case Change::faster:
        point.verdict = ComparedAs::faster;
        break;
      case Change::same:
        point.verdict = ComparedAs::same;
        break;
      case Change::ambiguous:
        point.verdict = ComparedAs::ambiguous;
        point.reason = why_ambiguous(ratio, point.kind, out_.threshold);
        break;
    }
  }

  void tell_clocks() {
    constexpr double kWorthSaying = 0.005;
    for (std::size_t i = 0; i < clocks_.size(); ++i) {
      if (!clocks_[i] || std::abs(*clocks_[i] - 1) < kWorthSaying) continue;
      const bool equal = std::abs(std::log(*clocks_[i])) <= std::log1p(kClockReach);
      out_.notes.push_back("the core clock of " + matches_.devices[i].id + " was " +
                           format_percent(std::abs(*clocks_[i] - 1)) +
                           (*clocks_[i] < 1 ? " lower" : " higher") + " in the new runs: " +
                           (equal ? "what follows it is compared at equal clock"
                                  : "too much for chance, so times are compared as they are"));
    }
  }

  void in_order() {
    const auto size = [](const ComparedPoint& point) {
      return point.ratio ? std::abs(std::log(point.ratio->value)) : 0;
    };
    std::stable_sort(out_.points.begin(), out_.points.end(),
                     [&](const ComparedPoint& a, const ComparedPoint& b) {
                       if (a.verdict != b.verdict) return a.verdict < b.verdict;
                       return size(a) > size(b);
                     });
  }

  Matches matches_;
  bool same_runs_;
  std::vector<Pair> pairs_;
  std::vector<std::optional<double>> clocks_;
  std::size_t skipped_ = 0;
  Comparison out_;
};

std::set<std::string> run_ids(std::span<const Report> side) {
  std::set<std::string> out;
  for (const Report& report : side) {
    if (!report.run.id.empty()) out.insert(report.run.id);
  }
  return out;
}

}  // namespace

std::string_view name(ComparedAs verdict) {
  constexpr std::string_view names[] = {"slower", "unusable", "missing", "ambiguous",
                                        "faster", "new",      "same"};
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

bool Comparison::refused() const {
  return std::any_of(differences.begin(), differences.end(),
                     [](const Difference& difference) { return difference.refuses; });
}

bool Comparison::says_something() const {
  return count(ComparedAs::slower) + count(ComparedAs::faster) + count(ComparedAs::same) != 0;
}

Comparison compare(std::span<const Report> base, std::span<const Report> fresh,
                   const ComparisonOptions& options) {
  const std::set<std::string> ids = run_ids(base);
  const bool same_runs = !ids.empty() && ids == run_ids(fresh);
  Comparison out = Comparer(match(base, fresh), options, same_runs).run();
  out.base_runs = base.size();
  out.fresh_runs = fresh.size();
  if (same_runs) {
    out.notes.insert(out.notes.begin(), "identical run: both sides have the run id " +
                                            *ids.begin() + ", so this compares a run with itself");
  }
  return out;
}

}  // namespace roofline::report
