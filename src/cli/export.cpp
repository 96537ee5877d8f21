#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/report_input.hpp"
#include "report/export.hpp"
#include "report/sink.hpp"
#include "roofline/error.hpp"
#include "roofline/printable.hpp"

namespace roofline::cli {
namespace {

std::string format_names() {
  std::string out;
  for (const report::ExportFormat& format : report::export_formats()) {
    out += (out.empty() ? "" : ", ") + std::string(format.name);
  }
  return out;
}

/// Says what the text lacks: each of a few, the number of many.
void tell_left_out(const std::vector<report::LeftOut>& left_out, std::string_view format, Io& io) {
  constexpr std::size_t kFew = 8;
  if (left_out.empty()) return;
  io.err << "roofline: " << left_out.size() << (left_out.size() == 1 ? " point is" : " points are")
         << " without a figure in " << format << ":\n";
  for (std::size_t i = 0; i < left_out.size() && i < kFew; ++i) {
    io.err << "  " << printable(left_out[i].name) << ": " << printable(left_out[i].reason) << '\n';
  }
  if (left_out.size() > kFew) {
    io.err << "  and " << left_out.size() - kFew
           << " more; roofline show says of each point how it ended\n";
  }
}

}  // namespace

Action add_export(CLI::App& app, const Invocation&) {
  struct Options {
    std::string path;
    std::string to;
    std::string output = "-";
    std::string direction;  ///< empty: bigger
  };
  auto options = std::make_shared<Options>();
  app.add_option("report", options->path, kReportHelp)->required();
  std::string formats;
  for (const report::ExportFormat& format : report::export_formats()) {
    formats += "\n  " + std::string(format.name) + ": " + std::string(format.description);
  }
  app.add_option("--to", options->to, "format:" + formats)->required();
  app.add_option("-o,--output", options->output, "file to write; - is standard output")
      ->capture_default_str();
  app.add_option("--direction", options->direction,
                 "of github-benchmark, which takes one a file: bigger (rates) or smaller (times) "
                 "(default: bigger)");
  return [options](Io& io) {
    const report::ExportFormat* const format = report::find_export_format(options->to);
    if (format == nullptr) {
      throw InputError("--to: '" + options->to + "' is not known; choose from " + format_names());
    }
    report::ExportOptions how;
    if (!options->direction.empty() && format->render != report::to_github_benchmark) {
      throw InputError("--direction: " + std::string(format->name) +
                       " takes figures of both directions in one file; leave it out");
    }
    if (options->direction == "smaller") {
      how.direction = report::Better::smaller;
    } else if (!options->direction.empty() && options->direction != "bigger") {
      throw InputError("--direction: '" + options->direction + "' is neither bigger nor smaller");
    }
    require_other_file(options->output, options->path, "the report itself");
    const Report report = load_report(options->path, report::Reading::figures);
    report::Sink sink(options->output);
    const report::Exported exported = format->render(report, how);
    if (sink.is_stdout()) {
      io.out << exported.text;
    } else {
      sink.replace(exported.text);
    }
    tell_left_out(exported.left_out, format->name, io);
    if (exported.refused_as_empty) {
      io.err << "roofline: no point has a figure for " << format->name
             << ", which takes no empty text; roofline show says of each point how it ended\n";
      return ExitStatus::untrusted;
    }
    return ExitStatus::ok;
  };
}

}  // namespace roofline::cli
