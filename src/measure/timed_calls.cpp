#include "measure/timed_calls.hpp"

#include <algorithm>
#include <cmath>

namespace roofline::measure {
namespace {

/// A sample that lasts less than this share of its length is taken again, with more calls.
constexpr double kLongEnough = 0.75;
constexpr int kRecalibrations = 3;

}  // namespace

std::uint64_t calls_for(Seconds wanted, Seconds call) {
  if (in_second(call) <= 0) return 1;
  const double calls = std::ceil(wanted / call);
  return static_cast<std::uint64_t>(std::clamp(calls, 1.0, static_cast<double>(kMostCalls)));
}

Seconds time_of_call(const Sample& sample) {
  return sample.duration / static_cast<double>(sample.iterations);
}

Sample TimedCalls::time(std::uint64_t calls) {
  Sample out = run_.time(calls);
  load_ = load_ + out.duration;
  return out;
}

// A clock that shows nothing for a span (a coarse one, or a replayed time of zero) must not end in
// a loop.
std::uint64_t TimedCalls::more_calls(const Sample& tried, Seconds wanted) const {
  constexpr std::uint64_t kFactor = 8;
  const std::uint64_t most = tried.iterations * kFactor;
  const std::uint64_t out =
      in_second(tried.duration) > 0 ? std::min(most, calls_for(wanted, time_of_call(tried))) : most;
  if (out > kMostCalls)
    throw backend::BackendError("the timer shows no time passing for a billion calls");
  return out;
}

void TimedCalls::fit(Seconds call) {
  calls_ = calls_for(sample_, call);
  one_sample_ = static_cast<double>(calls_) * call;
}

// Calls look longer than they are when they were calibrated beside another program's work, or on a
// clock that was still low. Too short a sample fits between two turns of that program and looks
// clean.
Sample TimedCalls::sample() {
  Sample out = time(calls_);
  for (int left = kRecalibrations; left > 0; --left) {
    if (out.duration >= kLongEnough * sample_ || in_second(out.duration) <= 0) break;
    calls_ = calls_for(sample_, time_of_call(out));
    out = time(calls_);
  }
  return out;
}

}  // namespace roofline::measure
