// What a device says of itself, and one device among its equals: the same points, the same name,
// another figure.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "diagnosis_symptoms.hpp"
#include "limits.hpp"
#include "prose.hpp"
#include "roofline/fact_lookup.hpp"
#include "roofline/statistics.hpp"

namespace roofline::symptom {

using prose::number;
using prose::percent;
using prose::text;

namespace {

/// GPUs of one name differ by less; the chips of a node by up to 5 % at their power limit.
constexpr double kSlow = 0.05;
/// So many times the scatter is no accident.
constexpr double kBeyondNoise = 3;

/// Figures of one point on one device.
struct Reading {
  const ReportedDevice* device;
  const Record* point;
  const Measured* measured;
};

using Readings = std::vector<Reading>;

/// What makes devices comparable: what they are called and how large they are.
std::string kind_of(const ReportedDevice& device) {
  std::string out = device.name;
  for (const char* key : {"sm_count", "memory_bytes"})
    out += "|" + number(number_fact(device.facts, key).value_or(0));
  return out;
}

/// The trusted readings of every point on devices of one kind, by kind and point.
std::map<std::string, Readings> comparable(const Report& report) {
  std::map<std::string, Readings> out;
  for (const Record& point : report.points) {
    const auto* measured = std::get_if<Measured>(&point.outcome);
    const bool settled = measured != nullptr && trusted(measured->end) &&
                         measured->end != MeasurementEnd::unsettled &&
                         usable(measured->time_median);
    if (!settled || std::holds_alternative<Launch>(point.workload)) continue;
    for (const ReportedDevice& device : report.devices) {
      if (device.id == point.device_id)
        out[kind_of(device) + "|" + point.id].push_back({&device, &point, measured});
    }
  }
  return out;
}

std::vector<double> times(const Readings& readings, const Reading& without) {
  std::vector<double> out;
  for (const Reading& one : readings) {
    if (one.device != without.device) out.push_back(in_second(one.measured->time_median));
  }
  return out;
}

struct Lag {
  Reading reading;
  double usual_s = 0;  ///< median time of the others
  std::size_t others = 0;

  [[nodiscard]] double time_s() const { return in_second(reading.measured->time_median); }
  /// Of the others' rate, the part that is missing.
  [[nodiscard]] double missing() const { return 1 - usual_s / time_s(); }
};

/// Nothing where the reading lies as far off as noise, or the spread among the others, explains.
std::optional<Lag> lag_of(const Reading& reading, const Readings& readings) {
  const std::vector<double> others = times(readings, reading);
  if (others.empty()) return std::nullopt;
  const Lag lag{reading, median(others), others.size()};
  if (lag.missing() <= kSlow) return std::nullopt;
  double noise = reading.measured->noise;
  for (const Reading& one : readings) noise = std::max(noise, one.measured->noise);
  const double spread = median_absolute_deviation(others) / lag.usual_s;
  const double excess = lag.time_s() / lag.usual_s - 1;
  if (excess <= kBeyondNoise * std::max(noise, spread)) return std::nullopt;
  return lag;
}

std::string value_text(const FactValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "yes" : "no";
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return std::to_string(*count);
  if (const auto* value_number = std::get_if<double>(&value)) return number(*value_number);
  if (const auto* list = std::get_if<std::vector<std::string>>(&value))
    return std::to_string(list->size());
  return "unknown";
}

/// Settings in which the device differs from what all its equals agree on.
std::string differences(const Report& report, const ReportedDevice& device) {
  std::string out;
  for (const char* key : {"power_limit_w", "clock_max_hz", "memory_clock_hz", "ecc",
                          "persistence_mode", "pcie_generation", "pcie_width", "other_processes"}) {
    const FactValue* own = find_fact(device.facts, key);
    const FactValue* common = nullptr;
    bool agree = own != nullptr;
    for (const ReportedDevice& other : report.devices) {
      if (&other == &device || kind_of(other) != kind_of(device)) continue;
      const FactValue* theirs = find_fact(other.facts, key);
      agree = agree && theirs != nullptr && (common == nullptr || *common == *theirs);
      common = theirs;
    }
    if (!agree || common == nullptr || *own == *common) continue;
    out +=
        "; its " + std::string(key) + " is " + value_text(*own) + ", theirs " + value_text(*common);
  }
  return out;
}

/// Of the clocks of the same point, where the device's is clearly lower.
std::string clocks(const Lag& lag, const Readings& readings) {
  if (!lag.reading.measured->clock) return {};
  std::vector<double> others;
  for (const Reading& one : readings) {
    if (one.device != lag.reading.device && one.measured->clock)
      others.push_back(in_hertz(*one.measured->clock));
  }
  if (others.empty()) return {};
  constexpr double kClearly = 0.97;
  const double usual = median(others);
  if (in_hertz(*lag.reading.measured->clock) > kClearly * usual) return {};
  return "; its clock was " + text(*lag.reading.measured->clock) + ", theirs " + text(hertz(usual));
}

std::string rate_text(const Record& point, double seconds) {
  const Account& account = point.account;
  const bool arithmetic =
      account.work && account.work->value() != 0 && point.placement.bound == Bound::compute;
  if (arithmetic) return text(flop(account.work->as_double()) / second(seconds));
  const Count bytes = total_traffic(account);
  if (bytes.value() != 0) return text(byte(bytes.as_double()) / second(seconds));
  if (account.work && account.work->value() != 0)
    return text(flop(account.work->as_double()) / second(seconds));
  return text(second(seconds));
}

std::string evidence_of(const Report& report, const Lag& worst, const Readings& readings,
                        std::size_t slow, std::size_t compared) {
  const Record& point = *worst.reading.point;
  std::string out =
      spoken_name(worst.reading.device->id, worst.reading.device->name) + " reaches " +
      rate_text(point, worst.time_s()) + " in " + point.id + " where " +
      (worst.others == 1 ? std::string("its equal reaches ")
                         : "the median of its " + std::to_string(worst.others) + " equals is ") +
      rate_text(point, worst.usual_s) + ", " + percent(worst.missing()) + " less";
  out += "; slow on " + std::to_string(slow) + " of " + std::to_string(compared) +
         (compared == 1 ? " point" : " points") + " that can be compared";
  return out + clocks(worst, readings) + differences(report, *worst.reading.device);
}

}  // namespace

std::optional<Symptom> rated_bandwidth_doubtful(const Report& report) {
  constexpr double kDisagrees = 0.10;
  const auto driver = number_fact(report.environment, "theoretical_bandwidth_byte_per_s");
  const auto rated = number_fact(report.environment, "catalogue_bandwidth_byte_per_s");
  if (!driver || !rated || std::abs(*driver / *rated - 1) <= kDisagrees) return std::nullopt;
  return Symptom{0.6, "the driver's figures give " + text(byte_per_s(*driver)) +
                          ", the catalogue has " + text(byte_per_s(*rated)) + ": " +
                          percent(std::abs(*driver / *rated - 1)) + " apart"};
}

std::optional<Symptom> power_limited(const Report& report) {
  constexpr double kClearly = 0.95;
  const auto limit = number_fact(report.environment, "power_limit_w");
  const auto own = number_fact(report.environment, "default_power_limit_w");
  if (!limit || !own || *limit >= kClearly * *own) return std::nullopt;
  return Symptom{0.7, "the power limit is " + number(*limit) + " W, " + percent(*limit / *own) +
                          " of the board's " + number(*own) + " W"};
}

std::vector<Symptom> slow_devices(const Report& report) {
  const auto groups = comparable(report);
  std::vector<Symptom> out;
  for (const ReportedDevice& device : report.devices) {
    std::optional<Lag> worst;
    const Readings* worst_group = nullptr;
    std::size_t compared = 0;
    std::vector<std::string> slow;
    for (const auto& [key, readings] : groups) {
      const auto own = std::find_if(readings.begin(), readings.end(),
                                    [&](const Reading& one) { return one.device == &device; });
      if (own == readings.end() || readings.size() < 2) continue;
      ++compared;
      const auto lag = lag_of(*own, readings);
      if (!lag) continue;
      slow.push_back(own->point->id);
      if (worst && worst->missing() >= lag->missing()) continue;
      worst = lag;
      worst_group = &readings;
    }
    if (!worst) continue;
    const double score = std::min(1.0, 0.6 + worst->missing());
    out.push_back({score, evidence_of(report, *worst, *worst_group, slow.size(), compared),
                   std::move(slow), device.id});
  }
  return out;
}

}  // namespace roofline::symptom
