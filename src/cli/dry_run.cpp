#include "cli/dry_run.hpp"

#include <fmt/core.h>

#include <set>

#include "measure/sweep.hpp"
#include "report/format.hpp"

namespace roofline::cli {
namespace {

/// Enough for a ridge that is right within a few per cent.
measure::SamplingPlan glance() {
  measure::SamplingPlan plan;
  plan.warm_up = second(0.05);
  plan.budget = second(0.1);
  plan.min_samples = 3;
  return plan;
}

std::vector<Workload> roofs_needed(const std::vector<Workload>& workloads) {
  std::vector<Workload> out{Stream{.kind = StreamKind::read}, Stream{.kind = StreamKind::copy}};
  std::set<DType> seen;
  for (const Workload& workload : workloads) {
    if (std::holds_alternative<Stream>(workload) || !computes(workload)) continue;
    if (seen.insert(compute_dtype(workload)).second)
      out.emplace_back(PeakProbe{.dtype = compute_dtype(workload)});
  }
  return out;
}

std::string describe(const measure::PlannedPoint& point) {
  if (!point.runnable) return "skipped: " + std::get<Skipped>(point.record.outcome).reason;
  const Prediction& predicted = point.record.prediction;
  const auto at = intensity(point.record.account);
  std::string out =
      predicted.side ? std::string(name(*predicted.side)) + " side" : predicted.reason;
  if (at && predicted.ridge) {
    out += fmt::format(" (intensity {} FLOP/byte, ridge {})",
                       report::format_number(in_flop_per_byte(*at)),
                       report::format_number(in_flop_per_byte(*predicted.ridge)));
  }
  return out;
}

}  // namespace

DryRun dry_run(backend::Backend& backend, const backend::Device& device, const SessionPlan& plan,
               RoofBook& book, Io& io) {
  const std::vector<Workload> workloads = plan.points(backend::kind_of(device.id));
  auto probes = measure::plan_sweep(backend, device, roofs_needed(workloads), glance(), book);
  (void)measure::run_sweep(backend, device, std::move(probes), {glance(), 1}, book, {});
  const auto points = measure::plan_sweep(backend, device, workloads, plan.sampling, book);
  std::size_t width = 0;
  DryRun out{points.size(), {}};
  for (const auto& point : points) width = std::max(width, point.record.id.size());
  for (const auto& point : points) {
    out.expected = out.expected + point.expected;
    const std::string time = point.runnable ? report::format(point.expected) : "-";
    io.out << fmt::format("{:<{}}  {:>8}  {}\n", point.record.id, width, time, describe(point));
  }
  return out;
}

}  // namespace roofline::cli
