// The runs of tests/data/pairs as reports.
#pragma once

#include <string>
#include <vector>

#include "roofline/record.hpp"

namespace roofline::test {

/// 100 of them, in time: 2i and 2i + 1 are a pair.
[[nodiscard]] const std::vector<Report>& recorded_runs();

/// The same with every sample longer by `slowdown`, 0.03 for 3 %.
[[nodiscard]] Report slowed(Report report, double slowdown);

}  // namespace roofline::test
