#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "chart/charts.hpp"
#include "chart/html.hpp"
#include "chart/svg.hpp"
#include "chart/text.hpp"
#include "cli/analytic_points.hpp"
#include "cli/command.hpp"
#include "cli/report_input.hpp"
#include "cli/terminal.hpp"
#include "cli/warnings.hpp"
#include "report/selection.hpp"
#include "report/sink.hpp"
#include "roofline/error.hpp"

namespace roofline::cli {
namespace {

struct PlotOptions {
  std::vector<std::string> paths;
  AnalyticOptions analytic;
  std::string output = "-";
  std::string format;
  std::string kind = "roofline";
  std::string theme = "auto";
  std::string axis;
  std::string filter;
  bool ascii = false;
};

enum class PictureFormat { svg, html, text };

PictureFormat picture_format(const PlotOptions& o) {
  if (o.format == "svg") return PictureFormat::svg;
  if (o.format == "html") return PictureFormat::html;
  if (o.format == "text") return PictureFormat::text;
  if (!o.format.empty()) {
    throw InputError("--format: '" + o.format + "' is not known; choose from svg, html, text");
  }
  if (o.output == "-") return PictureFormat::text;
  if (o.output.ends_with(".svg")) return PictureFormat::svg;
  if (o.output.ends_with(".html") || o.output.ends_with(".htm")) return PictureFormat::html;
  if (o.output.ends_with(".txt")) return PictureFormat::text;
  throw InputError("-o: " + o.output +
                   " has no ending that names a format; use .svg, .html or .txt, or add --format");
}

chart::Theme theme_of(const std::string& text) {
  if (text == "auto") return chart::Theme::automatic;
  if (text == "light") return chart::Theme::light;
  if (text == "dark") return chart::Theme::dark;
  throw InputError("--theme: '" + text + "' is not known; choose from auto, light, dark");
}

std::vector<Report> load_reports(const PlotOptions& o) {
  std::vector<Report> out;
  for (const std::string& path : o.paths) {
    require_other_file(o.output, path, "one of the reports");
    out.push_back(load_report(path));
  }
  return out;
}

void keep_wanted(std::vector<Report>& reports, const std::string& text, Io& io) {
  if (text.empty()) return;
  const report::Filter wanted(text, "--filter");
  bool any = false;
  for (Report& report : reports) {
    std::erase_if(report.points, [&](const Record& record) { return !wanted.admits(record); });
    any = any || !report.points.empty();
  }
  if (!any) io.err << "roofline: --filter: no point of the report is so\n";
}

std::string draw(PictureFormat format, const chart::Figure& figure, std::span<const Report> reports,
                 const PlotOptions& o) {
  if (format == PictureFormat::svg) return chart::to_svg(figure, {.theme = theme_of(o.theme)});
  if (format == PictureFormat::html) return chart::to_html(figure, reports, theme_of(o.theme));
  const bool terminal = o.output == "-";
  const report::TableStyle style = terminal ? stdout_style() : report::TableStyle{};
  return chart::to_text(figure, {.width = style.width,
                                 .unicode = !o.ascii && (!terminal || stdout_shows_unicode()),
                                 .colour = style.colour});
}

bool shows_points(const chart::Figure& figure) {
  return std::any_of(figure.panels.begin(), figure.panels.end(), [](const chart::Panel& panel) {
    const bool in_strips = std::any_of(panel.strips.begin(), panel.strips.end(),
                                       [](const chart::Strip& one) { return !one.marks.empty(); });
    return !panel.marks.empty() || !panel.bars.empty() || in_strips;
  });
}

/// What would have no effect is a mistake.
void refuse_idle_options(const CLI::App& app, const PlotOptions& o, PictureFormat format) {
  if (app.count("--axis") > 0 && o.kind != "sweep")
    throw InputError("--axis is for --kind sweep; add it, or leave the axis out");
  if (o.ascii && format != PictureFormat::text)
    throw InputError("--ascii is for the chart in a terminal; leave it out, or use --format text");
  if (app.count("--theme") > 0 && format == PictureFormat::text)
    throw InputError("--theme is for svg and html; a terminal has colours of its own");
  if (app.count("--clock") > 0 && o.analytic.roofs.peak_kind != "clock" && o.paths.empty())
    throw InputError("--clock is the clock of --peak clock; add it, or leave the clock out");
  if (app.count("--weights") > 0 && o.analytic.matvec.empty())
    throw InputError("--weights is for --matvec; leave it out");
  if (o.paths.empty()) return;
  for (const char* option : {"--device", "--peak-flops", "--bandwidth", "--peak", "--clock",
                             "--sparse", "--overhead", "--dtype"}) {
    if (app.count(option) == 0) continue;
    throw InputError(std::string(option) +
                     " is for operations without a report; a report has its own roofs and types "
                     "(--filter chooses points)");
  }
}

ExitStatus plot(const CLI::App& app, const PlotOptions& o, const Invocation& invocation, Io& io) {
  const PictureFormat format = picture_format(o);
  (void)theme_of(o.theme);
  const chart::ChartKind* const kind = chart::find_chart_kind(o.kind);
  if (kind == nullptr) {
    std::string known;
    for (const chart::ChartKind& one : chart::chart_kinds())
      known += (known.empty() ? "" : ", ") + std::string(one.name);
    throw InputError("--kind: '" + o.kind + "' is not known; choose from " + known);
  }
  const bool analytic = names_operations(o.analytic);
  if (analytic && !o.paths.empty()) {
    throw InputError("a report has points of its own; give reports or operations, not both");
  }
  if (!analytic && o.paths.empty()) {
    throw InputError(
        "nothing is named to be drawn; give a report, or --device with --gemm or --matvec");
  }
  refuse_idle_options(app, o, format);
  require_other_than_roofs(o.output, o.analytic.roofs);
  std::vector<Report> reports =
      analytic ? analytic_reports(o.analytic, invocation, io) : load_reports(o);
  keep_wanted(reports, o.filter, io);
  report::Sink sink(o.output);
  chart::Figure figure =
      kind->build(reports, {.attainable = analytic, .axis = o.axis, .files = o.paths});
  if (!shows_points(figure))
    warn(io, "no point has a place in a chart of kind " + o.kind +
                 "; roofline show says what became of each");
  if (analytic) figure.subtitle = "placed by arithmetic alone; nothing was run";
  const std::string text = draw(format, figure, reports, o);
  if (sink.is_stdout()) {
    io.out << text;
  } else {
    sink.replace(text);
  }
  return ExitStatus::ok;
}

}  // namespace

Action add_plot(CLI::App& app, const Invocation& invocation) {
  auto options = std::make_shared<PlotOptions>();
  PlotOptions& o = *options;
  app.add_option("reports", o.paths, "report files (JSON) or journals; - is standard input");
  app.add_option("-o,--output", o.output, "file to write, .svg, .html or .txt; - is the terminal")
      ->capture_default_str();
  app.add_option("--format", o.format, "svg, html or text, whatever the file is called");
  std::string kinds;
  for (const chart::ChartKind& kind : chart::chart_kinds())
    kinds += "\n  " + std::string(kind.name) + ": " + std::string(kind.description);
  app.add_option("--kind", o.kind, "what is drawn:" + kinds)->capture_default_str();
  app.add_option("--axis", o.axis,
                 "of a sweep: size (M = N = K), m, n, k, batch, rows, d_in, d_out, elements, "
                 "fused, ops or byte; the one with most points otherwise");
  app.add_option("--filter", o.filter, "only points for which all hold, as in roofline show");
  app.add_option("--theme", o.theme, "light, dark, or auto: what the viewer prefers")
      ->capture_default_str();
  app.add_flag("--ascii", o.ascii, "a terminal chart of plain ASCII");
  add_analytic_options(app, o.analytic);
  app.footer(
      "\nExamples:\n"
      "  roofline plot report.json -o roof.svg\n"
      "  roofline plot --device a100-80gb-sxm --gemm 4096x4096x4096 --matvec "
      "4096x14336:1:64:x2\n" +
      app.get_footer());
  return [options, invocation, &app](Io& io) { return plot(app, *options, invocation, io); };
}

}  // namespace roofline::cli
