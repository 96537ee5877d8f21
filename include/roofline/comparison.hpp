// Whether one set of runs takes longer than another: the ratio of their times, and how far it can
// be told from what separate runs of the same thing differ by. Knows samples and kinds of work, and
// nothing of which points belong together.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "roofline/record.hpp"

namespace roofline {

/// What a point's time depends on, as far as it decides how much separate runs of it differ.
enum class VariationKind {
  arithmetic,  ///< registers of a core alone
  product,     ///< held by arithmetic, with operands in caches and memory
  cache,       ///< a cache of a core's own, and which pages of memory fall into which of its sets
  memory,      ///< memory, a cache or a link that others share
  call,        ///< what a call costs
};
[[nodiscard]] std::string_view name(VariationKind kind);
[[nodiscard]] VariationKind variation_kind(const Record& record);

/// Where a point runs, as far as it decides the same.
struct RunsOn {
  bool gpu = false;
  bool several_threads = false;
  bool at_equal_clock = false;  ///< cycles are compared, not seconds
};

/// How much runs of one and the same thing differ, as parts of their time.
struct Variation {
  double session = 0;     ///< standard deviation that no repetition within a run renews
  double repetition = 0;  ///< standard deviation that is renewed with every preparation
  /// What a single preparation can be off by, seldom, with nothing in its samples to show it; 0
  /// where there is nothing of the kind.
  double rare = 0;
};
/// What is assumed where repetitions don't tell (docs/method.md says where it comes from).
[[nodiscard]] Variation usual_variation(VariationKind kind, const RunsOn& on);

/// Median and its distribution-free interval of 95 %; of fewer than 6 times the whole range, made
/// wider for what it lacks in coverage.
struct Level {
  double centre = 0;
  double low = 0;
  double high = 0;
};
/// Nothing of fewer than kFewestSamples times, or where one is not positive.
[[nodiscard]] std::optional<Level> level_of(std::span<const double> times);

/// The repetitions of one run; mostly one.
using RunLevels = std::vector<Level>;

struct Ratio {
  double value = 1;  ///< new / base
  double low = 1;    ///< of 95 %, between-run variation included
  double high = 1;
  /// The between-run variation is that of these runs; else the usual one is assumed.
  bool estimated = false;
  /// A single placement of pages on either side: the interval allows for a rare bad one.
  bool one_placement = false;
};
/// So many preparations on each side, and a bad one no longer decides.
inline constexpr std::size_t kPlacements = 3;
/// Repetitions beyond the first of each side, together, from which variation is estimated.
inline constexpr std::size_t kEnoughRepetitions = 4;

/// Each side has runs, each run repetitions, none empty. Throws std::invalid_argument otherwise.
[[nodiscard]] Ratio time_ratio(std::span<const RunLevels> base, std::span<const RunLevels> fresh,
                               const Variation& usual);

enum class Change { slower, faster, same, ambiguous };
[[nodiscard]] std::string_view name(Change change);
/// Slower and faster: the whole interval lies beyond the threshold. Same: it lies within. Else it
/// cannot be told. `threshold` is a part of the time, 0.01 for 1 %.
[[nodiscard]] Change judge(const Ratio& ratio, double threshold);

/// The 97.5 % point of Student's t, within 1 % for 2 degrees of freedom or more, which need not be
/// whole.
[[nodiscard]] double student_t(double degrees);

}  // namespace roofline
