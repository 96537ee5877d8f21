// When and by which command a report is made.
#pragma once

#include <string>

#include "cli/command.hpp"
#include "roofline/record.hpp"

namespace roofline::cli {

/// Begun now; its id is told from that of another process.
[[nodiscard]] RunInfo new_run(const std::string& suite, const Invocation& invocation);

}  // namespace roofline::cli
