// Hand-made reports for the tests of the diagnosis: points with stated roofs and times, placed by
// the arithmetic of the library, and the names that the diagnosis gives them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "roofline/diagnosis.hpp"
#include "support.hpp"

namespace roofline::test {

inline Record timed(const std::string& id, const Workload& workload, const Account& cost,
                    const Roofs& roofs, double seconds, const RoofContext& context = {}) {
  Record out;
  out.id = id;
  out.device_id = "cuda:0";
  out.workload = workload;
  out.account = cost;
  out.roofs = roofs;
  out.placement = place(cost, roofs);
  out.assessment = assess(cost, roofs, out.placement, {.time = second(seconds)}, context);
  Measured result;
  result.time_median = second(seconds);
  result.end = MeasurementEnd::converged;
  result.verification.state = VerificationState::verified;
  out.outcome = result;
  return out;
}

/// The time is that at which the point reaches `share` of its ceiling.
inline Record reaching(double share, const Workload& workload, const Roofs& roofs,
                       const RoofContext& context = {}) {
  const Account cost = account(workload);
  Roofs bare = roofs;
  bare.overhead.reset();
  const double fastest = in_second(*place(cost, bare).floor);
  return timed("point", workload, cost, roofs, fastest / share, context);
}

inline Record on_cpu(Record point, Facts facts = {}) {
  point.device_id = "cpu";
  point.implementation = std::move(facts);
  return point;
}

inline Report report_of(std::vector<Record> points) {
  Report out;
  out.points = std::move(points);
  return out;
}

/// Ids, likeliest first.
template <class Named>
std::vector<std::string> ids(const std::vector<Named>& all) {
  std::vector<std::string> out;
  out.reserve(all.size());
  for (const Named& one : all) out.push_back(one.id);
  return out;
}

inline std::vector<std::string> named(const Record& point, const Report& report = {}) {
  return ids(hypotheses_for(point, report));
}

inline std::string first(const Record& point, const Report& report = {}) {
  const auto all = named(point, report);
  return all.empty() ? "nothing" : all.front();
}

inline bool names(const Record& point, const std::string& id, const Report& report = {}) {
  const auto all = named(point, report);
  return std::find(all.begin(), all.end(), id) != all.end();
}

}  // namespace roofline::test
