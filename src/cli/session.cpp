#include "cli/session.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>

#include "backend/cpu/cpu_backend.hpp"
#include "cli/dry_run.hpp"
#include "cli/interrupt.hpp"
#include "cli/operation_options.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "cli/version.hpp"
#include "measure/sweep.hpp"
#include "report/json_writer.hpp"
#include "report/sink.hpp"
#include "report/table.hpp"
#include "roofline/error.hpp"
#include "roofline/roof_book.hpp"

namespace roofline::cli {
namespace {

using SteadyClock = std::chrono::steady_clock;

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[] = "YYYY-MM-DDThh:mm:ssZ";
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

/// The CPU is the default where there is no GPU; anything else asked for by name is not in this
/// build.
void require_cpu(const std::string& device, Io& io) {
  if (device.empty()) {
    io.err << "roofline: measuring the CPU (GPU support is not in this build)\n";
    return;
  }
  if (device == "cpu") return;
  throw NotAvailable("--device: '" + device +
                     "' is not here; this build measures the device cpu only" +
                     (device.starts_with("cuda") ? " (GPU support is not in this build)" : ""));
}

cpu::CpuOptions cpu_options(const SessionOptions& options) {
  cpu::CpuOptions out;
  if (!options.threads.empty() && options.threads != "all") {
    const std::uint64_t threads = whole_option(options.threads, "--threads");
    if (threads > 4096)
      throw InputError("--threads: " + options.threads + " is more than 4096; use all");
    out.threads = static_cast<unsigned>(threads);
  }
  return out;
}

/// A wish for more threads than there are is granted in part, and that is said.
void tell_thread_limit(const cpu::CpuOptions& asked, const backend::Device& device, Io& io) {
  for (const Fact& fact : device.facts) {
    const auto* used = fact.key == "threads" ? std::get_if<std::uint64_t>(&fact.value) : nullptr;
    if (used == nullptr || asked.threads <= *used) continue;
    io.err << "roofline: warning: --threads: " << asked.threads
           << " are more than this process may use; measuring with " << *used << '\n';
  }
}

/// The session's report so far, and where it goes.
class Recorder {
 public:
  Recorder(const SessionOptions& options, Report report) : report_(std::move(report)) {
    if (!options.output.empty()) sink_.emplace(options.output);
  }

  void add(const Record& record, const RoofBook& book) {
    report_.points.push_back(record);
    // What is finished is on disk before the next point starts, marked as unfinished business.
    report_.run.interrupted = true;
    if (sink_ && sink_->is_file()) save(book);
  }

  Report& finish(const RoofBook& book, bool interrupted) {
    report_.run.interrupted = interrupted;
    for (Record& record : report_.points) place_record(record, book);
    save(book);
    return report_;
  }

 private:
  void save(const RoofBook& book) {
    report_.roofs = book.entries();
    const std::chrono::duration<double> spent = SteadyClock::now() - started_;
    report_.run.duration = second(spent.count());
    if (sink_) sink_->replace(report::to_json(report_));
  }

  Report report_;
  std::optional<report::Sink> sink_;
  SteadyClock::time_point started_ = SteadyClock::now();
};

Report new_report(const SessionPlan& plan, const backend::Device& device,
                  const Invocation& invocation) {
  Report out;
  out.tool_version = version();
  out.run.started = utc_now();
  out.run.id = out.run.started + "-" + std::to_string(getpid());
  out.run.command_line = invocation.command_line;
  out.run.suite = plan.suite;
  out.environment = device.facts;
  out.device_id = device.id;
  out.device_name = device.name;
  return out;
}

struct Tally {
  std::size_t measured = 0;
  std::size_t asked = 0;  ///< not skipped, of the kind that was asked for by name
  std::size_t contended = 0;
  std::size_t skipped = 0;
  std::size_t failed = 0;
  std::size_t incorrect = 0;
  std::size_t impossible = 0;
};

Tally tally(const Report& report, const SessionPlan& plan) {
  Tally out;
  for (const Record& record : report.points) {
    const bool skipped = std::holds_alternative<Skipped>(record.outcome);
    if (!skipped && kind_name(record.workload) == plan.asked_kind) ++out.asked;
    if (const auto* measured = std::get_if<Measured>(&record.outcome)) {
      ++out.measured;
      if (measured->end == MeasurementEnd::contended) ++out.contended;
    }
    if (skipped) ++out.skipped;
    if (std::holds_alternative<Failed>(record.outcome)) ++out.failed;
    if (std::holds_alternative<Incorrect>(record.outcome)) ++out.incorrect;
    if (record.assessment && record.assessment->impossible) ++out.impossible;
  }
  return out;
}

ExitStatus status_of(const Tally& found, const SessionOptions& options, const SessionPlan& plan,
                     Io& io) {
  if (found.failed + found.incorrect + found.impossible > 0) {
    io.err << "roofline: " << found.failed << " points failed, " << found.incorrect
           << " gave wrong results, " << found.impossible
           << " are above what can be; see the report\n";
  }
  if (!plan.asked_kind.empty() && found.asked == 0) {
    io.err << "roofline: nothing that was asked for can run on this device; the table says why\n";
    return ExitStatus::not_available;
  }
  if (found.measured == 0) {
    io.err << "roofline: no point gave a result that can be trusted\n";
    return ExitStatus::untrusted;
  }
  if (found.contended == found.measured) {
    io.err << "roofline: other work disturbed every point; run it on a quiet machine\n";
    return ExitStatus::untrusted;
  }
  if (options.strict && found.failed + found.incorrect + found.impossible > 0)
    return ExitStatus::failed;
  return ExitStatus::ok;
}

/// Roofs that nothing will be held against are not worth measuring: only the refusals are left.
void drop_idle_roofs(std::vector<measure::PlannedPoint>& points, const SessionPlan& plan) {
  if (plan.asked_kind.empty()) return;
  const auto wanted = [&](const measure::PlannedPoint& point) {
    return kind_name(point.record.workload) == plan.asked_kind;
  };
  const bool any = std::any_of(points.begin(), points.end(),
                               [&](const auto& point) { return point.runnable && wanted(point); });
  if (!any) std::erase_if(points, [&](const auto& point) { return !wanted(point); });
}

}  // namespace

void add_session_options(CLI::App& app, SessionOptions& options) {
  app.add_option("--device", options.device,
                 "device to measure: cpu (default: the CPU, this build has no GPU)");
  app.add_option("-o,--output", options.output,
                 "write the report (JSON) to this file; - is standard output");
  app.add_option("--threads", options.threads,
                 "threads to use, or all (default: every physical core allowed)");
  app.add_flag("--json", options.json, "print the report as JSON instead of a table");
  app.add_flag("--dry-run", options.dry_run,
               "list the points, their predicted side and time; measure only roofs");
  app.add_flag("--strict", options.strict, "exit with 1 when a point fails, is wrong or cannot be");
}

ExitStatus run_session(const SessionOptions& options, const SessionPlan& plan,
                       const Invocation& invocation, Io& io) {
  const cpu::CpuOptions limits = cpu_options(options);
  if (options.dry_run && (options.json || options.output == "-")) {
    throw InputError(
        "--dry-run measures nothing that a report could hold; leave out --json and -o -, or "
        "--dry-run");
  }
  require_cpu(options.device, io);
  const auto backend = cpu::make_cpu_backend(limits);
  const backend::Device device = backend->devices().at(0);
  tell_thread_limit(limits, device, io);
  RoofBook book;
  if (options.dry_run) {
    // A dry run also tells whether the report could be written, and leaves what is there alone.
    if (!options.output.empty()) (void)report::Sink(options.output);
    return dry_run(*backend, device, plan, book, io);
  }

  auto points = measure::plan_sweep(*backend, device, plan.workloads, plan.sampling, book);
  drop_idle_roofs(points, plan);
  Recorder recorder(options, new_report(plan, device, invocation));
  Progress progress(io.err, stderr_redraws(), points);
  const InterruptGuard guard;
  const bool complete =
      measure::run_sweep(*backend, device, std::move(points), plan.sampling, book,
                         {.started = [&](const auto& point, std::size_t index,
                                         std::size_t) { progress.started(point, index); },
                          .finished = [&](const Record& record) { recorder.add(record, book); },
                          .stop = InterruptGuard::requested});
  progress.done();
  const Report& report = recorder.finish(book, !complete);
  const bool json_on_stdout = options.output == "-";
  if (!json_on_stdout) {
    io.out << (options.json ? report::to_json(report)
                            : report::render_table(report, stdout_style()));
  }
  if (const auto status = InterruptGuard::status(); status && !complete) {
    io.err << "roofline: interrupted; " << report.points.size() << " finished points are kept"
           << (options.output.empty() ? "" : " in " + options.output) << '\n';
    return *status;
  }
  return status_of(tally(report, plan), options, plan, io);
}

}  // namespace roofline::cli
