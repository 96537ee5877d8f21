// Suites: named lists of points, read from text. Reading only; what is run, and on what, is decided
// elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.hpp"
#include "measure/sampling_plan.hpp"
#include "roofline/workload.hpp"

namespace roofline::measure {

struct Suite {
  std::string name;
  std::string description;
  SamplingPlan plan;
  // In the order to run: roof-defining ones first. An entry is for both unless it says otherwise.
  std::vector<Workload> points;      ///< of a CPU
  std::vector<Workload> gpu_points;  ///< of a GPU

  [[nodiscard]] const std::vector<Workload>& points_for(backend::DeviceKind kind) const {
    return kind == backend::DeviceKind::gpu ? gpu_points : points;
  }
};

/// `text` is a suite file; `origin` is what to call it in errors. Throws InputError with the place
/// of the fault.
[[nodiscard]] Suite parse_suite(std::string_view text, std::string_view origin);

}  // namespace roofline::measure
