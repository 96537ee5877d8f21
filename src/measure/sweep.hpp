// A sweep: the points of a suite or a command, each predicted before it is measured and handed to a
// sink when done.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "measure/sampling.hpp"
#include "roofline/record.hpp"
#include "roofline/roof_book.hpp"

namespace roofline::measure {

/// A point that is about to run, or why it cannot.
struct PlannedPoint {
  Record record;  ///< id, device, workload, account, prediction; outcome Skipped when it can't run
                  ///< here
  bool runnable = false;
  Seconds expected;  ///< how long it should take
};

/// Resolves every workload against the backend and predicts its side from what `book` knows now. A
/// workload given twice is planned once.
[[nodiscard]] std::vector<PlannedPoint> plan_sweep(backend::Backend& backend,
                                                   const backend::Device& device,
                                                   const std::vector<Workload>& workloads,
                                                   const SamplingPlan& plan, const RoofBook& book);

struct SweepHooks {
  std::function<void(const PlannedPoint& point, std::size_t index, std::size_t count)> started;
  std::function<void(const Record& record)> finished;
  StopRequested stop;
};

/// Runs the points in order, roofs (peak probes and streams) before what is held against them.
/// `book` learns from each; a record is placed under the roofs known when it finished
/// (place_record() again once all are known), and its prediction is made before it is measured.
/// Returns true when it went through, false when `stop` ended it.
[[nodiscard]] bool run_sweep(backend::Backend& backend, const backend::Device& device,
                             std::vector<PlannedPoint> points, const SamplingPlan& plan,
                             RoofBook& book, const SweepHooks& hooks);

/// `gemm/bf16/4096x4096x4096`: the same in every run.
[[nodiscard]] std::string point_id(const Workload& workload);

}  // namespace roofline::measure
