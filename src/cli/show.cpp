#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/report_input.hpp"
#include "cli/terminal.hpp"
#include "report/json_writer.hpp"
#include "report/table.hpp"

namespace roofline::cli {

Action add_show(CLI::App& app, const Invocation&) {
  struct Options {
    std::string path;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  app.add_option("report", options->path, kReportHelp)->required();
  app.add_flag("--json", options->json, "print the report again as JSON, checked");
  return [options](Io& io) {
    const Report report = load_report(options->path);
    io.out << (options->json ? report::to_json(report)
                             : report::render_table(report, stdout_style()));
    return ExitStatus::ok;
  };
}

}  // namespace roofline::cli
