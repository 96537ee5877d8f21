#include "cli/dry_run.hpp"

#include <fmt/core.h>

#include "cli/families.hpp"
#include "measure/sweep.hpp"
#include "report/format.hpp"
#include "roofline/fact_lookup.hpp"

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

std::string describe(const measure::PlannedPoint& point) {
  if (!point.runnable) return "skipped: " + std::get<Skipped>(point.record.outcome).reason;
  const Prediction& predicted = point.record.prediction;
  const auto at = intensity(point.record.account);
  std::string out =
      predicted.side ? std::string(name(*predicted.side)) + " side" : predicted.reason.str();
  if (at && predicted.ridge) {
    out += fmt::format(" (intensity {} FLOP/byte, ridge {})",
                       report::format_number(in_flop_per_byte(*at)),
                       report::format_number(in_flop_per_byte(*predicted.ridge)));
  }
  return out;
}

}  // namespace

void glance_at_roofs(const Target& target, const std::vector<Workload>& points, RoofBook& book) {
  auto probes =
      measure::plan_sweep(*target.backend, target.device,
                          roof_points(points, backend::kind_of(target.device.id)), glance(), book);
  (void)measure::run_sweep(*target.backend, target.device, std::move(probes), {glance(), 1}, book,
                           {});
}

void list_points(const std::vector<Work>& work, std::optional<Seconds> budget, Io& io) {
  Seconds expected;
  const std::uint64_t repetitions = work.empty() ? 0 : work.back().repetition;
  const std::size_t devices = repetitions == 0 ? work.size() : work.size() / repetitions;
  for (const Work& one : work) {
    expected = expected + one.expected();
    if (one.repetition > 1) continue;  // the same again
    const backend::Device& device = one.target->device;
    if (devices > 1) io.out << spoken_name(device.id, device.name) << '\n';
    std::size_t width = 0;
    for (const auto& point : one.points) width = std::max(width, point.record.id.size());
    for (const auto& point : one.points) {
      const std::string product = text_fact(point.record.implementation, "product");
      const std::string time = point.runnable ? report::format(point.expected) : "-";
      io.out << fmt::format("{:<{}}  {:>8}  {}{}\n", point.record.id, width, time,
                            product.empty() ? "" : product + ": ", describe(point));
    }
  }
  io.out << points_left(work) << " points";
  if (repetitions > 1) io.out << " in " << repetitions << " repetitions";
  io.out << ", about " << report::format(expected);
  if (budget && expected > *budget) {
    io.out << ", more than the budget of " << report::format(*budget)
           << ": sampling will be shortened, then points left out";
  }
  io.out << '\n';
}

}  // namespace roofline::cli
