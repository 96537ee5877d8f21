#include "measure/sweep_plan.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "roofline/point_id.hpp"

namespace roofline::measure {
namespace {

/// What the power of a sustained load depends on first.
std::tuple<DType, DataPattern> load_key(const Workload& workload) {
  const auto* const gemm = std::get_if<Gemm>(&workload);
  return {compute_dtype(workload), gemm == nullptr ? DataPattern::random : gemm->data};
}

PlannedPoint plan_point(backend::Backend& backend, const backend::Device& device,
                        const Workload& workload, const RoofBook& book) {
  PlannedPoint out;
  out.record.device_id = device.id;
  out.record.device_name = device.name;
  out.record.workload = workload;
  out.record.id = point_id(workload);
  const auto answer = backend.supports(workload, device);
  if (const auto* reason = std::get_if<backend::Unsupported>(&answer)) {
    out.record.outcome = Skipped{reason->reason};
    // Sizes that only the backend could fill in stay open, and with them the account.
    try {
      out.record.account = account(workload);
    } catch (const std::exception&) {
      out.record.account = {};
    }
    return out;
  }
  out.record.workload = std::get<Workload>(answer);
  out.record.account = account(out.record.workload);
  out.record.prediction = predict(out.record.workload, out.record.account, book);
  out.runnable = true;
  return out;
}

}  // namespace

Phase phase_of(const Workload& workload) {
  if (defines_roofs(workload)) return Phase::roofs;
  switch (load_duration(workload)) {
    case LoadDuration::burst:
      return Phase::burst;
    case LoadDuration::sustained:
      return Phase::sustained;
    case LoadDuration::turns:
      break;
  }
  return Phase::turns;
}

bool same_load(const Workload& one, const Workload& other) {
  return load_key(one) == load_key(other);
}

Seconds expected_time(const Record& record, const SamplingPlan& plan, const RoofBook& book,
                      bool warm) {
  const Roofs roofs = book.roofs_for(record.workload, record.account);
  return estimate(record.account, plan, place(record.account, roofs).floor,
                  {load_duration(record.workload), warm});
}

void put_in_order(std::vector<PlannedPoint>& points) {
  const auto key = [](const PlannedPoint& point) {
    const Workload& workload = point.record.workload;
    const Phase phase = phase_of(workload);
    return std::tuple{
        phase, phase == Phase::sustained ? load_key(workload) : std::tuple<DType, DataPattern>{}};
  };
  std::stable_sort(points.begin(), points.end(),
                   [&](const PlannedPoint& a, const PlannedPoint& b) { return key(a) < key(b); });
}

std::vector<PlannedPoint> plan_sweep(backend::Backend& backend, const backend::Device& device,
                                     const std::vector<Workload>& workloads,
                                     const SamplingPlan& plan, const RoofBook& book) {
  std::vector<Workload> ordered = workloads;
  std::stable_partition(ordered.begin(), ordered.end(), defines_roofs);
  std::vector<PlannedPoint> out;
  std::set<std::string> seen;
  std::set<std::tuple<DType, DataPattern>> settled;
  for (const Workload& workload : ordered) {
    PlannedPoint point = plan_point(backend, device, workload, book);
    if (!seen.insert(point.record.id).second) continue;
    if (point.runnable) {
      const bool sustained = phase_of(point.record.workload) == Phase::sustained;
      const bool warm = sustained && !settled.insert(load_key(point.record.workload)).second;
      point.expected = expected_time(point.record, plan, book, warm);
    }
    out.push_back(std::move(point));
  }
  return out;
}

}  // namespace roofline::measure
