// Two sides of reports held against each other: which points belong together, what can be said of
// each, and what of the runs forbids saying anything. How it looks as text is elsewhere.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/comparability.hpp"
#include "report/comparison_run.hpp"
#include "roofline/comparison.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

/// What became of a point, in the order of importance.
enum class ComparedAs {
  slower,
  unusable,   ///< failed, wrong, disturbed, impossible, implausibly fast: nothing to compare
  missing,    ///< only on the base's side
  ambiguous,  ///< it cannot be told
  faster,
  added,       ///< only on the new side; `new` as text
  unverified,  ///< its times are the same, and nobody has looked whether its result is right
  same,        ///< shown to be the same, within the threshold
};
inline constexpr std::size_t kComparedAsCount = 8;
[[nodiscard]] std::string_view name(ComparedAs verdict);
[[nodiscard]] std::optional<ComparedAs> find_compared_as(std::string_view text);

/// Times of one side of a point: over the runs of the side that have a usable one.
struct ComparedTimes {
  // What the rate is of, in a call of the first run; neither where people know it by the time.
  std::optional<Count> work = {};
  std::optional<Count> bytes = {};
  double time_s = 0;  ///< of such a call: the median of the runs' medians
  std::size_t runs = 0;
  std::size_t repetitions = 0;  ///< of all runs together
};

struct ComparedPoint {
  std::string id;    ///< of the point, as its reports have it
  std::string name;  ///< its id, behind the device where there are several
  Text device;       ///< what the hardware calls itself
  ComparedAs verdict = ComparedAs::ambiguous;
  std::optional<ComparedTimes> base;
  std::optional<ComparedTimes> fresh;
  std::optional<Ratio> ratio;  ///< of the times, new / base; at equal clock where that is known
  VariationKind kind = VariationKind::memory;
  /// New clock / base clock, where the ratio is one of cycles.
  std::optional<double> clock_ratio;
  std::string reason;  ///< one sentence; empty where the verdict says it all
  /// Of what the new side did: it failed, is wrong, impossible, implausibly fast, or is verified no
  /// more.
  bool broken = false;
};

struct ComparisonOptions {
  double threshold = 0.01;  ///< a part of the time; less is not worth a verdict
};

struct Comparison {
  double threshold = 0;
  std::size_t base_runs = 0;
  std::size_t fresh_runs = 0;
  std::size_t base_repetitions = 0;  ///< of a run, at most
  std::size_t fresh_repetitions = 0;
  std::vector<Difference> differences;  ///< those that refuse first; each of a kind once
  std::vector<std::string> notes;
  std::vector<ComparedPoint> points;  ///< by importance, then by size of change

  [[nodiscard]] std::size_t count(ComparedAs verdict) const;
  [[nodiscard]] std::size_t count_broken() const;
  /// Whether a difference makes the runs' times incomparable.
  [[nodiscard]] bool refused() const;
  /// Whether anything clear was said of any point.
  [[nodiscard]] bool says_something() const;
};

/// Neither side may be empty.
[[nodiscard]] Comparison compare(std::span<const ComparedRun> base,
                                 std::span<const ComparedRun> fresh,
                                 const ComparisonOptions& options);

}  // namespace roofline::report
