#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/command.hpp"
#include "cli/report_input.hpp"
#include "cli/run_identity.hpp"
#include "cli/version.hpp"
#include "report/json_writer.hpp"
#include "report/merge.hpp"
#include "report/sink.hpp"
#include "roofline/error.hpp"
#include "roofline/printable.hpp"

namespace roofline::cli {
namespace {

struct MergeOptions {
  std::vector<std::string> reports;
  std::string output;
  std::string keep;
};

report::Keep keep_of(const std::string& text) {
  if (text.empty()) return report::Keep::none;
  if (text == "first") return report::Keep::first;
  if (text == "last") return report::Keep::last;
  if (text == "best") return report::Keep::best;
  throw InputError("--keep: '" + text + "' is not known; choose from first, last, best");
}

/// `node1=FILE`, where no file is called so.
report::MergeSource source_of(const std::string& text) {
  report::MergeSource out;
  out.file = text;
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && !report::file_exists(text)) {
    out.label = text.substr(0, equals);
    out.file = text.substr(equals + 1);
    if (out.label.empty() || out.file.empty() || out.label.find('/') != std::string::npos) {
      throw InputError("'" + text +
                       "' is neither a file nor LABEL=FILE; write for example node1=node1.json");
    }
  }
  return out;
}

/// How many there are of each, in one line.
void tell(const report::Merged& merged, const MergeOptions& options, Io& io) {
  for (const std::string& note : merged.notes) io.err << "roofline: " << printable(note) << '\n';
  const std::size_t devices = std::max<std::size_t>(merged.report.devices.size(), 1);
  io.err << "roofline: " << options.reports.size() << " reports: " << devices
         << (devices == 1 ? " device, " : " devices, ") << merged.report.points.size()
         << (merged.report.points.size() == 1 ? " point\n" : " points\n");
}

}  // namespace

Action add_merge(CLI::App& app, const Invocation& invocation) {
  auto options = std::make_shared<MergeOptions>();
  app.add_option("reports", options->reports,
                 "report files, two or more; node1=FILE says which machine one is of")
      ->required();
  app.add_option("-o,--output", options->output, "the merged report; - is standard output")
      ->required();
  app.add_option("--keep", options->keep,
                 "which of two measurements of one point stays: first, last or best (trusted "
                 "before not, then the faster); without it such reports are refused");
  app.footer(
      "\nExamples:\n  roofline merge node1=a.json node2=b.json -o all.json\n  roofline merge "
      "shard-*.json --keep best -o sweep.json\n" +
      app.get_footer());
  return [options, invocation](Io& io) {
    const report::Keep keep = keep_of(options->keep);
    std::vector<report::MergeSource> sources;
    for (const std::string& text : options->reports) {
      report::MergeSource source = source_of(text);
      require_other_file(options->output, source.file, "one of the reports");
      sources.push_back(std::move(source));
    }
    for (report::MergeSource& source : sources) {
      source.report = load_report(source.file);
      if (source.file == "-") source.file = "standard input";
    }
    report::Sink sink(options->output);
    report::Merged merged = report::merge(std::move(sources), keep);
    const RunInfo now = new_run(merged.report.run.suite, invocation);
    merged.report.run.id = now.id;
    merged.report.run.command_line = now.command_line;
    merged.report.tool_version = version();
    const auto write = [&](const report::TextSink& to) { report::write_json(merged.report, to); };
    if (sink.is_stdout()) {
      write([&](std::string_view text) { io.out << text; });
    } else {
      sink.replace(write);
    }
    tell(merged, *options, io);
    return ExitStatus::ok;
  };
}

}  // namespace roofline::cli
