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
  } catch (const backend::BackendError& error) {
    finish(Failed{error.what()});
  } catch (const std::bad_alloc&) {
    finish(Failed{"out of memory while preparing the point; use a smaller shape"});
  }
  return true;
}

void PointRun::finish(Outcome outcome) {
  if (run_) point_.record.implementation = run_->facts();
  point_.record.outcome = std::move(outcome);
  done_ = true;
}

bool PointRun::begin(backend::Backend& backend, const backend::Device& device,
                     const SamplingPlan& plan, const StopRequested& stop) {
  return guarded([&] {
    run_ = backend.prepare(point_.record.workload, device);
    verification_ = run_->verify();
    if (verification_.state == VerificationState::incorrect) {
      finish(Incorrect{verification_});
      return true;
    }
    sampler_.emplace(*run_, plan);
    return sampler_->warm_up(stop);
  });
}

bool PointRun::turn(const StopRequested& stop) {
  return guarded([&] {
    if (!sampler_->turn(stop)) return false;
    if (sampler_->end()) end_with(*sampler_->end(), {});
    return true;
  });
}

void PointRun::skip(std::string reason) { finish(Skipped{std::move(reason)}); }

void PointRun::fail(std::string reason) { finish(Failed{std::move(reason)}); }

void PointRun::end_with(MeasurementEnd end, const std::string& reason) {
  auto measured = sampler_ ? sampler_->result(end) : std::nullopt;
  if (measured) {
    measured->verification = verification_;
    finish(std::move(*measured));
  } else if (!reason.empty()) {
    skip(reason);
  }
}

void PointRun::release() {
  sampler_.reset();
  run_.reset();
}

}  // namespace roofline::measure
