#include "report/comparison_times.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "report/series.hpp"
#include "roofline/placement.hpp"
#include "roofline/statistics.hpp"

namespace roofline::report {
namespace {

/// The shortest time that a rated roof or an empty call leaves a point; 0 where neither is known.
double least_time(const Record& record, const Report& report) {
  double out = 0;
  const auto at_most = [&](double amount, double rate) {
    if (amount > 0 && rate > 0) out = std::max(out, amount / (kImpossible * rate));
  };
  const double bytes = total_traffic(record.account).as_double();
  const double work = record.account.work ? record.account.work->as_double() : 0;
  const auto rated = [](Origin origin) {
    return origin == Origin::datasheet || origin == Origin::user;
  };
  const auto& compute = record.roofs.compute;
  if (compute && rated(compute->origin)) at_most(work, compute->peak.si());
  for (const RoofEntry& entry : report.roofs) {
    const auto* const memory = std::get_if<MemoryRoof>(&entry.roof);
    if (memory == nullptr || memory->boundary != record.account.boundary) continue;
    if (!entry.device.empty() && entry.device != record.device_id) continue;
    if (rated(memory->origin)) at_most(bytes, memory->bandwidth.si());
  }
  // A measured floor may be beaten by a quieter moment, as other measured roofs may.
  const auto& overhead = record.roofs.overhead;
  const bool a_call_each = std::holds_alternative<Gemm>(record.workload) ||
                           std::holds_alternative<Projection>(record.workload) ||
                           std::holds_alternative<Elementwise>(record.workload);
  if (overhead && a_call_each)
    out = std::max(out, in_second(overhead->time) / kImpossibleOverMeasured);
  return out;
}

/// Of one FLOP where a probe chose how many an iteration has: two runs may choose otherwise.
double amount(const Record& record) {
  const bool probe = std::holds_alternative<PeakProbe>(record.workload);
  return probe && record.account.work ? std::max(1.0, record.account.work->as_double()) : 1.0;
}

void add_run(const Record& record, Times& out, std::vector<double>& clocks) {
  const auto& measured = std::get<Measured>(record.outcome);
  std::map<std::uint64_t, std::vector<double>> seconds;
  std::map<std::uint64_t, std::vector<double>> cycles;
  bool all_clocks = true;
  for (const Sample& sample : measured.samples) {
    if (!sample.clean() || sample.iterations == 0) continue;
    const bool has_clock = sample.clock && in_hertz(*sample.clock) > 0;
    const double time =
        in_second(sample.duration) / static_cast<double>(sample.iterations) / amount(record);
    seconds[sample.repetition].push_back(time);
    all_clocks = all_clocks && has_clock;
    if (!has_clock) continue;
    cycles[sample.repetition].push_back(time * in_hertz(*sample.clock));
    clocks.push_back(in_hertz(*sample.clock));
  }
  const auto levels = [](const auto& by_repetition) {
    RunLevels run;
    for (const auto& [repetition, times] : by_repetition) {
      if (const auto level = level_of(times)) run.push_back(*level);
    }
    return run;
  };
  out.records.push_back(&record);
  RunLevels in_seconds = levels(seconds);
  if (in_seconds.empty()) return;
  out.repetitions += in_seconds.size();
  out.seconds.push_back(std::move(in_seconds));
  if (all_clocks) out.cycles.push_back(levels(cycles));
}

}  // namespace

/// Why nothing may be held against this figure; nothing for one that may.
std::optional<std::string> why_unusable(const Found& found) {
  const Record& record = *found.record;
  if (auto why = unfit(record)) return why;
  const auto& measured = std::get<Measured>(record.outcome);
  if (measured.verification.state != VerificationState::verified) {
    return "its result is " + std::string(name(measured.verification.state));
  }
  if (in_second(measured.time_median) < least_time(record, *found.report)) {
    return "implausibly fast: shorter than a rated roof or an empty call allows";
  }
  return std::nullopt;
}

Times times_of(const std::vector<Found>& usable) {
  Times out;
  std::vector<double> clocks;
  std::vector<double> medians;
  for (const Found& found : usable) {
    add_run(*found.record, out, clocks);
    const auto& measured = std::get<Measured>(found.record->outcome);
    medians.push_back(in_second(measured.time_median) / amount(*found.record));
  }
  if (!medians.empty()) out.median_s = median(medians) * amount(*out.records.front());
  if (out.cycles.size() != out.seconds.size()) out.cycles.clear();
  if (!clocks.empty()) out.clock = median(clocks);
  return out;
}

}  // namespace roofline::report
