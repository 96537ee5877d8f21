#include "measure/sampling.hpp"

#include <algorithm>
#include <cmath>

namespace roofline::measure {
namespace {

/// The rate has settled when two spans of equal length agree this well.
constexpr double kSteadyRate = 0.02;
constexpr std::uint64_t kMostIterations = 1'000'000'000;
/// A sample that lasts less than this share of the plan's length is taken again, with more calls.
constexpr double kLongEnough = 0.75;
constexpr int kRecalibrations = 3;

std::uint64_t iterations_for(Seconds wanted, Seconds call) {
  if (in_second(call) <= 0) return 1;
  const double calls = std::ceil(wanted / call);
  return static_cast<std::uint64_t>(std::clamp(calls, 1.0, static_cast<double>(kMostIterations)));
}

}  // namespace

bool Sampler::warm_up(const StopRequested& stop) {
  Seconds spent;
  Seconds previous;
  std::uint64_t iterations = 1;
  while (true) {
    if (stop && stop()) return false;
    const Sample span = run_.time(iterations);
    const Seconds call = span.duration / static_cast<double>(span.iterations);
    spent = spent + span.duration;
    const bool long_enough = span.duration >= plan_.warm_up / 4;
    const bool settled =
        long_enough && in_second(previous) > 0 && std::abs(call / previous - 1) < kSteadyRate;
    if (spent >= plan_.warm_up && (settled || spent >= 3 * plan_.warm_up)) {
      iterations_ = iterations_for(plan_.sample, call);
      one_sample_ = static_cast<double>(iterations_) * call;
      rules_ = rules_for(plan_, one_sample_);
      return true;
    }
    if (long_enough) previous = call;
    // A clock that shows nothing for a span (a coarse one, or a replayed time of zero) must not end
    // in a loop.
    iterations = in_second(span.duration) > 0
                     ? std::min(iterations * 8, iterations_for(plan_.warm_up / 4, call))
                     : iterations * 8;
    if (iterations > kMostIterations) {
      throw backend::BackendError("the timer shows no time passing for a billion calls");
    }
  }
}

// Calls look longer than they are when they were calibrated beside another program's work, or on a
// clock that was still low. Too short a sample fits between two turns of that program and looks
// clean.
void Sampler::take_sample() {
  Sample sample = run_.time(iterations_);
  for (int left = kRecalibrations; left > 0; --left) {
    if (sample.duration >= kLongEnough * plan_.sample || in_second(sample.duration) <= 0) break;
    const Seconds call = sample.duration / static_cast<double>(sample.iterations);
    iterations_ = iterations_for(plan_.sample, call);
    sample = run_.time(iterations_);
  }
  spent_ = spent_ + sample.duration;
  samples_.push_back(sample);
}

bool Sampler::quiet(const Counted& counted, std::size_t taken) const {
  const std::size_t turns = std::max<std::size_t>(1, plan_.turns);
  const std::size_t share = (plan_.min_samples + turns - 1) / turns;
  const NarrowInterval narrow(plan_.target, plan_.confidence, share, 0);
  return taken >= share && narrow.decide({counted, turns_, spent_}).has_value();
}

bool Sampler::turn(const StopRequested& stop) {
  const Seconds length = plan_.budget / static_cast<double>(std::max<std::size_t>(1, plan_.turns));
  ++turns_;
  // A call that lasts for many samples pays for its cold start itself.
  const bool long_calls = iterations_ == 1 && one_sample_ > 10 * plan_.sample;
  if (turns_ > 1 && !long_calls) {
    if (stop && stop()) return false;
    (void)run_.time(iterations_);
  }
  const Seconds begin = spent_;
  for (std::size_t taken = 1;; ++taken) {
    if (stop && stop()) return false;
    take_sample();
    const Counted counted = count_samples(samples_);
    end_ = decide(rules_, {counted, turns_, spent_});
    // A quiet point leaves the rest of its turn to the others.
    if (end_ || spent_ - begin >= length || quiet(counted, taken)) return true;
  }
}

std::optional<Measured> Sampler::result(MeasurementEnd otherwise) const {
  if (!end_ && samples_.size() < kFewestSamples) return std::nullopt;
  return summarise(samples_, end_.value_or(otherwise), plan_.confidence);
}

}  // namespace roofline::measure
