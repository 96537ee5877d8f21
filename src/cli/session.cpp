#include "cli/session.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <set>

#include "cli/backend_choice.hpp"
#include "cli/dry_run.hpp"
#include "cli/interrupt.hpp"
#include "cli/operation_options.hpp"
#include "cli/progress.hpp"
#include "cli/recorder.hpp"
#include "cli/session_status.hpp"
#include "cli/terminal.hpp"
#include "cli/version.hpp"
#include "cli/watchdog.hpp"
#include "measure/sweep.hpp"
#include "report/json_writer.hpp"
#include "report/sink.hpp"
#include "report/table.hpp"
#include "roofline/error.hpp"
#include "roofline/quantity_text.hpp"
#include "roofline/roof_book.hpp"

namespace roofline::cli {
namespace {

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[] = "YYYY-MM-DDThh:mm:ssZ";
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

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

std::uint64_t seed_of(const SessionOptions& options, const Report* earlier) {
  if (!options.seed.empty()) return whole_option(options.seed, "--seed");
  if (earlier != nullptr && earlier->run.seed != 0) return earlier->run.seed;
  // A new order each time, so that what the order does to the figures doesn't repeat.
  return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()) %
             1'000'000 +
         1;
}

std::optional<Seconds> positive_seconds(const std::string& text, std::string_view what) {
  if (text.empty()) return std::nullopt;
  const Seconds out = parse_seconds(text, what);
  if (in_second(out) <= 0)
    throw InputError(std::string(what) + ": " + text + " is no time to measure in; give e.g. 60s");
  return out;
}

/// An earlier run may go on only on the device and with the suite that it was begun with.
void require_same_run(const Report& earlier, const Report& now, const std::string& path) {
  const auto differs = [&](const std::string& what, const std::string& was, const std::string& is) {
    if (was == is) return;
    throw NotComparable("--resume: " + path + " was measured with the " + what + " '" + was +
                        "', not '" + is + "'; its points can't be mixed with new ones");
  };
  differs("device", earlier.device_id + ", " + earlier.device_name,
          now.device_id + ", " + now.device_name);
  differs("suite or command", earlier.run.suite, now.run.suite);
}

/// What another attempt could make better is measured again.
bool is_finished(const Record& record) {
  if (const auto* measured = std::get_if<Measured>(&record.outcome)) return trusted(measured->end);
  return std::holds_alternative<Incorrect>(record.outcome);
}

/// Takes the finished points of `earlier` into `report` and `book`, and off `points`.
void take_over(const Report& earlier, Report& report, RoofBook& book,
               std::vector<measure::PlannedPoint>& points) {
  report.run.resumed_from = earlier.run.id;
  report.run.duration = earlier.run.duration;
  std::set<std::string> taken;
  for (const Record& record : earlier.points) {
    if (!is_finished(record)) continue;
    report.points.push_back(record);
    book.learn(record);
    taken.insert(record.id);
  }
  std::erase_if(points, [&](const auto& point) { return taken.count(point.record.id) != 0; });
}

std::vector<std::string> ids_of(const std::vector<measure::PlannedPoint>& points) {
  std::vector<std::string> out;
  out.reserve(points.size());
  for (const auto& point : points) out.push_back(point.record.id);
  return out;
}

RunEnd run_end(measure::SweepEnd end) {
  switch (end) {
    case measure::SweepEnd::completed:
      return RunEnd::completed;
    case measure::SweepEnd::budget_spent:
      return RunEnd::budget_spent;
    case measure::SweepEnd::interrupted:
      break;
  }
  return RunEnd::interrupted;
}

/// Says that a point hangs, saves what there is, and ends the program: the thread that hangs can't
/// be stopped.
[[noreturn]] void give_up(const std::string& point, Recorder& recorder, const RoofBook& book,
                          Io& io) {
  io.err << "roofline: " << point << " did not return; giving up (--point-timeout sets how long "
         << "to wait)\n";
  int status = static_cast<int>(ExitStatus::untrusted);
  try {
    recorder.finish(book, RunEnd::hung);
    recorder.save();
    io.err << "roofline: " << recorder.finished() << " finished points are kept"
           << (recorder.output().empty() ? "" : " in " + recorder.output()) << '\n';
  } catch (const std::exception& error) {
    io.err << "roofline: " << error.what() << '\n';
    status = static_cast<int>(ExitStatus::file);
  }
  io.err.flush();
  std::_Exit(status);
}

/// How long one step of a point may take: much more than it should.
std::chrono::duration<double> step_limit(const measure::PlannedPoint& point,
                                         std::optional<Seconds> asked) {
  constexpr double kLeast = 120;
  constexpr double kOfExpected = 20;
  if (asked) return std::chrono::duration<double>(in_second(*asked));
  return std::chrono::duration<double>(std::max(kLeast, kOfExpected * in_second(point.expected)));
}

}  // namespace

void add_session_options(CLI::App& app, SessionOptions& options) {
  app.add_option("--device", options.device,
                 "device to measure: cpu (default: the CPU, this build has no GPU)");
  app.add_option("-o,--output", options.output,
                 "write the report (JSON) to this file; - is standard output");
  app.add_option("--backend", options.backend,
                 "what measures: cpu, or scripted:FILE to replay a described machine");
  app.add_option("--resume", options.resume,
                 "go on with the run whose report or journal this is, into the same file");
  app.add_option(
      "--budget", options.budget,
      "time for the whole run, e.g. 60s; sampling is shortened, then points are skipped");
  app.add_option("--seed", options.seed,
                 "seed of the order in which points take turns (default: another each time)");
  app.add_option("--point-timeout", options.point_timeout,
                 "give up when a step of a point takes longer, e.g. 300s");
  app.add_option("--isa", options.isa,
                 "widest instruction set of the own kernels: portable, avx2, avx512");
  app.add_option("--threads", options.threads,
                 "threads to use, or all (default: every physical core allowed)");
  app.add_flag("--json", options.json, "print the report as JSON instead of a table");
  app.add_flag("--dry-run", options.dry_run,
               "list the points, their predicted side and time; measure only roofs");
  app.add_flag("--strict", options.strict, "exit with 1 when a point fails, is wrong or cannot be");
}

ExitStatus run_session(const SessionOptions& options, const SessionPlan& plan,
                       const Invocation& invocation, Io& io) {
  if (options.dry_run && (options.json || options.output == "-")) {
    throw InputError(
        "--dry-run measures nothing that a report could hold; leave out --json and -o -, or "
        "--dry-run");
  }
  const auto budget = positive_seconds(options.budget, "--budget");
  const auto timeout = positive_seconds(options.point_timeout, "--point-timeout");
  const ChosenBackend chosen = choose_backend(options, io);
  const backend::Device& device = chosen.device;
  RoofBook book;
  const std::string output = options.output.empty() ? options.resume : options.output;
  if (options.dry_run) {
    // A dry run also tells whether the report could be written, and leaves what is there alone.
    if (!output.empty()) (void)report::Sink(output);
    return dry_run(*chosen.backend, device, plan, book, io);
  }

  auto points = measure::plan_sweep(*chosen.backend, device,
                                    plan.points(backend::kind_of(device.id)), plan.sampling, book);
  drop_idle_roofs(points, plan);
  const std::vector<std::string> order = ids_of(points);
  Report fresh = new_report(plan, device, invocation);
  std::optional<Report> earlier;
  if (!options.resume.empty()) {
    earlier = read_earlier_run(options.resume);
    require_same_run(*earlier, fresh, options.resume);
    take_over(*earlier, fresh, book, points);
    io.err << "roofline: resuming: " << fresh.points.size() << " points are done, " << points.size()
           << " are left\n";
  }
  fresh.run.seed = seed_of(options, earlier ? &*earlier : nullptr);
  const measure::SweepSettings settings{plan.sampling, fresh.run.seed, budget};

  Recorder recorder(output, std::move(fresh), order, io);
  Progress progress(io.err, stderr_redraws(), points.size());
  const InterruptGuard guard;
  measure::SweepEnd end{};
  {
    Watchdog watchdog([&](const std::string& point) { give_up(point, recorder, book, io); });
    end = measure::run_sweep(*chosen.backend, device, std::move(points), settings, book,
                             {.running =
                                  [&](const auto& point, std::size_t finished, Seconds left) {
                                    watchdog.expect(point.record.id, step_limit(point, timeout));
                                    progress.running(point.record.id, finished, left);
                                  },
                              .finished =
                                  [&](const Record& record, Seconds left) {
                                    recorder.add(record);
                                    progress.finished(record.id, left);
                                  },
                              .stop = InterruptGuard::requested});
  }
  progress.done();
  const Report& report = recorder.finish(book, run_end(end));
  std::exception_ptr unwritten;
  try {
    recorder.save();
  } catch (const FileError&) {
    unwritten = std::current_exception();  // what was measured is shown all the same
  }
  if (options.output != "-") {
    io.out << (options.json ? report::to_json(report)
                            : report::render_table(report, stdout_style()));
  }
  if (unwritten) std::rethrow_exception(unwritten);
  if (const auto status = InterruptGuard::status();
      status && end == measure::SweepEnd::interrupted) {
    io.err << "roofline: interrupted; " << report.points.size() << " finished points are kept"
           << (output.empty() ? "" : " in " + output + "; go on with --resume " + output) << '\n';
    return *status;
  }
  return session_status(report, options, plan, io);
}

}  // namespace roofline::cli
