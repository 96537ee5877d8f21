// A comparison for people: the words and figures that its renderers share, and the renderers. Pure
// functions.
#pragma once

#include <string>

#include "report/comparison.hpp"
#include "report/table.hpp"
#include "report/text_sink.hpp"

namespace roofline::report {

/// `+3.1 %`: how much longer the new side takes; `x2.4` beyond a doubling.
[[nodiscard]] std::string change_text(double ratio);
/// `+2.0 .. +4.2 %`
[[nodiscard]] std::string interval_text(const Ratio& ratio);
/// What people know a point by: a rate of work or of bytes, of empty calls the time. `time_s` of
/// one call.
[[nodiscard]] std::string figure_text(const ComparedTimes& times);
/// `2 slower, 1 missing, 9 same (1 %)`.
[[nodiscard]] std::string summary_text(const Comparison& comparison);
/// What to do for a clearer answer; empty where it is clear.
[[nodiscard]] std::string advice_text(const Comparison& comparison);

/// A table, notes and a summary line.
[[nodiscard]] std::string render_comparison_table(const Comparison& comparison,
                                                  const TableStyle& style);
/// For a pull request: the summary, what needs a look, and the rest folded; below the length that
/// GitHub takes for a comment.
[[nodiscard]] std::string render_comparison_markdown(const Comparison& comparison);
/// configs/schema/comparison-v1.json.
[[nodiscard]] std::string render_comparison_json(const Comparison& comparison);
/// The same piece by piece.
void write_comparison_json(const Comparison& comparison, const TextSink& to);

}  // namespace roofline::report
