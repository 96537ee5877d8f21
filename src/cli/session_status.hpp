// What a finished session means for the exit status, and the sentences that say why.
#pragma once

#include "cli/session.hpp"
#include "roofline/record.hpp"

namespace roofline::cli {

[[nodiscard]] ExitStatus session_status(const Report& report, const SessionOptions& options,
                                        const SessionPlan& plan, Io& io);

}  // namespace roofline::cli
