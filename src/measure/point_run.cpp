#include "measure/point_run.hpp"

#include <new>

namespace roofline::measure {

/// Runs `step`; what it throws becomes the outcome. True unless `step` returned false.
template <class Step>
bool PointRun::guarded(Step&& step) {
  try {
    return step();
  } catch (const backend::DeviceLost& error) {
    lost_ = true;
    finish(Failed{error.what()});
  } catch (const backend::Refused& error) {
    finish(Skipped{error.what()});
  } catch (const backend::BackendError& error) {
    finish(Failed{error.what()});
  } catch (const std::bad_alloc&) {
    finish(Failed{"out of memory while preparing the point; use a smaller shape"});
  }
  return true;
}

void PointRun::finish(Outcome outcome) {
  Facts& facts = point_.record.implementation;  // what the plan said of it stays
  if (run_) {
    for (Fact& fact : run_->facts()) facts.push_back(std::move(fact));
  }
  if (lone_) {
    for (Fact& fact : lone_->facts()) facts.push_back(std::move(fact));
  }
  point_.record.outcome = std::move(outcome);
  done_ = true;
}

bool PointRun::prepare(backend::Backend& backend, const backend::Device& device) {
  run_ = backend.prepare(point_.record.workload, device);
  verification_ = run_->verify();
  if (verification_.state != VerificationState::incorrect) return true;
  finish(Incorrect{verification_});
  return false;
}

bool PointRun::begin(backend::Backend& backend, const backend::Device& device,
                     const SamplingPlan& plan, const StopRequested& stop) {
  return guarded([&] {
    if (!prepare(backend, device)) return true;
    sampler_.emplace(*run_, plan);
    return sampler_->warm_up(stop);
  });
}

bool PointRun::begin_alone(backend::Backend& backend, const backend::Device& device,
                           const SamplingPlan& plan, const LoneRun& how,
                           const StopRequested& stop) {
  return guarded([&] {
    if (!prepare(backend, device)) return true;
    lone_.emplace(*run_, plan);
    const bool burst = load_duration(point_.record.workload) == LoadDuration::burst;
    if (!(burst ? lone_->burst(how.rest, stop) : lone_->sustained(how.warm, stop))) return false;
    if (!lone_->refusal().empty()) {
      skip(lone_->refusal());
    } else {
      end_with(*lone_->end(), {});
    }
    return true;
  });
}

bool PointRun::turn(const StopRequested& stop) {
  return guarded([&] {
    if (!sampler_->turn(stop)) return false;
    if (sampler_->end()) end_with(*sampler_->end(), {});
    return true;
  });
}

bool PointRun::has_figure() const {
  return sampler_ && sampler_->result(MeasurementEnd::budget_spent).has_value();
}

void PointRun::skip(std::string reason) { finish(Skipped{std::move(reason)}); }

void PointRun::fail(std::string reason) { finish(Failed{std::move(reason)}); }

void PointRun::end_with(MeasurementEnd end, const std::string& reason) {
  std::optional<Measured> measured;
  if (sampler_) measured = sampler_->result(end);
  if (lone_) measured = lone_->result(end);
  if (measured) {
    measured->verification = verification_;
    finish(std::move(*measured));
  } else if (!reason.empty()) {
    skip(reason);
  }
}

void PointRun::release() {
  sampler_.reset();
  lone_.reset();
  run_.reset();
}

}  // namespace roofline::measure
