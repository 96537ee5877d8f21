// What a session has to measure: the points of each device, and how long they should take.
#pragma once

#include <vector>

#include "cli/backend_choice.hpp"
#include "cli/recorder.hpp"
#include "cli/session.hpp"
#include "measure/sweep.hpp"

namespace roofline::cli {

/// A device, what is to be measured on it, and how long that should take.
struct Work {
  const Target* target;  ///< outlives it
  std::vector<measure::PlannedPoint> points;
  std::uint64_t repetition = 0;  ///< of all points, from 1; 0 where there is only one

  [[nodiscard]] Seconds expected() const;
};

/// In the order of the devices, again for each repetition. Roofs that nothing will be held against
/// are left out.
[[nodiscard]] std::vector<Work> plan_work(const ChosenDevices& chosen, const SessionPlan& plan,
                                          const Books& books, std::uint64_t repetitions);

/// Takes the finished points of `earlier` into `report` and `books`, and off `all`. What another
/// attempt could make better is measured again.
void take_over(const Report& earlier, Report& report, Books& books, std::vector<Work>& all);

/// The point_key() of every point.
[[nodiscard]] std::vector<std::string> keys_of(const std::vector<Work>& all);
[[nodiscard]] std::size_t points_left(const std::vector<Work>& all);

}  // namespace roofline::cli
