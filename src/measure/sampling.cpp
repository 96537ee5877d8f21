#include "measure/sampling.hpp"

#include <algorithm>
#include <cmath>

namespace roofline::measure {
namespace {

/// The rate has settled when two spans of equal length agree this well.
constexpr double kSteadyRate = 0.02;

}  // namespace

bool Sampler::warm_up(const StopRequested& stop) {
  Seconds previous;
  std::uint64_t calls = 1;
  while (true) {
    if (stop && stop()) return false;
    const Sample span = calls_.time(calls);
    const Seconds call = time_of_call(span);
    const bool long_enough = span.duration >= plan_.warm_up / 4;
    const bool settled =
        long_enough && in_second(previous) > 0 && std::abs(call / previous - 1) < kSteadyRate;
    const Seconds spent = calls_.load();
    if (spent >= plan_.warm_up && (settled || spent >= 3 * plan_.warm_up)) {
      calls_.fit(call);
      rules_ = rules_for(plan_, calls_.one_sample());
      return true;
    }
    if (long_enough) previous = call;
    calls = calls_.more_calls(span, plan_.warm_up / 4);
  }
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
  const bool long_calls = calls_.calls() == 1 && calls_.one_sample() > 10 * plan_.sample;
  if (turns_ > 1 && !long_calls) {
    if (stop && stop()) return false;
    (void)calls_.warm();
  }
  const Seconds begin = spent_;
  for (std::size_t taken = 1;; ++taken) {
    if (stop && stop()) return false;
    samples_.push_back(calls_.sample());
    spent_ = spent_ + samples_.back().duration;
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
