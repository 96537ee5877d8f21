#include "report/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "report/comparison_match.hpp"
#include "report/comparison_verdict.hpp"
#include "report/format.hpp"

namespace roofline::report {
namespace {

class Comparer {
 public:
  Comparer(Matches matches, const ComparisonOptions& options, bool same_runs)
      : matches_(std::move(matches)), same_runs_(same_runs) {
    out_.threshold = options.threshold;
  }

  Comparison run() {
    for (const Match& match : matches_.points) look_at(match);
    clocks_ = clock_moves(pairs_, matches_.devices.size());
    for (const Pair& pair : pairs_)
      judge_pair(pair, clocks_[pair.device], out_.threshold, same_runs_, out_.points[pair.point]);
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
    }
    const auto figures = [](const Times& times) -> std::optional<ComparedTimes> {
      if (times.records.empty()) return std::nullopt;
      return ComparedTimes{times.records.front(), times.median_s, times.records.size(),
                           times.repetitions};
    };
    Pair pair{out_.points.size(), match.device, times_of(base.runs), times_of(fresh.runs)};
    point.base = figures(pair.base);
    point.fresh = figures(pair.fresh);
    const bool both = !base.spoilt && !fresh.spoilt;
    out_.points.push_back(std::move(point));
    if (both) pairs_.push_back(std::move(pair));
  }

  void tell_clocks() {
    constexpr double kWorthSaying = 0.005;
    for (std::size_t i = 0; i < clocks_.size(); ++i) {
      if (!clocks_[i] || std::abs(*clocks_[i] - 1) < kWorthSaying) continue;
      const bool equal = within_clock_reach(*clocks_[i]);
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
