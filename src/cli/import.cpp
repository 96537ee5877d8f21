#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/configs.hpp"
#include "cli/imported_devices.hpp"
#include "cli/operation_options.hpp"
#include "cli/report_input.hpp"
#include "cli/run_identity.hpp"
#include "cli/terminal.hpp"
#include "cli/version.hpp"
#include "cli/warnings.hpp"
#include "profile/kernel_table.hpp"
#include "report/json_writer.hpp"
#include "report/sink.hpp"
#include "report/table.hpp"
#include "roofline/diagnosis.hpp"
#include "roofline/error.hpp"

namespace roofline::cli {
namespace {

struct ImportOptions {
  std::string format;
  std::string path;
  RoofOptions roofs;
  std::string dtype;
  std::string output;
  std::string config_dir;
  bool json = false;
  bool strict = false;
};

std::string spoken_path(const std::string& path) { return path == "-" ? "standard input" : path; }

/// The records of all kernels, each under the roofs of its device.
std::vector<Record> placed_records(const profile::KernelTable& table, ImportedDevices& devices,
                                   const std::string& source) {
  for (const profile::TimedKernel& kernel : table.kernels) (void)devices.of(kernel);
  devices.add_stated_roofs(table.kernels);
  std::vector<Record> out;
  out.reserve(table.kernels.size());
  for (const profile::TimedKernel& kernel : table.kernels) {
    const ImportedDevice& device = devices.of(kernel);
    Record record = profile::record_of(kernel, device.device.id, device.device.name, source);
    place_record(record, device.book);
    if (!record.roofs.compute) {
      const std::string reason = devices.missing_peak(device, kernel);
      if (!reason.empty()) record.roofs.compute_reason = reason;
    }
    out.push_back(std::move(record));
  }
  profile::tell_apart(out);
  return out;
}

Report report_of(const profile::KernelTable& table, ImportedDevices& devices,
                 const std::string& source, const Invocation& invocation) {
  Report out;
  out.tool_version = version();
  out.run = new_run("import csv", invocation);
  out.environment = {{"imported_from", source},
                     {"imported_rows", static_cast<std::uint64_t>(table.rows)}};
  out.points = placed_records(table, devices, source);
  const bool several = devices.all().size() > 1;
  for (const ImportedDevice* device : devices.all()) {
    out.devices.push_back(device->device);
    for (RoofEntry entry : device->book.entries()) {
      if (several) entry.device = device->device.id;
      out.roofs.push_back(std::move(entry));
    }
  }
  out.device_id = out.devices.front().id;
  out.device_name = out.devices.front().name;
  diagnose(out);
  return out;
}

std::size_t impossible_points(const Report& report) {
  return static_cast<std::size_t>(std::count_if(
      report.points.begin(), report.points.end(),
      [](const Record& point) { return point.assessment && point.assessment->impossible; }));
}

ExitStatus import(const ImportOptions& options, const Invocation& invocation, Io& io) {
  if (options.format != "csv") {
    throw InputError("import: '" + options.format +
                     "' is not a kind of file that is known; csv is, as in roofline import csv "
                     "kernels.csv");
  }
  require_other_file(options.output, options.path, "the table itself");
  require_other_than_roofs(options.output, options.roofs);
  const std::string source = spoken_path(options.path);
  std::optional<DType> dtype;
  if (!options.dtype.empty()) dtype = dtype_option(options.dtype, "--dtype");
  const profile::KernelTable table =
      profile::read_kernel_table(report::read_file(options.path), source, dtype);
  for (const std::string& note : table.notes) io.err << "roofline: " << note << '\n';
  const machine::Catalogue catalogue = load_catalogue(options.config_dir);
  ImportedDevices devices(options.roofs, catalogue, source);
  const Report report = report_of(table, devices, source, invocation);
  warn_each(io, devices.warnings());
  if (!options.output.empty()) {
    report::Sink(options.output).replace([&](const report::TextSink& to) {
      report::write_json(report, to);
    });
  }
  if (options.output != "-" && options.json) {
    report::write_json(report, [&](std::string_view text) { io.out << text; });
  } else if (options.output != "-") {
    io.out << report::render_table(report, stdout_style());
  }
  const std::size_t impossible = impossible_points(report);
  if (impossible == 0) return ExitStatus::ok;
  warn(io, std::to_string(impossible) + (impossible == 1 ? " reading" : " readings") +
               " cannot be; roofline audit says what may be wrong");
  return options.strict ? ExitStatus::failed : ExitStatus::ok;
}

}  // namespace

Action add_import(CLI::App& app, const Invocation& invocation) {
  auto options = std::make_shared<ImportOptions>();
  app.add_option("format", options->format, "what the file is: csv")->required();
  app.add_option("file", options->path,
                 "table with the columns name, flop, bytes (or read and write), time, dtype, and "
                 "device, threads where known; units in the heading (time_us, bytes_GB) or in the "
                 "cells (1.5 ms); rows of one name are its samples; - is standard input")
      ->required();
  constexpr const char* group = "Roofs";
  app.add_option("--device", options->roofs.device,
                 "where the rows that name no device ran: a catalogue id or product name (see "
                 "roofline devices), or cpu")
      ->group(group);
  app.add_option("--peak-flops", options->roofs.peaks,
                 "peak instead of the catalogue's: bf16=312TFLOP/s, or measured:REPORT")
      ->group(group)
      ->allow_extra_args(false);
  app.add_option("--bandwidth", options->roofs.bandwidth,
                 "bandwidth instead of the catalogue's: 2039GB/s, or measured:REPORT")
      ->group(group);
  app.add_option("--overhead", options->roofs.overhead,
                 "time of an empty call, the third roof, e.g. 5us")
      ->group(group);
  app.add_option("--dtype", options->dtype, "type of the rows that name none, e.g. bf16");
  app.add_option("-o,--output", options->output, "report file (JSON); - is standard output");
  app.add_flag("--json", options->json, "print the report as JSON instead of the table");
  app.add_flag("--strict", options->strict, "exit with 1 when a reading cannot be");
  add_config_option(app, options->config_dir);
  app.footer(
      "\nExamples:\n  roofline import csv kernels.csv --device a100-80gb-sxm\n  roofline import "
      "csv "
      "kernels.csv --device cpu --peak-flops measured:cpu.json --bandwidth measured:cpu.json -o "
      "kernels.json\n" +
      app.get_footer());
  return [options, invocation](Io& io) { return import(*options, invocation, io); };
}

}  // namespace roofline::cli
