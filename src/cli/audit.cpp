#include "roofline/audit.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/report_input.hpp"
#include "cli/terminal.hpp"
#include "report/audit_text.hpp"
#include "roofline/error.hpp"

namespace roofline::cli {
namespace {

std::string text_of(const Audit& found, const std::string& path, const std::string& format) {
  const std::string file = path == "-" ? "standard input" : path;
  if (format == "json") return report::audit_json(found, file);
  if (format == "markdown") return report::audit_markdown(found, file);
  return report::render_audit(found, file, stdout_style());
}

}  // namespace

Action add_audit(CLI::App& app, const Invocation&) {
  struct Options {
    std::string path;
    std::string format = "table";
  };
  auto options = std::make_shared<Options>();
  app.add_option("report", options->path, kReportHelp)->required();
  app.add_option("--format", options->format, "table, markdown or json")->capture_default_str();
  app.footer(
      "\nExamples:\n  roofline audit report.json\n  roofline audit kernels.json --format json | jq "
      "'.findings[] | select(.severity == \"error\")'\n" +
      app.get_footer());
  return [options](Io& io) {
    if (options->format != "table" && options->format != "markdown" && options->format != "json") {
      throw InputError("--format: '" + options->format +
                       "' is not known; choose from table, markdown, json");
    }
    AsWritten file;
    const Report report = load_report(options->path, file);
    const Audit found = audit(report, file);
    io.out << text_of(found, options->path, options->format);
    if (found.count(Severity::error) != 0) return ExitStatus::failed;
    if (found.measured != 0) return ExitStatus::ok;
    io.err << "roofline: " << (options->path == "-" ? "the report" : options->path)
           << " holds no measured point, so that nothing can be said of it\n";
    return ExitStatus::untrusted;
  };
}

}  // namespace roofline::cli
