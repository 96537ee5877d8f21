#include "chart/svg_plot.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "chart/axis.hpp"
#include "chart/svg_labels.hpp"
#include "chart/svg_pen.hpp"
#include "report/columns.hpp"
#include "report/markup.hpp"

namespace roofline::chart {
namespace {

constexpr double kRidgeRadius = 3.2;

std::string outline(const Box& area) {
  return rectangle(area.left, area.top, area.right - area.left, area.bottom - area.top, "fr");
}

std::string vertical(double x, double top, double bottom) {
  return "M" + px(x) + " " + px(top) + "V" + px(bottom);
}

std::string horizontal(double left, double right, double y) {
  return "M" + px(left) + " " + px(y) + "H" + px(right);
}

/// Below the axis, moved inwards where it would leave the picture.
std::string tick_svg(double x, double y, const std::string& text) {
  const double half = text_width(text, 11) / 2;
  return text_element({std::min(x, kPictureWidth - 4 - half), y}, text, "u", Anchor::middle);
}

/// Grid lines and tick texts of both axes.
std::string axes_svg(const Panel& panel, const Frame& frame) {
  std::string major;
  std::string minor;
  std::string texts;
  const Box& area = frame.area;
  for (const Tick& tick : ticks(panel.x)) {
    const double x = frame.x(tick.at);
    (tick.major ? major : minor) += vertical(x, area.top, area.bottom);
    if (!tick.text.empty()) texts += tick_svg(x, area.bottom + 16, tick.text);
  }
  for (const Tick& tick : ticks(panel.y)) {
    const double y = frame.y(tick.at);
    (tick.major ? major : minor) += horizontal(area.left, area.right, y);
    if (!tick.text.empty())
      texts += text_element({area.left - 8, y + 4}, tick.text, "u", Anchor::end);
  }
  std::string out;
  if (!minor.empty()) out += path_element(minor, "g2");
  if (!major.empty()) out += path_element(major, "g");
  out += outline(area);
  out += texts;
  out += text_element({(area.left + area.right) / 2, area.bottom + 36}, panel.x.title, "t3",
                      Anchor::middle);
  out += text_element({kMargin - 4, (area.top + area.bottom) / 2}, panel.y.title, "t3",
                      Anchor::middle, -90);
  return out;
}

std::vector<Position> on_screen(const Frame& frame, const std::vector<Position>& path) {
  std::vector<Position> out;
  out.reserve(path.size());
  for (const Position& at : path) out.push_back({frame.x(at.x), frame.y(at.y)});
  return out;
}

std::string lines_svg(const Panel& panel, const Frame& frame) {
  std::string out;
  for (const Band& band : panel.bands) {
    std::vector<Position> outline = on_screen(frame, band.upper);
    const std::vector<Position> back = on_screen(frame, band.lower);
    outline.insert(outline.end(), back.rbegin(), back.rend());
    out += path_element(path_data(outline) + "z", "band", band.tip);
  }
  for (const Line& line : panel.lines) {
    const std::string classes = "l h" + std::to_string(line.hue % kHueCount) +
                                stroke_classes(line.stroke) + (line.roof ? "" : " th");
    out += path_element(path_data(on_screen(frame, line.path)), classes, line.tip);
  }
  for (const Guide& guide : panel.guides) {
    out += path_element(vertical(frame.x(guide.at), frame.area.top, frame.area.bottom),
                        "l h0 th" + stroke_classes(guide.stroke));
  }
  for (const Ridge& ridge : panel.ridges) {
    const Position at{frame.x(ridge.at.x), frame.y(ridge.at.y)};
    const std::string hue = "h" + std::to_string(ridge.hue % kHueCount);
    if (!ridge.label.empty())
      out += path_element(vertical(at.x, at.y, frame.area.bottom), "l do " + hue);
    out += path_element(marker_data(Shape::circle, at, kRidgeRadius), "k o " + hue, ridge.tip);
  }
  return out;
}

std::string cell_text(std::string_view key, const Record& record) {
  const report::Column* const column = report::find_column(key);
  const report::Cell cell = column != nullptr ? column->get(record) : report::Cell{};
  if (const auto* text = std::get_if<std::string>(&cell)) return report::escaped(*text);
  if (const auto number = report::number_of(cell)) return exact(*number);
  return {};
}

/// What a reader of the picture's source needs to draw it again.
std::string data_attributes(const Record& record) {
  return " data-id=\"" + cell_text("id", record) + "\" data-intensity=\"" +
         cell_text("intensity_flop_per_byte", record) + "\" data-achieved=\"" +
         cell_text("achieved_flop_per_s", record) + "\" data-roof=\"" +
         cell_text("ceiling_flop_per_s", record) + "\" data-class=\"" +
         cell_text("verdict", record) + "\"";
}

/// Marks that look the same in the same place, where there are too many to tell apart anyhow.
class Seen {
 public:
  bool again(const Mark& mark, Position at) {
    const std::string key = std::to_string(static_cast<int>(mark.shape)) +
                            marker_classes(mark.hue, mark.standing) + px(std::round(at.x)) + " " +
                            px(std::round(at.y));
    return !keys_.insert(key).second;
  }

 private:
  std::set<std::string> keys_;
};

}  // namespace

std::string svg_mark(const Mark& mark, Position at, const Look& look) {
  std::string out = "<path class=\"" + marker_classes(mark.hue, mark.standing) + "\"";
  if (look.detailed && mark.record != nullptr) out += data_attributes(*mark.record);
  out += " d=\"" + marker_data(mark.shape, at, look.radius) + "\"";
  out += mark.tip.empty() ? "/>\n" : "><title>" + report::escaped(mark.tip) + "</title></path>\n";
  if (mark.standing != Standing::impossible) return out;
  const double arm = look.radius + 3;
  return out + path_element("M" + px(at.x - arm) + " " + px(at.y - arm) + "l" + px(2 * arm) + " " +
                                px(2 * arm) + "m0 " + px(-2 * arm) + "l" + px(-2 * arm) + " " +
                                px(2 * arm),
                            "no");
}

std::string svg_plot(const Panel& panel, const Box& area, const Look& look) {
  const Frame frame{panel.x, panel.y, area};
  std::string out = axes_svg(panel, frame);
  out += lines_svg(panel, frame);
  LabelLayer labels(frame);
  labels.add_lines(panel);
  std::string bars;
  std::string marks;
  Seen seen;
  std::vector<const Mark*> drawn;
  for (const Ridge& ridge : panel.ridges)
    labels.block_mark({frame.x(ridge.at.x), frame.y(ridge.at.y)}, kRidgeRadius);
  for (const Mark& mark : panel.marks) {
    const Position at{frame.x(mark.at.x), frame.y(mark.at.y)};
    if (!look.detailed && seen.again(mark, at)) continue;
    drawn.push_back(&mark);
    labels.block_mark(at, look.radius);
    marks += svg_mark(mark, at, look);
    if (!mark.low || !mark.high) continue;
    const double top = frame.y(*mark.high);
    const double bottom = frame.y(*mark.low);
    // What the marker hides anyhow is not drawn.
    if (bottom - top < 2 * look.radius) continue;
    bars += path_element(vertical(at.x, top, bottom) + horizontal(at.x - 3, at.x + 3, top) +
                             horizontal(at.x - 3, at.x + 3, bottom),
                         "l th h" + std::to_string(mark.hue % kHueCount));
  }
  labels.label_roofs(panel);
  // A roof's label that found no better place lies under the marks.
  out += labels.take_svg() + bars + marks;
  labels.label_guides(panel.guides);
  labels.label_ridges(panel.ridges);
  labels.label_marks(drawn,
                     {.radius = look.radius, .leaders = true, .never_on_lines = panel.by_series});
  return out + labels.take_svg();
}

std::string svg_strip(const Strip& strip, const Box& area, const Look& look) {
  Axis across;
  across.scaling = Scaling::linear;
  across.low = 0;
  across.high = 1;
  const Frame frame{strip.axis, across, area};
  std::string out;
  std::string grid;
  for (const Tick& tick : ticks(strip.axis)) {
    const double x = frame.x(tick.at);
    grid += vertical(x, area.top, area.bottom);
    if (!tick.text.empty()) out += tick_svg(x, area.bottom + 14, tick.text);
  }
  out += path_element(grid, "g2") + outline(area);
  const double middle = (area.top + area.bottom) / 2;
  out += text_element({area.left - 8, middle - 2}, strip.title, "b", Anchor::end);
  out += text_element({area.left - 8, middle + 12}, strip.axis.title, "u", Anchor::end);
  LabelLayer labels(frame);
  for (const Guide& guide : strip.guides) {
    out += path_element(vertical(frame.x(guide.at), area.top, area.bottom),
                        "l h0" + stroke_classes(guide.stroke), guide.label);
  }
  Seen seen;
  std::vector<const Mark*> drawn;
  std::vector<Mark> placed;
  placed.reserve(strip.marks.size());
  for (const Mark& mark : strip.marks) {
    placed.push_back(mark);
    placed.back().at.y = 0.5;
    const Position at{frame.x(mark.at.x), middle};
    if (!look.detailed && seen.again(mark, at)) {
      placed.pop_back();
      continue;
    }
    labels.block_mark(at, look.radius);
    out += svg_mark(mark, at, look);
  }
  for (const Mark& mark : placed) drawn.push_back(&mark);
  labels.label_guides(strip.guides);
  labels.label_marks(drawn, {.radius = look.radius});
  return out + labels.take_svg();
}

}  // namespace roofline::chart
