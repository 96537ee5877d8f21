// What a finished session means for the exit status, and the sentences that say why.
#pragma once

#include <vector>

#include "cli/session.hpp"
#include "cli/work.hpp"
#include "roofline/record.hpp"

namespace roofline::cli {

[[nodiscard]] ExitStatus session_status(const Report& report, const SessionOptions& options,
                                        const SessionPlan& plan, Io& io);

/// Of a session that is only listed; `resumed` holds the points that need no measuring.
[[nodiscard]] ExitStatus planned_status(const std::vector<Work>& work, const Report& resumed,
                                        const SessionPlan& plan, Io& io);

}  // namespace roofline::cli
