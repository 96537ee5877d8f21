// What a record does not know, and why: one answer for the JSON, the tables and the text.
#pragma once

#include <string_view>

#include "roofline/record.hpp"

namespace roofline::report {

/// False for a kernel given by its intensity or its rate alone, and where counting was not
/// possible.
[[nodiscard]] bool traffic_is_known(const Account& account);
/// Why work or traffic is not known.
[[nodiscard]] std::string_view unknown_counts_reason(const Account& account);

/// Whether `above_roof` and `impossible` were decided.
[[nodiscard]] bool is_judged(const Assessment& assessment);

/// Why a point has no measurement; empty for a measured one.
[[nodiscard]] std::string_view reason(const Outcome& outcome);
/// Nothing where it never ran.
[[nodiscard]] const Verification* verification(const Outcome& outcome);

}  // namespace roofline::report
