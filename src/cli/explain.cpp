#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/configs.hpp"
#include "cli/operation_options.hpp"
#include "cli/roof_options.hpp"
#include "cli/terminal.hpp"
#include "cli/warnings.hpp"
#include "report/explanation_text.hpp"
#include "report/format.hpp"
#include "report/json_writer.hpp"
#include "roofline/error.hpp"
#include "roofline/quantity_text.hpp"

namespace roofline::cli {
namespace {

struct Options {
  OperationOptions operation;
  RoofOptions roofs;
  std::string achieved;
  std::string time;
  std::string executed;
  std::string config_dir;
  bool json = false;
  bool strict = false;
};

bool observed(const Options& o) { return !o.achieved.empty() || !o.time.empty(); }

Observation make_observation(const Options& o, const Account& account) {
  if (!o.achieved.empty() && !o.time.empty()) {
    throw InputError("--achieved and --time both say how fast it was; give one");
  }
  Observation out;
  if (o.achieved.ends_with("B/s")) {
    out.achieved_bandwidth = parse_bandwidth(o.achieved, "--achieved");
  } else if (!o.achieved.empty()) {
    out.achieved = parse_performance(o.achieved, "--achieved");
  }
  if (!o.time.empty()) {
    if (!account.work)
      throw InputError("--time needs work to divide: name an operation, or give --achieved");
    out.time = parse_seconds(o.time, "--time");
  }
  if (!o.executed.empty()) {
    if (!account.work || !observed(o)) {
      throw InputError("--executed-flop needs an operation with work, and --time or --achieved");
    }
    out.executed = parse_count(o.executed, "FLOP", "--executed-flop");
    if (*out.executed < *account.work) {
      throw InputError(
          "--executed-flop is less than the work of the operation; HFU counts at least that");
    }
  }
  return out;
}

/// The ratio that shows it: the work that was executed can be too much where the work of the
/// operation is not.
std::string impossible_ratio(const Assessment& found) {
  if (found.hfu && *found.hfu > found.of_ceiling.value_or(0))
    return report::format_percent(*found.hfu) + " of its peak (HFU)";
  return report::format_percent(found.of_ceiling.value_or(0)) + " of its ceiling";
}

ExitStatus explain(const CLI::App& app, const Options& o, Io& io) {
  const Operation operation = make_operation(o.operation, observed(o));
  refuse_unfit_options(app, operation);
  Explanation out;
  out.workload = operation.workload;
  out.account = account(operation.workload, operation.boundary, operation.tile);
  const Observation observation = make_observation(o, out.account);
  const machine::Catalogue catalogue = load_catalogue(o.config_dir);
  ChosenRoofs chosen = choose_roofs(o.roofs, operation, out.account, catalogue);
  warn_each(io, chosen.warnings);
  out.device_id = chosen.device_id;
  out.device_name = chosen.device_name;
  out.roofs = std::move(chosen.roofs);
  out.placement = place(out.account, out.roofs);
  if (operation.boundary != Boundary::dram) {
    out.rows.reason = "rows that share a read of the weights are counted at DRAM only";
  } else if (out.placement.ridge) {
    out.rows = rows_to_ridge(out.workload, *out.placement.ridge);
  }
  if (observed(o))
    out.assessment = assess(out.account, out.roofs, out.placement, observation, chosen.context);

  io.out << (o.json ? report::explain_json(out) : report::render_explanation(out, stdout_style()));
  const bool impossible = out.assessment && out.assessment->impossible;
  if (impossible) {
    const std::vector<Cause>& causes = out.assessment->causes;
    warn(io, "the reading is " + impossible_ratio(*out.assessment) + ", which cannot be" +
                 (causes.empty() ? "" : "; likeliest: " + causes.front().text.str()));
  }
  return impossible && o.strict ? ExitStatus::failed : ExitStatus::ok;
}

}  // namespace

Action add_explain(CLI::App& app, const Invocation&) {
  auto options = std::make_shared<Options>();
  add_operation_options(app, options->operation);
  add_roof_options(app, options->roofs);
  constexpr const char* group = "Observed";
  app.add_option("--achieved", options->achieved,
                 "rate that was reached, e.g. 232TFLOP/s or 1.6TB/s")
      ->group(group);
  app.add_option("--time", options->time, "time that it took, e.g. 1ms")->group(group);
  app.add_option("--executed-flop", options->executed,
                 "FLOP executed, recomputation included (for HFU)")
      ->group(group);
  app.add_flag("--json", options->json, "print JSON");
  app.add_flag("--strict", options->strict, "exit with 1 when the reading cannot be");
  add_config_option(app, options->config_dir);
  return [options, &app](Io& io) { return explain(app, *options, io); };
}

}  // namespace roofline::cli
