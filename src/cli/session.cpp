#include "cli/session.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <set>
#include <span>

#include "cli/backend_choice.hpp"
#include "cli/dry_run.hpp"
#include "cli/interrupt.hpp"
#include "cli/operation_options.hpp"
#include "cli/progress.hpp"
#include "cli/rated_books.hpp"
#include "cli/recorder.hpp"
#include "cli/session_status.hpp"
#include "cli/terminal.hpp"
#include "cli/version.hpp"
#include "cli/watchdog.hpp"
#include "measure/sweep.hpp"
#include "report/format.hpp"
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

/// Of a device alone, beside what the environment says already.
Facts own_facts(const Facts& facts, const Facts& environment) {
  Facts out;
  for (const Fact& fact : facts) {
    if (std::find(environment.begin(), environment.end(), fact) == environment.end())
      out.push_back(fact);
  }
  return out;
}

Report new_report(const SessionPlan& plan, const ChosenDevices& chosen,
                  const Invocation& invocation) {
  Report out;
  out.tool_version = version();
  out.run.started = utc_now();
  out.run.id = out.run.started + "-" + std::to_string(getpid());
  out.run.command_line = invocation.command_line;
  out.run.suite = plan.suite;
  const backend::Device& first = chosen.targets.front().device;
  out.device_id = first.id;
  out.device_name = first.name;
  if (chosen.targets.size() == 1 && chosen.environment.empty()) {
    out.environment = first.facts;
    return out;
  }
  out.environment = chosen.environment;
  for (const Target& target : chosen.targets) {
    out.devices.push_back(
        {target.device.id, target.device.name, own_facts(target.device.facts, out.environment)});
  }
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

std::string devices_text(const Report& report) {
  if (!of_several_devices(report)) return report.device_id + ", " + report.device_name;
  std::string out;
  for (const ReportedDevice& device : report.devices)
    out += (out.empty() ? "" : "; ") + device.id + ", " + device.name;
  return out;
}

/// An earlier run may go on only on the devices and with the suite that it was begun with.
void require_same_run(const Report& earlier, const Report& now, const std::string& path) {
  const auto differs = [&](const std::string& what, const std::string& was, const std::string& is) {
    if (was == is) return;
    throw NotComparable("--resume: " + path + " was measured with the " + what + " '" + was +
                        "', not '" + is + "'; its points can't be mixed with new ones");
  };
  const std::string was = devices_text(earlier);
  const std::string is = devices_text(now);
  differs(of_several_devices(earlier) || of_several_devices(now) ? "devices" : "device", was, is);
  differs("suite or command", earlier.run.suite, now.run.suite);
}

/// What another attempt could make better is measured again.
bool is_finished(const Record& record) {
  if (const auto* measured = std::get_if<Measured>(&record.outcome)) return trusted(measured->end);
  return std::holds_alternative<Incorrect>(record.outcome);
}

/// A device, what is to be measured on it, and how long that should take.
struct Work {
  const Target* target;
  std::vector<measure::PlannedPoint> points;

  [[nodiscard]] Seconds expected() const {
    Seconds out;
    for (const auto& point : points) out = out + point.expected;
    return out;
  }
};

std::vector<Work> plan_work(const ChosenDevices& chosen, const SessionPlan& plan,
                            const Books& books) {
  std::vector<Work> out;
  for (const Target& target : chosen.targets) {
    Work work{&target, measure::plan_sweep(*target.backend, target.device,
                                           plan.points(backend::kind_of(target.device.id)),
                                           plan.sampling, books.at(target.device.id))};
    drop_idle_roofs(work.points, plan);
    out.push_back(std::move(work));
  }
  return out;
}

/// Takes the finished points of `earlier` into `report` and `books`, and off `all`.
void take_over(const Report& earlier, Report& report, Books& books, std::vector<Work>& all) {
  report.run.resumed_from = earlier.run.id;
  report.run.duration = earlier.run.duration;
  std::set<std::string> taken;
  for (const Record& record : earlier.points) {
    const auto book = books.find(record.device_id);
    if (!is_finished(record) || book == books.end()) continue;
    report.points.push_back(record);
    book->second.learn(record);
    taken.insert(point_key(record));
  }
  for (Work& work : all) {
    std::erase_if(work.points,
                  [&](const auto& point) { return taken.count(point_key(point.record)) != 0; });
  }
}

std::vector<std::string> keys_of(const std::vector<Work>& all) {
  std::vector<std::string> out;
  for (const Work& work : all) {
    for (const auto& point : work.points) out.push_back(point_key(point.record));
  }
  return out;
}

std::size_t points_left(const std::vector<Work>& all) {
  std::size_t out = 0;
  for (const Work& work : all) out += work.points.size();
  return out;
}

RunEnd run_end(measure::SweepEnd end) {
  switch (end) {
    case measure::SweepEnd::completed:
    case measure::SweepEnd::device_lost:  // its points say so
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
[[noreturn]] void give_up(const std::string& point, Recorder& recorder, const Books& books,
                          Io& io) {
  io.err << "roofline: " << point << " did not return; giving up (--point-timeout sets how long "
         << "to wait)\n";
  int status = static_cast<int>(ExitStatus::untrusted);
  try {
    recorder.finish(books, RunEnd::hung);
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

/// The part of the time that is left which a device gets: what it is expected to need of all that
/// those not yet measured need.
std::optional<Seconds> share_of(std::optional<Seconds> left, std::span<const Work> rest) {
  if (!left) return std::nullopt;
  Seconds all;
  for (const Work& work : rest) all = all + work.expected();
  if (in_second(all) <= 0) return left;
  return std::max(*left, second(0)) * (rest.front().expected() / all);
}

/// Measures the devices one after the other.
class Session {
 public:
  Session(const SessionPlan& plan, std::uint64_t seed, std::optional<Seconds> budget,
          std::optional<Seconds> timeout, Recorder& recorder, Books& books, Io& io)
      : plan_(plan),
        seed_(seed),
        budget_(budget),
        timeout_(timeout),
        recorder_(recorder),
        books_(books),
        io_(io) {}

  measure::SweepEnd run(std::vector<Work> all) {
    Progress progress(io_.err, stderr_redraws(), points_left(all));
    announce(all);
    const bool several = all.size() > 1;
    Watchdog watchdog([&](const std::string& point) { give_up(point, recorder_, books_, io_); });
    auto out = measure::SweepEnd::completed;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::span<const Work> rest(all.begin() + static_cast<std::ptrdiff_t>(i), all.end());
      const std::string prefix = several ? all[i].target->device.id + " " : "";
      const auto end = sweep(all[i], rest, prefix, progress, watchdog);
      watchdog.rest();
      if (end == measure::SweepEnd::device_lost) tell_lost(all[i], rest.size() > 1);
      if (end == measure::SweepEnd::budget_spent) out = end;
      if (end != measure::SweepEnd::interrupted) continue;
      out = end;
      break;
    }
    progress.done();
    return out;
  }

 private:
  /// A run of minutes says so before it begins.
  void announce(const std::vector<Work>& all) {
    constexpr double kLong = 90;
    Seconds expected;
    for (const Work& work : all) expected = expected + work.expected();
    if (budget_) expected = std::min(expected, *budget_);
    if (in_second(expected) < kLong) return;
    io_.err << "roofline: " << points_left(all) << " points";
    if (all.size() > 1) io_.err << " on " << all.size() << " devices";
    io_.err << ", about " << report::format(expected) << '\n';
  }

  measure::SweepEnd sweep(const Work& work, std::span<const Work> rest, const std::string& prefix,
                          Progress& progress, Watchdog& watchdog) {
    backend::Backend& backend = *work.target->backend;
    const std::size_t done = finished_;
    Seconds later;
    for (const Work& other : rest.subspan(1)) later = later + other.expected();
    const Seconds begin = backend.now();
    const auto end = measure::run_sweep(
        backend, work.target->device, work.points, {plan_.sampling, seed_, share_of(budget_, rest)},
        books_.at(work.target->device.id),
        {.running =
             [&](const auto& point, std::size_t finished, Seconds left) {
               watchdog.expect(prefix + point.record.id, step_limit(point, timeout_));
               progress.running(prefix + point.record.id, done + finished, left + later);
             },
         .finished =
             [&](const Record& record, Seconds left) {
               ++finished_;
               recorder_.add(record);
               progress.finished(prefix + record.id, left + later);
             },
         .stop = InterruptGuard::requested});
    if (budget_) budget_ = *budget_ - (backend.now() - begin);
    return end;
  }

  void tell_lost(const Work& work, bool more) {
    io_.err << "roofline: warning: "
            << spoken_name(work.target->device.id, work.target->device.name)
            << " was lost while it was measured; its other points failed"
            << (more ? ", and the next device is measured" : "") << '\n';
  }

  const SessionPlan& plan_;
  std::uint64_t seed_;
  std::optional<Seconds> budget_;  ///< what is left of it
  std::optional<Seconds> timeout_;
  Recorder& recorder_;
  Books& books_;
  Io& io_;
  std::size_t finished_ = 0;
};

ExitStatus list_points(const ChosenDevices& chosen, const SessionPlan& plan, Books& books, Io& io) {
  io.err << "roofline: measuring the roofs briefly, to predict; nothing else is measured\n";
  DryRun all;
  for (const Target& target : chosen.targets) {
    if (chosen.targets.size() > 1)
      io.out << spoken_name(target.device.id, target.device.name) << '\n';
    const DryRun one =
        dry_run(*target.backend, target.device, plan, books.at(target.device.id), io);
    all = {all.points + one.points, all.expected + one.expected};
  }
  io.out << all.points << " points, about " << report::format(all.expected) << '\n';
  return ExitStatus::ok;
}

}  // namespace

void add_session_options(CLI::App& app, SessionOptions& options) {
  app.add_option("--device", options.device,
                 "devices to measure: cpu, cuda:0, a GPU's UUID or name, a list of them, or all "
                 "(default: the first GPU that can be, else the CPU)");
  app.add_option("--require", options.require, "gpu: end with 3 where no GPU would be measured");
  app.add_option("-o,--output", options.output,
                 "write the report (JSON) to this file; - is standard output");
  app.add_option("--backend", options.backend,
                 "what measures: cpu, cuda, or scripted:FILE to replay a described machine");
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
  ChosenDevices chosen = choose_devices(options, io);
  Books books = rated_books(chosen, plan.config_dir, io);
  const std::string output = options.output.empty() ? options.resume : options.output;
  if (options.dry_run) {
    // A dry run also tells whether the report could be written, and leaves what is there alone.
    if (!output.empty()) (void)report::Sink(output);
    return list_points(chosen, plan, books, io);
  }

  std::vector<Work> work = plan_work(chosen, plan, books);
  const std::vector<std::string> order = keys_of(work);
  Report fresh = new_report(plan, chosen, invocation);
  std::optional<Report> earlier;
  if (!options.resume.empty()) {
    earlier = read_earlier_run(options.resume);
    require_same_run(*earlier, fresh, options.resume);
    take_over(*earlier, fresh, books, work);
    io.err << "roofline: resuming: " << fresh.points.size() << " points are done, "
           << points_left(work) << " are left\n";
  }
  fresh.run.seed = seed_of(options, earlier ? &*earlier : nullptr);
  const std::uint64_t seed = fresh.run.seed;

  Recorder recorder(output, std::move(fresh), order, io);
  const InterruptGuard guard;
  const measure::SweepEnd end =
      Session(plan, seed, budget, timeout, recorder, books, io).run(std::move(work));
  const Report& report = recorder.finish(books, run_end(end));
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
