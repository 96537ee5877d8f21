// What a person sees on stderr while a sweep runs: which point, how many, how long still. One line
// that is redrawn on a terminal, one line per point elsewhere.
#pragma once

#include <chrono>
#include <ostream>
#include <vector>

#include "measure/sweep.hpp"

namespace roofline::cli {

class Progress {
 public:
  Progress(std::ostream& err, bool redraws, const std::vector<measure::PlannedPoint>& points);

  void started(const measure::PlannedPoint& point, std::size_t index);
  void done();

 private:
  std::ostream& err_;
  bool redraws_;
  std::vector<Seconds> remaining_;  ///< expected time from the start of each point to the end
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace roofline::cli
