// A report as commands take it: a file, a journal, or standard input.
#pragma once

#include <string>
#include <string_view>

#include "report/comparison_run.hpp"
#include "report/json_reader.hpp"
#include "roofline/audit.hpp"
#include "roofline/record.hpp"

namespace roofline::cli {

inline constexpr const char* kReportHelp =
    "report file (JSON), or the journal of a run that was cut short; - is standard input";

/// Throws FileError and InputError.
[[nodiscard]] Report load_report(const std::string& path,
                                 report::Reading keep = report::Reading::all);

/// The same, and what its points say that the rest of them does not give; of a journal nothing.
[[nodiscard]] Report load_report(const std::string& path, AsWritten& file);

/// The same, reduced to what a comparison needs.
[[nodiscard]] report::ComparedRun load_run(const std::string& path);

/// Throws InputError where -o names the very file that is read, in whichever spelling: it would be
/// lost. `what`: `one of the reports`.
void require_other_file(const std::string& output, const std::string& input, std::string_view what);

}  // namespace roofline::cli
