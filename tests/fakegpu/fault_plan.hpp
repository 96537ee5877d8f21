// Which call goes wrong, by counting them: for each site of each device. Knows no call.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenario.hpp"

namespace fakegpu {

class FaultPlan {
 public:
  explicit FaultPlan(const std::vector<Fault>* faults) : faults_(faults) {}

  /// Counts one more call of `site` on `device` (kEveryDevice: of the process) and returns what
  /// the scenario says about it: null for nothing. Sites may be patterns.
  [[nodiscard]] const Fault* next(std::string_view site, int device);

 private:
  const std::vector<Fault>* faults_;
  /// By the number of the fault and the device: faults with patterns count what they match.
  std::map<std::pair<std::size_t, int>, std::uint64_t> calls_;
};

}  // namespace fakegpu
