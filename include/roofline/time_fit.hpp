// A line through the times of calls of several sizes whose data lie in one level. A plain value;
// how it is fitted is in time_model.hpp.
#pragma once

#include <cstddef>
#include <string>

#include "roofline/units.hpp"
#include "roofline/workload.hpp"

namespace roofline {

struct TimeFit {
  std::string name;  ///< `stream/fp64/read`
  Boundary level = Boundary::dram;
  std::string placement = {};
  Seconds overhead;     ///< t0: what a call of this kind takes besides its bytes
  Bandwidth bandwidth;  ///< the slope
  std::size_t points = 0;
  double worst_error = 0;   ///< largest |fitted / measured - 1| over them
  std::string device = {};  ///< id; empty where the report is of one device
};

}  // namespace roofline
