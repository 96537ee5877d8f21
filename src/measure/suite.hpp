// Suites: named lists of points, read from text. Reading only; what is run, and on what, is decided
// elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "measure/sampling_plan.hpp"
#include "roofline/workload.hpp"

namespace roofline::measure {

struct Suite {
  std::string name;
  std::string description;
  SamplingPlan plan;
  std::vector<Workload> points;  ///< in the order to run: roof-defining ones first
};

/// `text` is a suite file; `origin` is what to call it in errors. Throws InputError with the place
/// of the fault.
[[nodiscard]] Suite parse_suite(std::string_view text, std::string_view origin);

}  // namespace roofline::measure
