// The listing of what a session would do.
#pragma once

#include <optional>
#include <vector>

#include "cli/work.hpp"

namespace roofline::cli {

/// Measures the roofs that predictions of these points need, briefly, into `book`.
void glance_at_roofs(const Target& target, const std::vector<Workload>& points, RoofBook& book);

/// Every point with its predicted side and time, and at the end how many there are and how long
/// they should take, beside the time that there is.
void list_points(const std::vector<Work>& work, std::optional<Seconds> budget, Io& io);

}  // namespace roofline::cli
