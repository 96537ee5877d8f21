#include "cli/analytic_points.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/configs.hpp"
#include "cli/families.hpp"
#include "cli/operation_options.hpp"
#include "cli/version.hpp"
#include "cli/warnings.hpp"
#include "roofline/error.hpp"
#include "roofline/point_id.hpp"
#include "roofline/quantity_text.hpp"

namespace roofline::cli {
namespace {

/// `4096x14336:1:64:x2`: the shape, and the rows after the first colon.
void add_matvecs(std::vector<OperationOptions>& out, const std::string& text,
                 const OperationOptions& base) {
  const std::size_t colon = text.find(':');
  OperationOptions one = base;
  one.matvec = text.substr(0, colon);
  const std::string rows = colon == std::string::npos ? "1" : text.substr(colon + 1);
  if (rows.empty()) {
    throw InputError("--matvec: '" + text +
                     "' names no rows after the colon; write for example 4096x14336:1:64:x2");
  }
  for (const std::uint64_t count : parse_axis(rows, "--matvec")) {
    one.rows = std::to_string(count);
    out.push_back(one);
  }
}

std::vector<OperationOptions> operations_of(const AnalyticOptions& o) {
  std::vector<OperationOptions> out;
  std::vector<std::string> types{""};
  if (!o.dtype.empty()) types = split_list(o.dtype, "--dtype");
  for (const std::string& type : types) {
    OperationOptions base;
    base.dtype = type;
    const auto add = [&](const std::vector<std::string>& texts, std::string OperationOptions::*of) {
      for (const std::string& text : texts) {
        OperationOptions one = base;
        one.*of = text;
        out.push_back(std::move(one));
      }
    };
    add(o.gemm, &OperationOptions::gemm);
    OperationOptions projection = base;
    projection.weights = o.weights;
    for (const std::string& text : o.matvec) add_matvecs(out, text, projection);
    add(o.stream, &OperationOptions::stream);
    add(o.elementwise, &OperationOptions::elementwise);
    add(o.intensity, &OperationOptions::intensity);
  }
  if (out.size() > kMaxPoints) {
    throw InputError(std::to_string(out.size()) + " points are more than a chart can show; use " +
                     std::to_string(kMaxPoints) + " at most");
  }
  return out;
}

/// Roofs that stand under several points are in the report once.
void keep_once(std::vector<RoofEntry>& roofs, RoofEntry entry) {
  const auto same = [&](const RoofEntry& other) {
    if (other.name != entry.name || other.roof.index() != entry.roof.index()) return false;
    if (const auto* one = std::get_if<ComputeRoof>(&entry.roof))
      return one->peak == std::get<ComputeRoof>(other.roof).peak;
    if (const auto* one = std::get_if<MemoryRoof>(&entry.roof))
      return one->bandwidth == std::get<MemoryRoof>(other.roof).bandwidth;
    return true;
  };
  if (std::none_of(roofs.begin(), roofs.end(), same)) roofs.push_back(std::move(entry));
}

void add_point(Report& report, const OperationOptions& options, const RoofOptions& roofs,
               const machine::Catalogue& catalogue, std::vector<std::string>& warnings) {
  const Operation operation = make_operation(options, false);
  Record record;
  record.workload = operation.workload;
  record.account = account(operation.workload, operation.boundary, operation.tile);
  ChosenRoofs chosen = choose_roofs(roofs, operation, record.account, catalogue);
  for (const std::string& warning : chosen.warnings) {
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end())
      warnings.push_back(warning);
  }
  report.device_id = record.device_id = chosen.device_id;
  report.device_name = record.device_name = chosen.device_name;
  record.roofs = std::move(chosen.roofs);
  record.placement = place(record.account, record.roofs);
  if (record.placement.ridge) record.rows = rows_to_ridge(record.workload, *record.placement.ridge);
  record.id = point_id(record.workload);
  record.outcome = Skipped{"placed by arithmetic alone; nothing was run"};
  if (const auto& roof = record.roofs.compute)
    keep_once(report.roofs, {std::string(name(roof->key)), *roof, {}});
  if (const auto& roof = record.roofs.memory)
    keep_once(report.roofs, {roof->origin == Origin::measured ? "measured" : "rated", *roof, {}});
  report.points.push_back(std::move(record));
}

}  // namespace

void add_analytic_options(CLI::App& app, AnalyticOptions& o) {
  constexpr const char* group = "Without a report: operations, as in roofline explain";
  // One value each time, so that what follows may be something else.
  const auto add = [&](const char* option, std::vector<std::string>& to, const std::string& help) {
    return app.add_option(option, to, help)->allow_extra_args(false)->group(group);
  };
  add("--gemm", o.gemm, "matrix products, MxNxK,...")->delimiter(',');
  add("--matvec", o.matvec, "projection D_INxD_OUT, and its rows: 4096x14336:1:64:x2");
  add("--stream", o.stream, stream_kind_list())->delimiter(',');
  add("--elementwise", o.elementwise, "an elementwise operation over N elements")->delimiter(',');
  add("--intensity", o.intensity, "bare kernels by their FLOP/byte, with --dtype")->delimiter(',');
  app.add_option("--dtype", o.dtype, "types that are computed in, e.g. bf16,fp8")->group(group);
  app.add_option("--weights", o.weights, "type the weights of --matvec are stored in")
      ->group(group);
  add_roof_options(app, o.roofs);
  add_config_option(app, o.config_dir);
}

bool names_operations(const AnalyticOptions& o) {
  return !(o.gemm.empty() && o.matvec.empty() && o.stream.empty() && o.elementwise.empty() &&
           o.intensity.empty());
}

std::vector<Report> analytic_reports(const AnalyticOptions& o, const Invocation& invocation,
                                     Io& io) {
  const machine::Catalogue catalogue = load_catalogue(o.config_dir);
  std::vector<std::string> devices{""};
  if (!o.roofs.device.empty()) devices = split_list(o.roofs.device, "--device");
  const std::vector<OperationOptions> all = operations_of(o);
  std::vector<Report> out;
  std::vector<std::string> warnings;
  for (const std::string& device : devices) {
    RoofOptions roofs = o.roofs;
    roofs.device = device;
    Report report;
    report.tool_version = version();
    report.run.command_line = invocation.command_line;
    for (const OperationOptions& one : all) add_point(report, one, roofs, catalogue, warnings);
    out.push_back(std::move(report));
  }
  warn_each(io, warnings);
  return out;
}

}  // namespace roofline::cli
