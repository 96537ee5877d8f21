#include "chart/svg.hpp"

#include "chart/svg_pen.hpp"
#include "chart/svg_plot.hpp"
#include "chart/svg_style.hpp"
#include "chart/svg_text.hpp"
#include "report/markup.hpp"

namespace roofline::chart {
namespace {

constexpr double kLeft = 106;  ///< of plots: ticks with units, and the axis' title
constexpr double kRight = kPictureWidth - kMargin;
constexpr double kPlotHeight = 500;
constexpr double kStripHeight = 44;

std::size_t count_marks(const Figure& figure) {
  std::size_t out = 0;
  for (const Panel& panel : figure.panels) {
    out += panel.marks.size();
    for (const Strip& strip : panel.strips) out += strip.marks.size();
  }
  return out;
}

Look look_for(std::size_t marks) {
  const double radius = marks <= 150 ? 5 : marks <= 1000 ? 4 : marks <= 10000 ? 3 : 2;
  return {.radius = radius, .detailed = marks <= kDetailedMarks};
}

/// A text in lines of the picture's width.
std::string paragraph(const std::string& text, std::string_view classes, TextRoom room, double& y) {
  room.width = kRight - kMargin;
  Position start{kMargin, y};
  std::string out = text_block(text, room, classes, room.size + 5, start);
  y = start.y;
  return out;
}

constexpr TextRoom kTitle{.size = 18, .bold = true, .lines = 3};
constexpr TextRoom kHeading{.size = 14, .bold = true, .lines = 2};
constexpr TextRoom kSentence{.size = 12};
constexpr TextRoom kWarning{.size = 12, .bold = true};

std::string panel_svg(const Panel& panel, const Look& look, double& y) {
  std::string out;
  if (!panel.title.empty()) {
    y += 14;
    out += paragraph(panel.title, "t2", kHeading, y);
    y -= 7;
  }
  if (!panel.bars.empty()) {
    out += svg_bars(panel, {kLeft, y, kRight, y});
    y += bars_height(panel);
  }
  if (panel.has_plot()) {
    out += svg_plot(panel, {kLeft, y + 4, kRight, y + kPlotHeight}, look);
    y += kPlotHeight + 46;
  }
  for (const Strip& strip : panel.strips) {
    out += svg_strip(strip, {kLeft, y, kRight, y + kStripHeight}, look);
    y += kStripHeight + 40;
  }
  for (const std::string& note : panel.notes) {
    y += 8;
    out += paragraph(note, "t3 u", kSentence, y);
    y -= 8;
  }
  if (panel.bars.empty() && !panel.has_plot() && panel.strips.empty() && panel.notes.empty()) {
    y += 8;
    out += paragraph("Nothing to draw.", "t3 u", kSentence, y);
  }
  y += 16;
  return out;
}

}  // namespace

std::string to_svg(const Figure& figure, const SvgOptions& options) {
  const Look look = look_for(count_marks(figure));
  double y = 30;
  std::string body = paragraph(figure.title, "t1", kTitle, y);
  y -= 3;
  if (!figure.subtitle.empty()) {
    body += paragraph(figure.subtitle, "t3 u", kSentence, y);
    y += 1;
  }
  for (const std::string& warning : figure.warnings)
    body += paragraph(warning, "t3 b w", kWarning, y);
  const Placed legend = svg_legend(figure.legend, y);
  body += legend.svg;
  y = legend.bottom + 8;
  for (const Panel& panel : figure.panels) body += panel_svg(panel, look, y);

  const std::string width = px(kPictureWidth);
  const std::string height = px(y);
  std::string out;
  if (options.standalone) out += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"rf\" width=\"" + width +
         "\" height=\"" + height + "\" viewBox=\"0 0 " + width + " " + height +
         "\" role=\"img\">\n";
  out += "<title>" + report::escaped(figure.title) + "</title>\n";
  if (options.standalone) out += "<style>\n" + style_sheet(options.theme) + "</style>\n";
  out += "<rect class=\"bg\" width=\"" + width + "\" height=\"" + height + "\"/>\n";
  return out + body + "</svg>\n";
}

}  // namespace roofline::chart
