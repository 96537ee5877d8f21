#include "report/comparison_text.hpp"
#include "report/format.hpp"
#include "report/markdown.hpp"

namespace roofline::report {
namespace {

/// GitHub takes 65,536 characters for a comment.
constexpr std::size_t kLimit = 60'000;
constexpr std::size_t kForTheRest = 4'000;
/// Outside of the fold.
constexpr std::size_t kShown = 20;

constexpr std::string_view kHeading =
    "| Verdict | Point | Base | New | Time | 95 % | |\n|---|---|--:|--:|--:|--:|---|\n";

bool needs_a_look(const ComparedPoint& point) {
  const ComparedAs verdict = point.verdict;
  return point.broken || verdict == ComparedAs::slower || verdict == ComparedAs::unusable ||
         verdict == ComparedAs::missing || verdict == ComparedAs::faster;
}

std::string row_of(const ComparedPoint& point) {
  const auto figure = [&](const std::optional<ComparedTimes>& times) {
    return times ? markdown_text(figure_text(*times)) : std::string("-");
  };
  const std::string verdict(name(point.verdict));
  return "| " + (point.verdict == ComparedAs::slower ? "**" + verdict + "**" : verdict) + " | " +
         markdown_code(point.name) + " | " + figure(point.base) + " | " + figure(point.fresh) +
         " | " + (point.ratio ? change_text(point.ratio->value) : "-") + " | " +
         (point.ratio ? interval_text(*point.ratio) : "-") + " | " + markdown_text(point.reason) +
         " |\n";
}

/// `1 run of 5 repetitions`.
std::string runs_text(std::size_t runs, std::size_t repetitions) {
  std::string out = std::to_string(runs) + (runs == 1 ? " run" : " runs");
  if (repetitions > 1) out += " of " + std::to_string(repetitions) + " repetitions";
  return out;
}

}  // namespace

std::string render_comparison_markdown(const Comparison& comparison) {
  std::string out = "### Roofline: " + summary_text(comparison) + "\n\n";
  for (const Difference& difference : comparison.differences) {
    if (!difference.refuses) continue;
    const std::string line = "> **Not comparable**: " + markdown_text(text_of(difference)) + "\n";
    if (out.size() + line.size() < kLimit / 4) out += line;
  }
  if (comparison.refused()) out += "\n";
  std::size_t shown = 0;
  for (const ComparedPoint& point : comparison.points) {
    if (!needs_a_look(point) || shown == kShown) continue;
    const std::string row = row_of(point);
    if (out.size() + row.size() > kLimit / 2) break;
    if (shown == 0) out += kHeading;
    out += row;
    ++shown;
  }
  if (shown != 0) out += "\n";
  const auto points = comparison.points.size();
  out += "<details><summary>All " + std::to_string(points) + " points, " +
         runs_text(comparison.base_runs, comparison.base_repetitions) + " against " +
         runs_text(comparison.fresh_runs, comparison.fresh_repetitions) + ", threshold " +
         format_percent(comparison.threshold) + "</summary>\n\n";
  std::size_t listed = 0;
  for (const ComparedPoint& point : comparison.points) {
    const std::string row = row_of(point);
    if (out.size() + row.size() > kLimit - kForTheRest) break;
    if (listed == 0) out += kHeading;
    out += row;
    ++listed;
  }
  if (listed < points)
    out += "\n" + std::to_string(points - listed) + " more are not shown here.\n";
  const auto add = [&](const std::string& text) {
    const std::string line = "\n- " + markdown_text(text);
    if (out.size() + line.size() < kLimit) out += line;
  };
  for (const Difference& difference : comparison.differences) {
    if (!difference.refuses) add(text_of(difference));
  }
  for (const std::string& note : comparison.notes) add(note);
  if (const std::string advice = advice_text(comparison); !advice.empty()) add(advice);
  return out + "\n\n</details>\n";
}

}  // namespace roofline::report
