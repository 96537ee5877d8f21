// Chosen columns of a report as they are, a row a point: for terminals and for Markdown.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/columns.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

/// Aligned, with units in the heading's own terms; no line is cut.
[[nodiscard]] std::string render_columns(const Report& report,
                                         const std::vector<const Column*>& columns);
/// A cell of a GitHub-flavoured table, for people: nothing where a figure says nothing of its
/// point, as what its own roof or a ceiling of no work does, and verdicts as words.
[[nodiscard]] std::string markdown_cell(const Record& record, const Column& column);
/// A GitHub-flavoured table.
[[nodiscard]] std::string render_markdown(const Report& report,
                                          const std::vector<const Column*>& columns);
/// What a table has where nothing was chosen.
[[nodiscard]] std::vector<const Column*> usual_columns(const Report& report);

}  // namespace roofline::report
