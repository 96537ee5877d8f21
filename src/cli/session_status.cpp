#include "cli/session_status.hpp"

namespace roofline::cli {
namespace {

/// Roofs that only serve the points that were asked for are no result by themselves.
struct Tally {
  std::size_t tried = 0;     ///< not skipped, of the kind that was asked for by name
  std::size_t measured = 0;  ///< of these
  std::size_t trusted = 0;   ///< of these
  std::size_t failed = 0;
  std::size_t incorrect = 0;
  std::size_t impossible = 0;
};

/// `device`: of its points only; empty: of all.
Tally tally(const Report& report, const SessionPlan& plan, const std::string& device = {}) {
  Tally out;
  for (const Record& record : report.points) {
    if (!device.empty() && record.device_id != device) continue;
    const bool asked = plan.asks_for(record.workload);
    if (asked && !std::holds_alternative<Skipped>(record.outcome)) ++out.tried;
    if (const auto* measured = std::get_if<Measured>(&record.outcome); measured && asked) {
      ++out.measured;
      if (trusted(measured->end)) ++out.trusted;
    }
    if (std::holds_alternative<Failed>(record.outcome)) ++out.failed;
    if (std::holds_alternative<Incorrect>(record.outcome)) ++out.incorrect;
    if (record.assessment && record.assessment->impossible) ++out.impossible;
  }
  return out;
}

/// Devices that something ran on without one figure that can be trusted.
std::vector<std::string> devices_without_result(const Report& report, const SessionPlan& plan) {
  std::vector<std::string> out;
  if (!of_several_devices(report)) return out;
  for (const ReportedDevice& device : report.devices) {
    const Tally found = tally(report, plan, device.id);
    if (found.tried > 0 && found.trusted == 0) out.push_back(device.id);
  }
  return out;
}

ExitStatus nothing_runs(Io& io) {
  io.err << "roofline: nothing that was asked for can run on this device; the table says why\n";
  return ExitStatus::not_available;
}

}  // namespace

ExitStatus planned_status(const std::vector<Work>& work, const Report& resumed,
                          const SessionPlan& plan, Io& io) {
  if (!resumed.points.empty()) return ExitStatus::ok;
  for (const Work& one : work) {
    for (const auto& point : one.points) {
      if (point.runnable && plan.asks_for(point.record.workload)) return ExitStatus::ok;
    }
  }
  return nothing_runs(io);
}

ExitStatus session_status(const Report& report, const SessionOptions& options,
                          const SessionPlan& plan, Io& io) {
  const Tally found = tally(report, plan);
  const std::size_t bad = found.failed + found.incorrect + found.impossible;
  if (bad > 0) {
    io.err << "roofline: of the points " << found.failed << " failed, " << found.incorrect
           << " gave wrong results and " << found.impossible
           << " came out above what can be; see the report\n";
  }
  if (report.run.end == RunEnd::budget_spent) {
    io.err << "roofline: the budget was spent before all points were measured; give more with "
              "--budget, or go on with --resume\n";
  }
  if (report.points.empty() && report.run.end == RunEnd::completed) {
    io.err << "roofline: nothing of " << report.run.suite << " is meant for this kind of device\n";
    return ExitStatus::not_available;
  }
  if (found.tried == 0 && report.run.end == RunEnd::completed) return nothing_runs(io);
  if (found.measured == 0) {
    io.err << "roofline: no point" << (plan.asked_kind.empty() ? "" : " that was asked for")
           << " gave a result that can be trusted\n";
    return ExitStatus::untrusted;
  }
  if (found.trusted == 0) {
    io.err << "roofline: every point was disturbed (other work, a falling clock or moved threads); "
              "run it on a quiet machine\n";
    return ExitStatus::untrusted;
  }
  const auto without = devices_without_result(report, plan);
  for (const std::string& device : without)
    io.err << "roofline: no point of " << device << " gave a result that can be trusted\n";
  if (!without.empty()) return ExitStatus::untrusted;
  if (options.strict && bad > 0) return ExitStatus::failed;
  return ExitStatus::ok;
}

}  // namespace roofline::cli
