#include "measure/sweep.hpp"

#include <algorithm>
#include <random>
#include <span>

#include "measure/point_run.hpp"
#include "measure/sweep_plan.hpp"
#include "measure/time_share.hpp"
#include "measure/time_text.hpp"

namespace roofline::measure {
namespace {

/// So many points take turns with each other at most: what a killed run loses are those under way.
constexpr std::size_t kBlockPoints = 16;
/// Footprints are estimates.
constexpr double kOfMemory = 0.9;

/// The same order for the same seed, whatever the standard library.
template <class Point>
void shuffle(std::span<Point> points, std::mt19937_64& random) {
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
        random_(settings.seed + settings.repetition),
        begin_(backend.now()) {
    put_in_order(points_);
    shuffle_lone();
    for (const PlannedPoint& point : points_) left_ = left_ + point.expected;
  }

  SweepEnd run() {
    std::size_t next = 0;
    while (next < points_.size()) {
      if (stopped()) return SweepEnd::interrupted;
      const std::size_t end = block_end(next);
      const bool lone = alone(phase_of(points_[next].record.workload));
      if (!(lone ? run_alone(points_[next]) : run_block(next, end))) return SweepEnd::interrupted;
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

  /// Those of one load, among each other: a slow drift must not fall on the same one each time.
  void shuffle_lone() {
    const auto together = [](const PlannedPoint& a, const PlannedPoint& b) {
      const Phase phase = phase_of(a.record.workload);
      if (phase != phase_of(b.record.workload)) return false;
      return phase == Phase::burst || same_load(a.record.workload, b.record.workload);
    };
    for (std::size_t begin = 0; begin < points_.size();) {
      std::size_t end = begin + 1;
      if (alone(phase_of(points_[begin].record.workload))) {
        while (end < points_.size() && together(points_[begin], points_[end])) ++end;
        shuffle(std::span(points_).subspan(begin, end - begin), random_);
      }
      begin = end;
    }
  }

  [[nodiscard]] Seconds budget_left() const {
    return *settings_.budget - (backend_.now() - begin_);
  }

  /// How a block is measured where time is short, and when it has had its part of it.
  struct BlockTime {
    SamplingPlan plan;
    Seconds due;  ///< that its points take, so shortened
    std::optional<Seconds> end = {};
  };

  /// What can't be foreseen of a point (its memory being filled, a search for its fastest kernel)
  /// is expected to be what it was for those before.
  [[nodiscard]] BlockTime time_for(std::size_t begin, std::size_t end) const {
    Seconds block;
    Seconds turns;
    Seconds lone;
    std::size_t in_block = 0;
    for (std::size_t i = begin; i < points_.size(); ++i) {
      const PlannedPoint& point = points_[i];
      if (!point.runnable) continue;
      const bool shortened = !alone(phase_of(point.record.workload));
      Seconds& sum = i < end ? block : shortened ? turns : lone;
      sum = sum + point.expected + (shortened ? unforeseen_ : second(0));
      if (i < end) ++in_block;
    }
    const Seconds overhead = static_cast<double>(in_block) * unforeseen_;
    const Seconds sampling = block - overhead;
    if (!settings_.budget) return {settings_.plan, sampling};
    const Seconds room = room_for(block, turns, lone, budget_left());
    const Seconds for_samples = std::max(room - overhead, second(0));
    return {fit_into(settings_.plan, sampling, for_samples), std::min(sampling, for_samples),
            backend_.now() + room};
  }

  /// Nothing from a device that can't say: the point that is prepared next tells why.
  [[nodiscard]] Bytes memory_left() const {
    try {
      return backend_.memory_left(device_);
    } catch (const backend::BackendError&) {
      return byte(0);
    }
  }

  /// The end of a block that begins at `begin`: points of one phase that fit into memory together,
  /// and that are not too many.
  std::size_t block_end(std::size_t begin) {
    const Phase phase = phase_of(points_[begin].record.workload);
    if (alone(phase)) return begin + 1;
    const Bytes room = kOfMemory * memory_left();
    Bytes taken;
    std::size_t end = begin;
    std::size_t running = 0;
    for (; end < points_.size() && running < kBlockPoints; ++end) {
      const PlannedPoint& point = points_[end];
      if (phase_of(point.record.workload) != phase) break;
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
    shuffle(std::span(active), random_);
    const BlockTime time = time_for(begin, end);
    const auto is_over = [&] { return time.end && backend_.now() >= *time.end; };
    const Seconds block_begin = backend_.now();
    std::size_t begun = 0;
    for (PointRun* run : active) {
      if (stop || (stop = stopped())) break;
      // One of each block begins as long as there is time at all.
      if (budget_is_spent() || (begun > 0 && is_over())) {
        out_of_time_ = true;
        run->skip(budget_is_spent() ? "the budget of the session was spent before this point began"
                                    : "its part of the session's budget was spent before this "
                                      "point began");
        continue;
      }
      tell(run->point());
      stop = !run->begin(backend_, device_, time.plan, hooks_.stop);
      ++begun;
      if (is_lost(*run)) break;
    }
    settle(active);
    while (!active.empty() && !stop) {
      shuffle(std::span(active), random_);
      for (PointRun* run : active) {
        if (stop || (stop = stopped())) break;
        if (budget_is_spent()) {
          out_of_time_ = true;
          run->end_with(MeasurementEnd::budget_spent,
                        "the budget of the session was spent after too few samples");
          continue;
        }
        if (is_over() && run->has_figure()) {
          run->end_with(MeasurementEnd::budget_spent, {});
          continue;
        }
        tell(run->point());
        stop = !run->turn(hooks_.stop);
        if (is_lost(*run)) break;
      }
      settle(active);
    }
    if (begun > 0) {
      const Seconds over = backend_.now() - block_begin - time.due;
      unforeseen_ = std::max(over / static_cast<double>(begun), second(0));
    }
    if (!stop) return true;
    for (PointRun* run : active) run->end_with(MeasurementEnd::interrupted, {});
    settle(active);
    return false;
  }

  /// Why a point that needs `needed` can't run any more; empty when it can. Shorter, it would be
  /// another figure.
  [[nodiscard]] std::string too_little_time(const PlannedPoint& point, Seconds needed) const {
    if (!settings_.budget) return {};
    const Seconds left = std::max(budget_left(), second(0));
    if (needed <= left) return {};
    return "a " + std::string(name(load_duration(point.record.workload))) + " figure takes about " +
           time_text(needed) + ", and of the session's budget " + time_text(left) +
           " are left; give more, or the duration turns";
  }

  /// A point that is measured with nothing of another one between its samples. False when it was
  /// stopped.
  bool run_alone(PlannedPoint& point) {
    if (!point.runnable) {
      finish(point);
      return true;
    }
    const Workload& workload = point.record.workload;
    const bool sustained = phase_of(workload) == Phase::sustained;
    LoneRun how{sustained && settled_ && same_load(*settled_, workload), {}};
    how.rest = [this](Seconds time) { backend_.rest(device_, time); };
    point.record.prediction = predict(workload, point.record.account, book_);
    const Seconds needed = expected_time(point.record, settings_.plan, book_, how.warm);
    PointRun run(point);
    std::vector<PointRun*> active{&run};
    bool stop = false;
    if (std::string reason = too_little_time(point, needed); !reason.empty()) {
      out_of_time_ = true;
      run.skip(std::move(reason));
    } else {
      tell(point);
      stop = !run.begin_alone(backend_, device_, plan_for_lone(), how, hooks_.stop);
      is_lost(run);
    }
    settled_.reset();
    if (sustained && std::holds_alternative<Measured>(point.record.outcome)) settled_ = workload;
    if (stop) run.end_with(MeasurementEnd::interrupted, {});
    settle(active);
    return !stop;
  }

  /// Settling ends with the budget, and then says that the device hasn't.
  [[nodiscard]] SamplingPlan plan_for_lone() const {
    SamplingPlan out = settings_.plan;
    if (!settings_.budget) return out;
    const Seconds left = budget_left();
    LoadPlan& load = out.load;
    load.settle_most = std::clamp(left - load.sustained, load.settle, load.settle_most);
    return out;
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
      finish(run->point());
    }
    active = std::move(rest);
  }

  void finish(PlannedPoint& point) {
    if (auto* const measured = std::get_if<Measured>(&point.record.outcome)) {
      for (Sample& sample : measured->samples) sample.repetition = settings_.repetition;
    }
    book_.learn(point.record);
    place_record(point.record, book_);
    ++finished_;
    left_ = left_ - point.expected;
    if (hooks_.finished) hooks_.finished(point.record, left());
  }

  [[nodiscard]] Seconds left() const {
    const Seconds left = settings_.budget ? std::min(left_, budget_left()) : left_;
    return std::max(left, second(0));
  }

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
  Seconds left_;        ///< that all points without an outcome are expected to take
  Seconds unforeseen_;  ///< by which the last points that took turns were longer, each
  std::size_t finished_ = 0;
  bool out_of_time_ = false;
  std::optional<Workload> settled_;  ///< what the device was under the load of just before
  std::string lost_;  ///< id of the point that the device was lost during; empty while it is not
};

}  // namespace

SweepEnd run_sweep(backend::Backend& backend, const backend::Device& device,
                   std::vector<PlannedPoint> points, const SweepSettings& settings, RoofBook& book,
                   const SweepHooks& hooks) {
  return Sweep(backend, device, points, settings, book, hooks).run();
}

}  // namespace roofline::measure
