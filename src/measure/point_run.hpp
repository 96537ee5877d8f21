// One point of a block of points that take turns: prepared, verified, warmed up, sampled turn by
// turn, and turned into an outcome. Failures end the point, not the block.
#pragma once

#include <memory>
#include <string>

#include "measure/alone.hpp"
#include "measure/sampling.hpp"
#include "measure/sweep.hpp"

namespace roofline::measure {

/// What a point that is measured alone needs beside its plan.
struct LoneRun {
  bool warm = false;  ///< the device has settled under such a load just before
  Rest rest;
};

class PointRun {
 public:
  /// `point` must outlive it; its record is filled in.
  explicit PointRun(PlannedPoint& point) : point_(point) {}

  [[nodiscard]] PlannedPoint& point() { return point_; }
  /// The record has its outcome.
  [[nodiscard]] bool done() const { return done_; }
  /// It ended because its device did.
  [[nodiscard]] bool device_lost() const { return lost_; }

  /// Prepares, verifies and warms up. False when `stop` asked for the end; the same for turn().
  [[nodiscard]] bool begin(backend::Backend& backend, const backend::Device& device,
                           const SamplingPlan& plan, const StopRequested& stop);
  [[nodiscard]] bool turn(const StopRequested& stop);
  /// Instead of both: prepares, verifies and samples it in one go, as its workload's duration
  /// wants.
  [[nodiscard]] bool begin_alone(backend::Backend& backend, const backend::Device& device,
                                 const SamplingPlan& plan, const LoneRun& how,
                                 const StopRequested& stop);

  /// Enough was sampled for a figure.
  [[nodiscard]] bool has_figure() const;

  void skip(std::string reason);
  void fail(std::string reason);
  /// Ends it with what was sampled. With too few samples it is skipped for `reason`, or, without
  /// one, left without an outcome.
  void end_with(MeasurementEnd end, const std::string& reason);
  /// Frees the buffers.
  void release();

 private:
  template <class Step>
  bool guarded(Step&& step);
  /// False when the result is wrong, which ends it.
  [[nodiscard]] bool prepare(backend::Backend& backend, const backend::Device& device);
  void finish(Outcome outcome);

  PlannedPoint& point_;
  std::unique_ptr<backend::PreparedRun> run_;
  std::optional<Sampler> sampler_;
  std::optional<LoneSampler> lone_;
  Verification verification_;
  bool done_ = false;
  bool lost_ = false;
};

}  // namespace roofline::measure
