// A report as commands take it: a file, a journal, or standard input.
#pragma once

#include <string>

#include "roofline/record.hpp"

namespace roofline::cli {

inline constexpr const char* kReportHelp =
    "report file (JSON), or the journal of a run that was cut short; - is standard input";

/// Throws FileError and InputError.
[[nodiscard]] Report load_report(const std::string& path);

}  // namespace roofline::cli
