#include "roofline/sample_summary.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace roofline {
namespace {

using Indices = std::vector<std::size_t>;

MeasurementEnd end_for(Disturbance disturbance) {
  switch (disturbance) {
    case Disturbance::contended:
      return MeasurementEnd::contended;
    case Disturbance::moved:
      return MeasurementEnd::placement_unstable;
    case Disturbance::throttled:
      break;
  }
  return MeasurementEnd::throttled;
}

/// What disturbed most of the samples that are disturbed.
MeasurementEnd commonest(const std::vector<Sample>& samples) {
  std::map<Disturbance, std::size_t> counts;
  for (const Sample& sample : samples) {
    if (sample.disturbance) ++counts[*sample.disturbance];
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? MeasurementEnd::contended : end_for(most->first);
}

/// The indices of the placement that most of `of` share; the earlier of two equal ones.
Indices commonest_placement(const std::vector<Sample>& samples, const Indices& of) {
  std::vector<std::pair<std::string, Indices>> groups;
  for (const std::size_t i : of) {
    const std::string& placement = samples[i].placement;
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& g) { return g.first == placement; });
    if (group == groups.end()) group = groups.insert(groups.end(), {placement, {}});
    group->second.push_back(i);
  }
  const auto most = std::max_element(
      groups.begin(), groups.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  return most == groups.end() ? Indices{} : most->second;
}

std::vector<double> clocks_hz(const std::vector<Sample>& samples, const Indices& of) {
  std::vector<double> out;
  for (const std::size_t i : of) {
    if (samples[i].clock) out.push_back(in_hertz(*samples[i].clock));
  }
  return out;
}

/// Those of `of` whose clock had fallen. Nothing where a clock is missing.
Indices at_fallen_clock(const std::vector<Sample>& samples, const Indices& of) {
  const std::vector<double> clocks = clocks_hz(samples, of);
  if (clocks.empty() || clocks.size() != of.size()) return {};
  const double fast = quantile(clocks, 0.9);
  Indices out;
  for (const std::size_t i : of) {
    if (in_hertz(*samples[i].clock) < kFallenClock * fast) out.push_back(i);
  }
  return out;
}

/// Standard errors of the median of a third that its distance from another may be.
constexpr double kErrors = 4;

bool is_unsettled(const std::vector<double>& times) {
  constexpr std::size_t kFewest = 12;
  if (times.size() < kFewest) return false;
  const std::size_t third = times.size() / 3;
  std::vector<double> medians;
  for (std::size_t part = 0; part < 3; ++part) {
    const auto begin = times.begin() + static_cast<std::ptrdiff_t>(part * third);
    const auto end = part == 2 ? times.end() : begin + static_cast<std::ptrdiff_t>(third);
    medians.push_back(median(std::vector<double>(begin, end)));
  }
  const auto [low, high] = std::minmax_element(medians.begin(), medians.end());
  const double centre = median(times);
  // Of normal noise: a deviation is 1.48 median absolute deviations, the error of a median of n
  // samples 1.25 deviations / sqrt(n).
  const double error =
      1.25 * 1.48 * median_absolute_deviation(times) / std::sqrt(static_cast<double>(third));
  return *high - *low > std::max(kSettled * centre, kErrors * error);
}

/// Each repetition of a point is a measurement of its own: they may differ, but must not drift.
bool any_unsettled(const std::vector<Sample>& samples, const Indices& of,
                   const std::vector<double>& times) {
  std::map<std::uint64_t, std::vector<double>> repetitions;
  for (std::size_t i = 0; i < of.size(); ++i)
    repetitions[samples[of[i]].repetition].push_back(times[i]);
  return std::any_of(repetitions.begin(), repetitions.end(),
                     [](const auto& entry) { return is_unsettled(entry.second); });
}

void mark(Counted& out, Indices& counting, const Indices& kept, Disturbance disturbance) {
  for (const std::size_t i : counting) {
    if (std::find(kept.begin(), kept.end(), i) == kept.end()) out.disturbance[i] = disturbance;
  }
  counting = kept;
}

/// Median of a member over the samples that count; over all where none does, as for the time.
template <class Value>
std::optional<Value> median_of(const std::vector<Sample>& samples,
                               std::optional<Value> Telemetry::*member, double (*as_number)(Value),
                               Value (*as_value)(double)) {
  const bool any_clean =
      std::any_of(samples.begin(), samples.end(), [](const Sample& s) { return s.clean(); });
  std::vector<double> known;
  for (const Sample& sample : samples) {
    const auto& value = sample.telemetry.*member;
    if (value && (sample.clean() || !any_clean)) known.push_back(as_number(*value));
  }
  if (known.empty()) return std::nullopt;
  return as_value(median(known));
}

double plain(double value) { return value; }

/// Samples are marked already. What disturbed one shows in its events, so these are of all.
Telemetry telemetry_of(const std::vector<Sample>& samples) {
  Telemetry out;
  for (const Sample& sample : samples) {
    const Telemetry& seen = sample.telemetry;
    out.temperature_c = std::max(out.temperature_c, seen.temperature_c);
    if (!seen.events) continue;
    ClockEvents events = out.events.value_or(ClockEvents{});
    events.add(*seen.events);
    out.events = events;
  }
  out.clock = median_of<Frequency>(samples, &Telemetry::clock, in_hertz, hertz);
  out.power_w = median_of<double>(samples, &Telemetry::power_w, plain, plain);
  return out;
}

}  // namespace

Counted count_samples(const std::vector<Sample>& samples) {
  Counted out;
  Indices counting;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    out.disturbance.push_back(samples[i].disturbance);
    if (samples[i].clean()) counting.push_back(i);
  }
  const std::size_t needed = std::min(kFewestSamples, samples.size());
  if (counting.size() < needed) {
    out.spoilt = commonest(samples);
    counting.clear();
    for (std::size_t i = 0; i < samples.size(); ++i) counting.push_back(i);
  }
  const Indices together = commonest_placement(samples, counting);
  if (!out.spoilt && together.size() < needed) out.spoilt = MeasurementEnd::placement_unstable;
  mark(out, counting, together, Disturbance::moved);

  const Indices fallen = at_fallen_clock(samples, counting);
  const bool mostly_fallen = 2 * fallen.size() > counting.size();
  if (mostly_fallen || counting.size() - fallen.size() < needed) {
    if (!out.spoilt && !fallen.empty()) out.spoilt = MeasurementEnd::throttled;
  } else if (!fallen.empty()) {
    Indices kept;
    std::set_difference(counting.begin(), counting.end(), fallen.begin(), fallen.end(),
                        std::back_inserter(kept));
    mark(out, counting, kept, Disturbance::throttled);
  }

  for (const std::size_t i : counting) {
    out.times_s.push_back(in_second(samples[i].duration) /
                          static_cast<double>(samples[i].iterations));
  }
  out.unsettled = any_unsettled(samples, counting, out.times_s);
  if (!counting.empty()) out.placement = samples[counting.front()].placement;
  const std::vector<double> clocks = clocks_hz(samples, counting);
  if (!clocks.empty()) out.clock = hertz(median(clocks));
  return out;
}

Measured summarise(std::vector<Sample> samples, MeasurementEnd end, double confidence) {
  if (samples.empty()) throw std::invalid_argument("a summary of no samples");
  const Counted counted = count_samples(samples);
  Measured out;
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i].disturbance = counted.disturbance[i];
  out.samples = std::move(samples);
  out.time_median = second(median(counted.times_s));
  out.time_interval = median_interval(counted.times_s, confidence);
  out.time_min = second(*std::min_element(counted.times_s.begin(), counted.times_s.end()));
  const double centre = in_second(out.time_median);
  out.noise = centre > 0 ? median_absolute_deviation(counted.times_s) / centre : 0;
  out.clock = counted.clock;
  out.placement = counted.placement;
  out.telemetry = telemetry_of(out.samples);
  out.end = end;
  if (end == MeasurementEnd::interrupted) return out;
  if (counted.unsettled) out.end = MeasurementEnd::unsettled;
  if (counted.spoilt) out.end = *counted.spoilt;
  return out;
}

}  // namespace roofline
