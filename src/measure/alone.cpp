#include "measure/alone.hpp"

#include <algorithm>
#include <cmath>

#include "measure/time_text.hpp"

namespace roofline::measure {
namespace {

/// Of which all samples together make the figure.
constexpr std::size_t kMostBursts = 3;
/// A burst has room for its short warm-up and for the fewest samples that say anything.
constexpr double kFewestCalls = 1 + kFewestSamples;
/// A rest is asked in parts whether it is to end.
constexpr Seconds kPartOfRest = second(0.1);

bool agree(const Sample& one, const Sample& other, double within) {
  const auto near = [&](double ratio) { return std::abs(ratio - 1) <= within; };
  if (!(in_second(one.duration) > 0) || !(in_second(other.duration) > 0)) return false;
  if (!near(time_of_call(one) / time_of_call(other))) return false;
  return !one.clock || !other.clock || near(*one.clock / *other.clock);
}

bool idle_for(Seconds time, const Rest& rest, const StopRequested& stop) {
  for (Seconds left = time; in_second(left) > 0; left = left - kPartOfRest) {
    if (stop && stop()) return false;
    rest(std::min(left, kPartOfRest));
  }
  return true;
}

}  // namespace

LoneSampler::LoneSampler(backend::PreparedRun& run, const SamplingPlan& plan)
    : plan_(plan), calls_(run, plan.sample) {}

std::optional<Seconds> LoneSampler::calibrate(const StopRequested& stop) {
  constexpr double kTells = 0.75;
  std::uint64_t calls = 1;
  while (true) {
    if (stop && stop()) return std::nullopt;
    const Sample tried = calls_.time(calls);
    if (tried.duration >= kTells * plan_.sample) return time_of_call(tried);
    calls = calls_.more_calls(tried, plan_.sample);
  }
}

bool LoneSampler::burst(const Rest& rest, const StopRequested& stop) {
  auto call = calibrate(stop);
  if (!call) return false;
  const Seconds room = plan_.load.burst;
  // A first call that was slow says nothing of those that follow.
  if (kFewestCalls * *call > room) call = time_of_call(calls_.time(1));
  if (kFewestCalls * *call > room) {
    refusal_ = "one call takes " + time_text(*call) + ", so that a burst of " + time_text(room) +
               " has no room for three samples; use a smaller shape, or the duration sustained";
    return true;
  }
  calls_.fit(*call);
  Counted counted;
  do {
    if (!idle_for(plan_.load.rest, rest, stop) || !one_burst(stop)) return false;
    counted = count_samples(samples_);
  } while (counted.spoilt && bursts_ < kMostBursts);
  finish(counted);
  return true;
}

bool LoneSampler::one_burst(const StopRequested& stop) {
  ++bursts_;
  const Seconds begin = calls_.load();
  std::optional<Frequency> fastest = calls_.warm().clock;
  for (std::size_t taken = 0;
       taken < kFewestSamples || calls_.load() - begin + calls_.one_sample() <= plan_.load.burst;
       ++taken) {
    if (stop && stop()) return false;
    Sample sample = calls_.sample();
    fastest = std::max(fastest, sample.clock);
    // A burst ends when the clock falls or the power limit bites, however little time has passed.
    const bool fallen = sample.clock && *sample.clock < kFallenClock * *fastest;
    const bool over = fallen || power_capped(sample.telemetry);
    if (over && !sample.disturbance) sample.disturbance = Disturbance::throttled;
    samples_.push_back(std::move(sample));
    if (over) break;
  }
  return true;
}

bool LoneSampler::settle(Seconds call, Seconds least, const StopRequested& stop) {
  const LoadPlan& load = plan_.load;
  const Seconds begin = calls_.load();
  std::optional<Sample> previous;
  do {
    if (stop && stop()) return false;
    const Sample span = calls_.time(calls_for(load.span, call));
    call = time_of_call(span);
    settled_ = previous && agree(span, *previous, load.settled);
    previous = span;
    settling_ = calls_.load() - begin;
  } while (settling_ < load.settle_most && !(*settled_ && settling_ >= least));
  calls_.fit(call);
  return true;
}

bool LoneSampler::sustained(bool warm, const StopRequested& stop) {
  const auto call = calibrate(stop);
  if (!call || !settle(*call, least_settling(plan_.load, warm), stop)) return false;
  const TimeSpent over(plan_.load.sustained, plan_.min_samples, calls_.one_sample());
  Seconds spent;
  while (true) {
    if (stop && stop()) return false;
    samples_.push_back(calls_.sample());
    spent = spent + samples_.back().duration;
    const Counted counted = count_samples(samples_);
    if (!over.decide({counted, 1, spent})) continue;
    finish(counted);
    return true;
  }
}

void LoneSampler::finish(const Counted& counted) {
  const NarrowInterval narrow(plan_.target, plan_.confidence, kFewestSamples, 0);
  end_ = narrow.decide({counted, 1, calls_.load()}).value_or(MeasurementEnd::budget_spent);
  if (settled_ == false) end_ = MeasurementEnd::unsettled;
}

std::optional<Measured> LoneSampler::result(MeasurementEnd otherwise) const {
  if (!end_ && samples_.size() < kFewestSamples) return std::nullopt;
  return summarise(samples_, end_.value_or(otherwise), plan_.confidence);
}

Facts LoneSampler::facts() const {
  if (bursts_ > 0) {
    return {{"rest_s", in_second(plan_.load.rest)},
            {"burst_s", in_second(plan_.load.burst)},
            {"bursts", std::uint64_t{bursts_}}};
  }
  if (!settled_) return {};
  return {{"settling_s", in_second(settling_)}, {"settled", *settled_}};
}

}  // namespace roofline::measure
