// A journal keeps the finished points of a run that is under way: the report without points on the
// first line, then one point a line. Pure functions; the file is somebody else's.
#pragma once

#include <string>
#include <string_view>

#include "roofline/record.hpp"

namespace roofline::report {

/// The first line, without its newline: the run, its device and environment.
[[nodiscard]] std::string journal_head(const Report& report);
/// One finished point, without its newline.
[[nodiscard]] std::string journal_line(const Record& record);

/// The report that a journal holds, marked as interrupted. A last line that is torn (cut short, or
/// without its newline) is left out. Throws InputError naming `name` and the line for anything else
/// that is no journal.
[[nodiscard]] Report read_journal(std::string_view text, std::string_view name);

/// Whether a text looks like a journal rather than a report: more than its first line is JSON of
/// its own.
[[nodiscard]] bool is_journal(std::string_view text);

/// Where the journal of the report at `path` lies.
[[nodiscard]] std::string journal_path(std::string_view path);

}  // namespace roofline::report
