// A sweep: the points of a suite or a command, each predicted before it is measured, measured in
// turns with the others, and handed to a sink when done.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "measure/sampling_plan.hpp"
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
/// workload given twice is planned once. What shows a roof comes first.
[[nodiscard]] std::vector<PlannedPoint> plan_sweep(backend::Backend& backend,
                                                   const backend::Device& device,
                                                   const std::vector<Workload>& workloads,
                                                   const SamplingPlan& plan, const RoofBook& book);

struct SweepSettings {
  SamplingPlan plan;
  std::uint64_t seed = 1;  ///< of the order in which points take turns
  /// For the sweep as a whole, on the backend's clock; points that don't get any of it are skipped.
  std::optional<Seconds> budget = {};
  /// Which repetition of the points this sweep is, from 1; 0 where they have only one.
  std::uint64_t repetition = 0;
};

struct SweepHooks {
  /// Before each preparation, each warm-up and each turn: what runs now, how many points are done,
  /// and how long the rest is expected to take.
  std::function<void(const PlannedPoint& point, std::size_t finished, Seconds left)> running;
  /// `left`: as above, without this point.
  std::function<void(const Record& record, Seconds left)> finished;
  StopRequested stop;
};

enum class SweepEnd {
  completed,
  budget_spent,
  interrupted,
  device_lost,  ///< what was not finished by then failed for that reason
};

/// Runs the points: those that show roofs before those that are held against them, and within both
/// in blocks of as many as memory has room for, whose points take turns in an order that `seed`
/// decides. Bursts and sustained points come last, each alone. `book` learns from each; a record is
/// placed under the roofs known when it finished (place_record() again once all are known), and its
/// prediction is made before it is measured. Points that `stop` ended with enough samples are
/// finished as interrupted; others are not.
[[nodiscard]] SweepEnd run_sweep(backend::Backend& backend, const backend::Device& device,
                                 std::vector<PlannedPoint> points, const SweepSettings& settings,
                                 RoofBook& book, const SweepHooks& hooks);

}  // namespace roofline::measure
