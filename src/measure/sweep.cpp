#include "measure/sweep.hpp"

#include <algorithm>
#include <random>
#include <set>

#include "measure/point_run.hpp"
#include "roofline/point_id.hpp"

namespace roofline::measure {
namespace {

/// So many points take turns with each other at most: what a killed run loses are those under way.
constexpr std::size_t kBlockPoints = 16;
/// Footprints are estimates.
constexpr double kOfMemory = 0.9;

PlannedPoint plan_point(backend::Backend& backend, const backend::Device& device,
                        const Workload& workload, const SamplingPlan& plan, const RoofBook& book) {
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
  const Roofs roofs = book.roofs_for(out.record.workload, out.record.account);
  out.expected = estimate(out.record.account, plan, place(out.record.account, roofs).floor);
  out.runnable = true;
  return out;
}

/// The same order for the same seed, whatever the standard library.
void shuffle(std::vector<PointRun*>& points, std::mt19937_64& random) {
  for (std::size_t i = points.size(); i > 1; --i) std::swap(points[i - 1], points[random() % i]);
}

class Sweep {
 public:
  Sweep(backend::Backend& backend, const backend::Device& device, std::vector<PlannedPoint>& points,
        const SweepSettings& settings, RoofBook& book, const SweepHooks& hooks)
      : backend_(backend),
        device_(device),
        points_(points),
        settings_(settings),
        book_(book),
        hooks_(hooks),
        random_(settings.seed),
        begin_(backend.now()) {
    for (const PlannedPoint& point : points) left_ = left_ + point.expected;
    if (!settings_.budget || left_ <= *settings_.budget) return;
    settings_.plan = fit_into(settings.plan, left_, *settings.budget);
    const double share = *settings_.budget / left_;
    left_ = second(0);
    for (PlannedPoint& point : points) {
      point.expected = share * point.expected;
      left_ = left_ + point.expected;
    }
  }

  SweepEnd run() {
    std::size_t next = 0;
    while (next < points_.size()) {
      if (stopped()) return SweepEnd::interrupted;
      const std::size_t end = block_end(next);
      if (!run_block(next, end)) return SweepEnd::interrupted;
      next = end;
      if (lost_.empty()) continue;
      for (; next < points_.size(); ++next) give_up(points_[next]);
      return SweepEnd::device_lost;
    }
    return out_of_time_ ? SweepEnd::budget_spent : SweepEnd::completed;
  }

 private:
  [[nodiscard]] bool stopped() const { return hooks_.stop && hooks_.stop(); }
  [[nodiscard]] bool budget_is_spent() const {
    return settings_.budget && backend_.now() - begin_ >= *settings_.budget;
  }

  /// Nothing from a device that can't say: the point that is prepared next tells why.
  [[nodiscard]] Bytes memory_left() const {
    try {
      return backend_.memory_left(device_);
    } catch (const backend::BackendError&) {
      return byte(0);
    }
  }

  /// The end of a block that begins at `begin`: points that all show roofs or all don't, that fit
  /// into memory together, and that are not too many.
  std::size_t block_end(std::size_t begin) {
    const bool roofs = defines_roofs(points_[begin].record.workload);
    const Bytes room = kOfMemory * memory_left();
    Bytes taken;
    std::size_t end = begin;
    std::size_t running = 0;
    for (; end < points_.size() && running < kBlockPoints; ++end) {
      const PlannedPoint& point = points_[end];
      if (defines_roofs(point.record.workload) != roofs) break;
      if (!point.runnable) continue;
      taken = taken + backend_.footprint(point.record.workload, device_);
      if (running > 0 && taken > room) break;
      ++running;
    }
    return std::max(end, begin + 1);
  }

  /// False when it was stopped.
  bool run_block(std::size_t begin, std::size_t end) {
    std::vector<std::unique_ptr<PointRun>> runs;
    std::vector<PointRun*> active;
    for (std::size_t i = begin; i < end; ++i) {
      PlannedPoint& point = points_[i];
      if (!point.runnable) {
        finish(point);
        continue;
      }
      // The roofs measured so far sharpen what is expected of these; none of them has run yet.
      point.record.prediction = predict(point.record.workload, point.record.account, book_);
      runs.push_back(std::make_unique<PointRun>(point));
      active.push_back(runs.back().get());
    }
    bool stop = false;
    shuffle(active, random_);
    for (PointRun* run : active) {
      if (stop || (stop = stopped())) break;
      if (budget_is_spent()) {
        out_of_time_ = true;
        run->skip("the budget of the session was spent before this point began");
        continue;
      }
      tell(run->point());
      stop = !run->begin(backend_, device_, settings_.plan, hooks_.stop);
      if (is_lost(*run)) break;
    }
    settle(active);
    while (!active.empty() && !stop) {
      shuffle(active, random_);
      for (PointRun* run : active) {
        if (stop || (stop = stopped())) break;
        if (budget_is_spent()) {
          out_of_time_ = true;
          run->end_with(MeasurementEnd::budget_spent,
                        "the budget of the session was spent after too few samples");
          continue;
        }
        tell(run->point());
        stop = !run->turn(hooks_.stop);
        if (is_lost(*run)) break;
      }
      settle(active);
    }
    if (!stop) return true;
    for (PointRun* run : active) run->end_with(MeasurementEnd::interrupted, {});
    settle(active);
    return false;
  }

  [[nodiscard]] std::string lost_sentence() const { return "the device was lost during " + lost_; }

  bool is_lost(PointRun& run) {
    if (run.device_lost()) lost_ = run.point().record.id;
    return run.device_lost();
  }

  /// A point that never began.
  void give_up(PlannedPoint& point) {
    if (point.runnable) point.record.outcome = Failed{lost_sentence()};
    finish(point);
  }

  /// Hands over what is done and keeps the rest; nothing is left of a device that was lost.
  void settle(std::vector<PointRun*>& active) {
    std::vector<PointRun*> rest;
    for (PointRun* run : active) {
      if (!lost_.empty() && !run->done()) run->fail(lost_sentence());
      if (!run->done()) {
        rest.push_back(run);
        continue;
      }
      run->release();
      book_.learn(run->point().record);
      finish(run->point());
    }
    active = std::move(rest);
  }

  void finish(PlannedPoint& point) {
    place_record(point.record, book_);
    ++finished_;
    left_ = left_ - point.expected;
    if (hooks_.finished) hooks_.finished(point.record, left());
  }

  [[nodiscard]] Seconds left() const { return std::max(left_, second(0)); }

  void tell(const PlannedPoint& point) const {
    if (hooks_.running) hooks_.running(point, finished_, left());
  }

  backend::Backend& backend_;
  const backend::Device& device_;
  std::vector<PlannedPoint>& points_;
  SweepSettings settings_;
  RoofBook& book_;
  const SweepHooks& hooks_;
  std::mt19937_64 random_;
  Seconds begin_;
  Seconds left_;
  std::size_t finished_ = 0;
  bool out_of_time_ = false;
  std::string lost_;  ///< id of the point that the device was lost during; empty while it is not
};

}  // namespace

std::vector<PlannedPoint> plan_sweep(backend::Backend& backend, const backend::Device& device,
                                     const std::vector<Workload>& workloads,
                                     const SamplingPlan& plan, const RoofBook& book) {
  std::vector<Workload> ordered = workloads;
  std::stable_partition(ordered.begin(), ordered.end(), defines_roofs);
  std::vector<PlannedPoint> out;
  std::set<std::string> seen;
  for (const Workload& workload : ordered) {
    PlannedPoint point = plan_point(backend, device, workload, plan, book);
    if (seen.insert(point.record.id).second) out.push_back(std::move(point));
  }
  return out;
}

SweepEnd run_sweep(backend::Backend& backend, const backend::Device& device,
                   std::vector<PlannedPoint> points, const SweepSettings& settings, RoofBook& book,
                   const SweepHooks& hooks) {
  return Sweep(backend, device, points, settings, book, hooks).run();
}

}  // namespace roofline::measure
