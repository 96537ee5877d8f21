#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "report/journal.hpp"
#include "report/json_reader.hpp"
#include "report/json_writer.hpp"
#include "report/sink.hpp"
#include "report/table.hpp"

namespace roofline::cli {

Action add_show(CLI::App& app, const Invocation&) {
  struct Options {
    std::string path;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  app.add_option(
         "report", options->path,
         "report file (JSON), or the journal of a run that was cut short; - is standard input")
      ->required();
  app.add_flag("--json", options->json, "print the report again as JSON, checked");
  return [options](Io& io) {
    const std::string text = report::read_file(options->path);
    const Report report = report::is_journal(text) ? report::read_journal(text, options->path)
                                                   : report::read_report(text, options->path);
    io.out << (options->json ? report::to_json(report)
                             : report::render_table(report, stdout_style()));
    return ExitStatus::ok;
  };
}

}  // namespace roofline::cli
