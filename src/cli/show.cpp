#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/report_input.hpp"
#include "cli/terminal.hpp"
#include "report/column_table.hpp"
#include "report/export.hpp"
#include "report/json_writer.hpp"
#include "report/selection.hpp"
#include "report/table.hpp"
#include "roofline/error.hpp"

namespace roofline::cli {
namespace {

struct ShowOptions {
  std::string path;
  bool json = false;
  std::string format;  ///< empty: table
  std::string columns;
  std::string sort;
  std::string filter;
};

/// The points that are asked for, in the order that is asked for.
void select(Report& report, const ShowOptions& options, Io& io) {
  if (!options.filter.empty()) {
    const report::Filter filter(options.filter, "--filter");
    std::erase_if(report.points, [&](const Record& record) { return !filter.admits(record); });
    if (report.points.empty()) io.err << "roofline: --filter: no point of the report is so\n";
  }
  if (!options.sort.empty()) report::sort_points(report.points, options.sort, "--sort");
}

std::string text_of(const Report& report, const ShowOptions& options) {
  if (options.json && !options.format.empty() && options.format != "json")
    throw InputError("--json and --format " + options.format + " can't both be; leave one out");
  const std::string format = options.json             ? "json"
                             : options.format.empty() ? "table"
                                                      : options.format;
  std::vector<const report::Column*> columns;
  if (!options.columns.empty()) columns = report::parse_columns(options.columns, "--columns");
  if (format == "json") {
    if (!columns.empty()) {
      throw InputError("--columns: a report in JSON has them all; use --format csv or table");
    }
    return report::to_json(report);
  }
  if (format == "csv") return report::to_csv(report, {.columns = columns}).text;
  if (format == "markdown") {
    return report::render_markdown(report,
                                   columns.empty() ? report::usual_columns(report) : columns);
  }
  if (format != "table") {
    throw InputError("--format: '" + format +
                     "' is not known; choose from table, markdown, csv, json");
  }
  return columns.empty() ? report::render_table(report, stdout_style())
                         : report::render_columns(report, columns);
}

}  // namespace

Action add_show(CLI::App& app, const Invocation&) {
  auto options = std::make_shared<ShowOptions>();
  app.add_option("report", options->path, kReportHelp)->required();
  app.add_flag("--json", options->json, "print the report again as JSON, checked");
  app.add_option("--format", options->format, "table, markdown, csv or json (default: table)");
  app.add_option("--columns", options->columns,
                 "of the table: keys of roofline columns, apart by commas");
  app.add_option("--sort", options->sort, "by a column; -KEY is from high to low");
  app.add_option("--filter", options->filter,
                 "only points for which all hold: dtype=bf16,bound=memory,of_ceiling<60%; * stands "
                 "for any characters of a text");
  return [options](Io& io) {
    Report report = load_report(options->path);
    select(report, *options, io);
    io.out << text_of(report, *options);
    return ExitStatus::ok;
  };
}

}  // namespace roofline::cli
