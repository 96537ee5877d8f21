// The points of a sweep over products, in the order that suites and commands ask for them.
#pragma once

#include <cstdint>
#include <vector>

#include "roofline/workload.hpp"

namespace roofline::measure {

struct GemmSweep {
  Gemm common;  ///< what all points share
  std::vector<DType> inputs;
  std::vector<std::vector<std::uint64_t>> shapes;  ///< of m, n and k
  std::vector<DataPattern> data;
  std::vector<LoadDuration> durations;
};

/// Every type with every shape, and each of those with all data and durations.
[[nodiscard]] std::vector<Workload> points_of(const GemmSweep& sweep);

}  // namespace roofline::measure
