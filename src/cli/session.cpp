#include "cli/session.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <exception>

#include "cli/backend_choice.hpp"
#include "cli/dry_run.hpp"
#include "cli/interrupt.hpp"
#include "cli/operation_options.hpp"
#include "cli/rated_books.hpp"
#include "cli/recorder.hpp"
#include "cli/run_identity.hpp"
#include "cli/session_status.hpp"
#include "cli/terminal.hpp"
#include "cli/turns.hpp"
#include "cli/version.hpp"
#include "cli/work.hpp"
#include "report/format.hpp"
#include "report/json_writer.hpp"
#include "report/sink.hpp"
#include "report/table.hpp"
#include "roofline/error.hpp"
#include "roofline/fact_lookup.hpp"
#include "roofline/quantity_text.hpp"
#include "roofline/roof_book.hpp"

namespace roofline::cli {
namespace {

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
  out.run = new_run(plan.suite, invocation);
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

std::uint64_t seed_of(const SessionOptions& options, const Report* earlier) {
  if (!options.seed.empty()) return whole_option(options.seed, "--seed");
  if (earlier != nullptr && earlier->run.seed != 0) return earlier->run.seed;
  // A new order each time, so that what the order does to the figures doesn't repeat.
  return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()) %
             1'000'000 +
         1;
}

std::uint64_t repetitions_of(const SessionOptions& options) {
  constexpr std::uint64_t kMost = 1000;
  const std::uint64_t out = whole_option(options.repeat, "--repeat");
  if (out == 0 || out > kMost)
    throw InputError("--repeat: " + options.repeat + " is not between 1 and 1000");
  return out;
}

/// What the points say of their devices once all repetitions are there: a roof is of the whole
/// point, as its own figure is.
Books learned_again(Books rated, const std::vector<Record>& points) {
  for (const Record& record : points) {
    const auto book = rated.find(record.device_id);
    if (book != rated.end()) book->second.learn(record);
  }
  return rated;
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

/// Whether algorithms were chosen as they are now; only products of a GPU say. An empty call always
/// takes the first one.
void require_same_choice(const Report& earlier, const SessionOptions& options) {
  const std::string now = options.algo.empty() ? "best" : options.algo;
  for (const Record& record : earlier.points) {
    if (!std::holds_alternative<Gemm>(record.workload)) continue;
    const std::string was = text_fact(record.implementation, "algo_of");
    if (was.empty() || was == now) continue;
    throw NotComparable("--resume: " + record.id + " was measured with --algo " + was + ", not " +
                        now + "; its points can't be mixed with new ones");
  }
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
  app.add_option("--repeat", options.repeat,
                 "measure all points so often, each time prepared anew, so that roofline compare "
                 "can tell how much they vary")
      ->capture_default_str();
  app.add_option("--seed", options.seed,
                 "seed of the order in which points take turns (default: another each time)");
  app.add_option("--point-timeout", options.point_timeout,
                 "give up when a step of a point takes longer, e.g. 300s");
  app.add_option("--isa", options.isa,
                 "widest instruction set of the own kernels: portable, avx2, avx512");
  app.add_option("--algo", options.algo,
                 "GPU: which of the GEMM library's algorithms runs: best, of those that it "
                 "suggests, by timing them, or its first suggestion (default: best)");
  app.add_option("--libcublaslt", options.libcublaslt,
                 "GPU: path of the GEMM library (default: ROOFLINE_CUBLASLT, then the loader's "
                 "search, toolkits and Python packages)");
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
  const std::uint64_t repetitions = repetitions_of(options);
  ChosenDevices chosen = choose_devices(options, io);
  Books books = rated_books(chosen, plan.config_dir, io);
  const std::string output = options.output.empty() ? options.resume : options.output;
  if (options.dry_run) {
    // A dry run also tells whether the report could be written, and leaves what is there alone.
    if (!output.empty()) (void)report::Sink(output);
    io.err << "roofline: measuring the roofs briefly, to predict; nothing else is measured\n";
    for (const Target& target : chosen.targets) {
      glance_at_roofs(target, plan.points(backend::kind_of(target.device.id)),
                      books.at(target.device.id));
    }
  }

  const Books rated = books;
  std::vector<Work> work = plan_work(chosen, plan, books, repetitions);
  const std::vector<std::string> order = keys_of(work);
  Report fresh = new_report(plan, chosen, invocation);
  std::optional<Report> earlier;
  if (!options.resume.empty()) {
    earlier = read_earlier_run(options.resume);
    require_same_run(*earlier, fresh, options.resume);
    require_same_choice(*earlier, options);
    take_over(*earlier, fresh, books, work);
    const std::size_t again = earlier->points.size() - fresh.points.size();
    io.err << "roofline: resuming: " << fresh.points.size() << " points are done, "
           << points_left(work) << " are left"
           << (again == 0
                   ? ""
                   : " (" + std::to_string(again) + " of them skipped, failed or disturbed before)")
           << '\n';
  }
  if (options.dry_run) {
    list_points(work, budget, io);
    return planned_status(work, fresh, plan, io);
  }
  fresh.run.seed = seed_of(options, earlier ? &*earlier : nullptr);
  const TurnSettings settings{plan.sampling, fresh.run.seed, budget, timeout};

  Recorder recorder(output, std::move(fresh), order, io);
  const InterruptGuard guard;
  const measure::SweepEnd end = measure_in_turn(std::move(work), settings, recorder, books, io);
  const bool repeated = repetitions > 1;
  const Report& report =
      recorder.finish(repeated ? learned_again(rated, recorder.points()) : books, run_end(end));
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
           << (output.empty()
                   ? ""
                   : " in " + output + "; to go on, give the command again with --resume " + output)
           << '\n';
    return *status;
  }
  return session_status(report, options, plan, io);
}

}  // namespace roofline::cli
