#include "report/comparison_run.hpp"

#include <algorithm>

namespace roofline::report {
namespace {

struct ReducedPoint {
  RunPoint operator()(Record&& point) { return run_point(std::move(point), facts); }
  SharedFacts facts;
};

/// A point that takes less than the rated bandwidths of its report allow is unusable, too.
void hold_against_bandwidths(ComparedRun& run) {
  for (RunPoint& point : run.points) {
    if (!point.unusable.empty()) continue;
    double least = point.least_s;
    for (const RoofEntry& entry : run.head.roofs) {
      const auto* const memory = std::get_if<MemoryRoof>(&entry.roof);
      if (memory == nullptr || memory->boundary != point.boundary) continue;
      if (!entry.device.empty() && entry.device != point.device_id) continue;
      if (point.bytes && is_rated(memory->origin))
        least = std::max(least, least_time(point.bytes->as_double(), memory->bandwidth.si()));
    }
    if (point.median_s < least) {
      point.broken = true;
      point.unusable = "implausibly fast: shorter than a rated roof or an empty call allows";
    }
  }
}

}  // namespace

ComparedRun compared_run(const Report& report) {
  ComparedRun out;
  out.head = report;
  out.head.points.clear();
  out.points.reserve(report.points.size());
  SharedFacts facts;
  for (const Record& record : report.points) out.points.push_back(run_point(record, facts));
  hold_against_bandwidths(out);
  return out;
}

ComparedRun read_run(std::string_view text, std::string_view name, const ReadOptions& options) {
  PointList<ReducedPoint> points;
  ComparedRun out{read_report(text, name, points, options), {}};
  out.points = points.take_all();
  hold_against_bandwidths(out);
  return out;
}

}  // namespace roofline::report
