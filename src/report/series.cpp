#include "report/series.hpp"

#include <cmath>
#include <map>
#include <set>

#include "report/unknown.hpp"

namespace roofline::report {
namespace {

/// `numerator` per second, and its interval: that of the time, the other way round.
Figure rate(std::string_view key, Unit unit, double value, double numerator,
            const Measured& measured) {
  Figure out{key, unit, value, {}, {}};
  if (measured.time_interval && measured.time_interval->low > 0) {
    out.low = numerator / measured.time_interval->high;
    out.high = numerator / measured.time_interval->low;
  }
  return out;
}

void put(std::vector<Figure>& out, Figure figure) {
  if (!std::isfinite(figure.value)) return;
  if (!figure.low || !figure.high || !std::isfinite(*figure.low) || !std::isfinite(*figure.high)) {
    figure.low = figure.high = std::nullopt;
  }
  out.push_back(figure);
}

/// Whether a rate of work tells most of it: what its ceiling is a rate of, too.
bool counts_work(const Record& record) {
  return std::holds_alternative<Gemm>(record.workload) ||
         std::holds_alternative<PeakProbe>(record.workload) ||
         record.placement.bound == Bound::compute;
}

std::vector<Figure> figures_of(const Record& record) {
  const auto& measured = std::get<Measured>(record.outcome);
  const double time = in_second(measured.time_median);
  std::vector<Figure> work;
  std::vector<Figure> bytes;
  std::vector<Figure> rest;
  Figure duration{"time_median_s", Unit::second, time, {}, {}};
  if (measured.time_interval) {
    duration.low = measured.time_interval->low;
    duration.high = measured.time_interval->high;
  }
  put(rest, duration);
  if (const auto& assessment = record.assessment) {
    const bool works = !record.account.work || record.account.work->value() != 0;
    if (assessment->achieved && works) {
      const double value = assessment->achieved->si();
      put(work, rate("achieved_flop_per_s", Unit::flop_per_s, value, value * time, measured));
    }
    if (assessment->achieved_bandwidth) {
      const double value = assessment->achieved_bandwidth->si();
      put(bytes, rate("achieved_byte_per_s", Unit::byte_per_s, value, value * time, measured));
    }
    const auto share = [&](std::string_view key, const std::optional<double>& value) {
      if (value) put(rest, {key, Unit::share, *value, {}, {}});
    };
    // Of a roof by its own figure this says nothing.
    if (!record.defines_roof) share("of_ceiling", assessment->of_ceiling);
    if (works) share("mfu", assessment->mfu);
  }
  std::vector<Figure> out = counts_work(record) ? work : bytes;
  const std::vector<Figure>& second = counts_work(record) ? bytes : work;
  out.insert(out.end(), rest.begin(), rest.end());
  out.insert(out.end(), second.begin(), second.end());
  return out;
}

/// The names of devices by id; those of one name are told apart by their id.
std::map<std::string, std::string> device_names(const Report& report) {
  std::map<std::string, std::string> out;
  std::map<std::string, int> uses;
  if (report.devices.empty()) out[report.device_id] = report.device_name;
  for (const ReportedDevice& device : report.devices) {
    out[device.id] = device.name;
    ++uses[device.name];
  }
  for (auto& [id, name] : out) {
    if (name.empty()) name = id;
    if (uses[name] > 1) name += " " + id;
  }
  return out;
}

}  // namespace

std::optional<std::string> unfit(const Record& record) {
  if (const std::string_view why = reason(record.outcome); !why.empty()) {
    return std::string(outcome_name(record.outcome)) + ": " + std::string(why);
  }
  const auto* const measured = std::get_if<Measured>(&record.outcome);
  if (measured == nullptr) return std::string(outcome_name(record.outcome));
  if (!(in_second(measured->time_median) > 0)) return "it has no time";
  if (record.assessment && record.assessment->impossible) {
    return "impossible: it lies far above a roof";
  }
  if (!trusted(measured->end)) {
    return std::string(name(measured->end)) + ": the figure is not of this point alone";
  }
  if (measured->verification.state == VerificationState::incorrect)
    return "its result is incorrect";
  return std::nullopt;
}

bool is_unverified(const Record& record) {
  const auto* const measured = std::get_if<Measured>(&record.outcome);
  return measured != nullptr && measured->verification.state == VerificationState::unverified;
}

AllSeries series_of(const Report& report) {
  AllSeries out;
  const auto names = device_names(report);
  std::set<std::string> seen;
  for (const Record& record : report.points) {
    const std::string& id = record.device_id.empty() ? report.device_id : record.device_id;
    const auto known = names.find(id);
    const std::string device =
        known != names.end() ? known->second : (id.empty() ? report.device_name : id);
    const std::string name = device + "/" + record.id;
    if (!seen.insert(name).second) {
      out.left_out.push_back({name, &record, device, "another point has the same name", true});
    } else if (const auto why = unfit(record)) {
      out.left_out.push_back({name, &record, device, *why});
    } else {
      out.fit.push_back({name, &record, device, figures_of(record)});
    }
  }
  return out;
}

}  // namespace roofline::report
