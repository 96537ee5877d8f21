// Reports of a made-up GPU to compare, and shorter words for comparing them.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "report/comparison.hpp"
#include "roofline/point_id.hpp"
#include "roofline/sample_summary.hpp"

namespace roofline::comparing {

using report::ComparedAs;
using report::ComparedPoint;
using report::Comparison;

inline const Stream kRead{.kind = StreamKind::read, .elements = 125000};  // 1 MB
inline const PeakProbe kPeak{DType::fp32, 1000000};

inline Measured measured(const std::vector<double>& times, std::optional<double> clock_ghz = {}) {
  std::vector<Sample> samples;
  for (const double time : times) {
    Sample sample;
    sample.duration = second(time);
    if (clock_ghz) sample.clock = hertz(*clock_ghz * 1e9);
    samples.push_back(sample);
  }
  Measured out = summarise(std::move(samples), MeasurementEnd::converged, 0.95);
  out.verification.state = VerificationState::verified;
  return out;
}

/// Nine samples around `time`, 0.1 % apart.
inline std::vector<double> steady(double time) {
  std::vector<double> out;
  for (int i = -4; i <= 4; ++i) out.push_back(time * (1 + 0.0002 * i));
  return out;
}

inline Record point(const Workload& workload, Outcome outcome, const std::string& id = {}) {
  Record out;
  out.id = id.empty() ? point_id(workload) : id;
  out.device_id = "cuda:0";
  out.device_name = "NVIDIA A100";
  out.workload = workload;
  out.account = account(workload);
  out.placement.bound =
      std::holds_alternative<PeakProbe>(workload) ? Bound::compute : Bound::memory;
  out.implementation = {{"provider", std::string("roofline")}};
  out.outcome = std::move(outcome);
  return out;
}

/// A GPU, where times are compared as they are.
inline Report run(std::vector<Record> points, const std::string& id = "one") {
  Report out;
  out.run.id = id;
  out.device_id = "cuda:0";
  out.device_name = "NVIDIA A100";
  out.environment = {{"driver_version", std::string("535.1")}, {"sm_count", std::uint64_t{108}}};
  out.points = std::move(points);
  return out;
}

inline Comparison compare(std::span<const Report> base, std::span<const Report> fresh,
                          const report::ComparisonOptions& options) {
  const auto reduced = [](std::span<const Report> side) {
    std::vector<report::ComparedRun> out;
    for (const Report& report : side) out.push_back(report::compared_run(report));
    return out;
  };
  return report::compare(reduced(base), reduced(fresh), options);
}

inline Comparison of(const Report& base, const Report& fresh, double threshold = 0.01) {
  return compare({&base, 1}, {&fresh, 1}, {threshold});
}

inline const ComparedPoint& the(const Comparison& comparison, const std::string& name) {
  for (const ComparedPoint& found : comparison.points) {
    if (found.name == name) return found;
  }
  throw std::runtime_error("no point " + name);
}

inline ComparedAs verdict(const Outcome& was, const Outcome& is, const Workload& workload = kRead) {
  const Report base = run({point(workload, was)});
  const Report fresh = run({point(workload, is)}, "two");
  return of(base, fresh).points.at(0).verdict;
}

}  // namespace roofline::comparing
