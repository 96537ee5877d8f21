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

/// The format that is asked for; empty stands for table.
std::string format_of(const ShowOptions& options) {
  if (options.json && !options.format.empty() && options.format != "json")
    throw InputError("--json and --format " + options.format + " can't both be; leave one out");
  if (options.json) return "json";
  return options.format.empty() ? "table" : options.format;
}

void show(const Report& report, const std::string& format, const ShowOptions& options, Io& io) {
  std::vector<const report::Column*> columns;
  if (!options.columns.empty()) columns = report::parse_columns(options.columns, "--columns");
  if (format == "json") {
    if (!columns.empty()) {
      throw InputError("--columns: a report in JSON has them all; use --format csv or table");
    }
    report::write_json(report, [&](std::string_view text) { io.out << text; });
  } else if (format == "csv") {
    io.out << report::to_csv(report, {.columns = columns}).text;
  } else if (format == "markdown") {
    if (columns.empty()) columns = report::usual_columns(report);
    io.out << report::render_markdown(report, columns);
  } else if (format == "table") {
    io.out << (columns.empty() ? report::render_table(report, stdout_style())
                               : report::render_columns(report, columns));
  } else {
    throw InputError("--format: '" + format +
                     "' is not known; choose from table, markdown, csv, json");
  }
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
    const std::string format = format_of(*options);
    const auto keep = format == "json" ? report::Reading::all : report::Reading::figures;
    Report report = load_report(options->path, keep);
    select(report, *options, io);
    show(report, format, *options, io);
    return ExitStatus::ok;
  };
}

}  // namespace roofline::cli
