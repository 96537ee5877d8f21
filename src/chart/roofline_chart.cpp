#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "chart/axis.hpp"
#include "chart/ceilings.hpp"
#include "chart/charts.hpp"
#include "chart/look.hpp"
#include "chart/strips.hpp"
#include "report/format.hpp"
#include "report/labels.hpp"

namespace roofline::chart {
namespace {

/// One panel before its axes are known, which are those of all panels.
struct Draft {
  Ceilings ceilings;
  std::vector<Mark> marks;
  std::size_t undrawn = 0;
  std::map<std::string, std::size_t> reasons;
};

std::string without_rate(const Record& record) {
  const bool ran = std::holds_alternative<Measured>(record.outcome);
  return ran ? "without a rate" : std::string(outcome_name(record.outcome));
}

/// Where it lies, or why it lies nowhere.
std::string place(Mark& mark, const Record& record, const ChartOptions& options) {
  const auto rate = rate_of(record, options.attainable);
  if (!rate) return without_rate(record);
  if (!plottable(*rate)) return "without a rate";
  mark.at.y = *rate;
  set_interval(mark, *rate);
  if (std::holds_alternative<PeakProbe>(record.workload)) {
    // The roof that it shows is labelled as it is.
    mark.at_edge = true;
    mark.label.clear();
    return {};
  }
  if (!record.placement.intensity || !plottable(in_flop_per_byte(*record.placement.intensity)))
    return "without an intensity";
  mark.at.x = in_flop_per_byte(*record.placement.intensity);
  return {};
}

int rank_of(const Mark& mark) {
  if (mark.standing == Standing::impossible) return 0;
  return mark.record->hypotheses.empty() ? 2 : 1;
}

Draft roofline_draft(const View& view, const TypeHues& hues, const ShortNames& names,
                     const ChartOptions& options) {
  Draft out;
  out.ceilings = ceilings_of(view, hues, options.attainable);
  for (const Record* point : view.points) {
    if (in_strip(*point)) {
      if (strip_value(*point, options)) continue;
      ++out.undrawn;
      ++out.reasons[without_rate(*point)];
      continue;
    }
    Mark mark = make_mark(*point, hues, names);
    const std::string reason = place(mark, *point, options);
    if (!reason.empty()) {
      ++out.undrawn;
      ++out.reasons[reason];
      continue;
    }
    mark.rank = rank_of(mark);
    out.marks.push_back(std::move(mark));
  }
  // What cannot be lies on top of what can.
  std::stable_partition(out.marks.begin(), out.marks.end(),
                        [](const Mark& mark) { return mark.standing != Standing::impossible; });
  return out;
}

struct Extents {
  Extent x;
  Extent y;
};

void include(Extents& out, const Draft& draft) {
  for (const Mark& mark : draft.marks) {
    if (!mark.at_edge) out.x.include(mark.at.x);
    for (const double y : {mark.at.y, mark.low.value_or(0), mark.high.value_or(0)})
      out.y.include(y);
  }
  const double base = draft.ceilings.base();
  for (const ComputeCeiling& one : draft.ceilings.compute) {
    out.y.include(one.flop_per_s);
    // Some of the slope below each ridge is to be seen.
    out.y.include(one.flop_per_s / 8);
    if (base > 0) out.x.include(one.flop_per_s / base);
  }
  if (const double steepest = draft.ceilings.steepest(); steepest > 0 && draft.ceilings.top() > 0)
    out.x.include(draft.ceilings.top() / steepest);
  // Right of the last ridge the flat roofs need room for what they are.
  if (base > 0) out.x.include(3 * draft.ceilings.top() / base);
}

/// From where it enters the plot to where it leaves it or meets `top`; empty where it doesn't.
std::vector<Position> slope(double bandwidth, double top, const Axis& x, const Axis& y) {
  const double from = std::max(x.low, y.low / bandwidth);
  double to = std::min(x.high, y.high / bandwidth);
  if (top > 0) to = std::min(to, top / bandwidth);
  if (!(from < to)) return {};
  return {{from, bandwidth * from}, {to, bandwidth * to}};
}

/// Two roofs that nearly coincide have one label: the upper one says both.
constexpr double kSameHeight = 1.08;

struct RoofLabel {
  std::string full;
  std::string brief;
};

/// What each line is labelled: empty for one that a steeper one speaks for.
std::vector<RoofLabel> memory_labels(const std::vector<MemoryCeiling>& all) {
  std::vector<RoofLabel> out;
  for (const MemoryCeiling& one : all) out.push_back({one.label, one.brief});
  std::vector<std::size_t> order(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return all[a].byte_per_s < all[b].byte_per_s;
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const std::size_t low = order[i - 1];
    const std::size_t high = order[i];
    if (all[high].byte_per_s > kSameHeight * all[low].byte_per_s) continue;
    out[high].full += "; " + out[low].full;
    out[high].brief += "; " + out[low].brief;
    out[low] = {};
  }
  return out;
}

void add_memory(Panel& panel, const Ceilings& ceilings) {
  const double top = ceilings.top();
  const std::vector<RoofLabel> labels = memory_labels(ceilings.memory);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const MemoryCeiling& one = ceilings.memory[i];
    const bool wide = one.measured && one.fastest > 1.02 * one.slowest;
    if (wide) {
      Band band{slope(one.fastest, top, panel.x, panel.y),
                slope(one.slowest, top, panel.x, panel.y),
                level_name(one.level) + ", measured mixes of reads and writes: " + one.mixes};
      if (!band.upper.empty() && !band.lower.empty()) panel.bands.push_back(std::move(band));
    }
    Line line{.path = slope(one.byte_per_s, top, panel.x, panel.y),
              .stroke = one.measured ? Stroke::solid : Stroke::dashed,
              .roof = true,
              .label = labels[i].full,
              .brief = labels[i].brief,
              .tip = one.label + (wide ? "\nof " + one.mixes : "")};
    if (!line.path.empty()) panel.lines.push_back(std::move(line));
  }
}

void add_compute(Panel& panel, const Ceilings& ceilings) {
  const double steepest = ceilings.steepest();
  const auto& all = ceilings.compute;
  std::vector<RoofLabel> labels;
  for (const ComputeCeiling& one : all) {
    const std::string brief = one.type + " " + one.figure;
    labels.push_back({brief + ", " + one.origin, brief});
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      const bool near = all[j].type == all[i].type &&
                        all[j].flop_per_s < kSameHeight * all[i].flop_per_s &&
                        !labels[i].full.empty();
      if (!near) continue;
      const std::string both = all[i].type + " " + all[i].figure;
      labels[j] = {both + " " + all[i].origin + ", " + all[j].figure + " " + all[j].origin,
                   both + ", " + all[j].figure};
      labels[i] = {};
      break;
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double peak = all[i].flop_per_s;
    const double from = steepest > 0 ? std::max(panel.x.low, peak / steepest) : panel.x.low;
    if (!(from < panel.x.high)) continue;
    panel.lines.push_back({.path = {{from, peak}, {panel.x.high, peak}},
                           .stroke = all[i].measured ? Stroke::solid : Stroke::dashed,
                           .hue = all[i].hue,
                           .roof = true,
                           .label = labels[i].full,
                           .brief = labels[i].brief,
                           .tip = all[i].type + " " + all[i].figure + ", " + all[i].origin});
  }
}

void add_ridges(Panel& panel, const Ceilings& ceilings) {
  const double base = ceilings.base();
  if (base <= 0) return;
  for (const ComputeCeiling& one : ceilings.compute) {
    const double at = one.flop_per_s / base;
    if (at < panel.x.low || at > panel.x.high) continue;
    const std::string number = report::format_number(at);
    panel.ridges.push_back({.at = {at, one.flop_per_s},
                            .hue = one.hue,
                            .label = one.held_against ? "ridge " + one.type + " " + number : "",
                            .tip = "ridge of " + one.type + ": " + number +
                                   " FLOP/byte = " + one.figure + " (" + one.origin + ") / " +
                                   ceilings.memory.front().label});
  }
}

std::string undrawn_note(const Draft& draft) {
  if (draft.undrawn == 0) return {};
  std::string out = std::to_string(draft.undrawn) +
                    (draft.undrawn == 1 ? " point is not drawn:" : " points are not drawn:");
  bool first = true;
  for (const auto& [reason, count] : draft.reasons) {
    out += (first ? " " : ", ") + std::to_string(count) + " " + reason;
    first = false;
  }
  return out + ".";
}

/// The types whose points have no roof: what lies above them all is not above its own.
std::string roofless_note(const Draft& draft) {
  std::map<std::string, std::size_t> types;
  for (const Mark& mark : draft.marks) {
    const Record& record = *mark.record;
    const bool held = record.roofs.compute || record.placement.ceiling || record.defines_roof;
    if (!held && computes(record.workload))
      ++types[std::string(name(compute_dtype(record.workload)))];
  }
  std::string out;
  for (const auto& [type, count] : types) {
    out += (out.empty() ? "" : " ") + type + ": no compute roof is known; " +
           std::to_string(count) + (count == 1 ? " point is" : " points are") +
           " held against none.";
  }
  return out;
}

Panel panel_of(Draft draft, const Axis& x, const Axis& y) {
  Panel out{.x = x, .y = y};
  add_memory(out, draft.ceilings);
  add_compute(out, draft.ceilings);
  add_ridges(out, draft.ceilings);
  for (Mark& mark : draft.marks) {
    if (mark.at_edge) mark.at.x = x.high;
  }
  for (std::string& note : std::vector<std::string>{draft.ceilings.unknown, roofless_note(draft),
                                                    undrawn_note(draft)}) {
    if (!note.empty()) out.notes.push_back(std::move(note));
  }
  out.marks = std::move(draft.marks);
  return out;
}

using Joined = std::function<void(Panel&)>;

Figure chart_of(std::span<const Report> reports, std::vector<View> views,
                const ChartOptions& options, const Joined& finish) {
  const TypeHues hues(views);
  const ShortNames names(views);
  std::vector<Draft> drafts;
  Extents extents;
  for (const View& view : views) {
    drafts.push_back(roofline_draft(view, hues, names, options));
    include(extents, drafts.back());
  }
  Figure out{.title = figure_title(views),
             .subtitle = figure_subtitle(reports),
             .warnings = figure_warnings(views)};
  auto strips = strips_of(views, hues, names, options);
  const std::vector<std::string> titles = view_titles(views);
  for (std::size_t i = 0; i < views.size(); ++i) {
    Panel panel;
    if (!extents.x.empty() && !extents.y.empty()) {
      const Axis x = log_axis("arithmetic intensity (FLOP/byte)", report::Unit::flop_per_byte,
                              extents.x.low() / 3, extents.x.high() * 6);
      const Axis y = log_axis("performance", report::Unit::flop_per_s, extents.y.low() / 1.6,
                              extents.y.high() * 2);
      panel = panel_of(std::move(drafts[i]), x, y);
    } else {
      for (std::string& note :
           std::vector<std::string>{drafts[i].ceilings.unknown, undrawn_note(drafts[i])}) {
        if (!note.empty()) panel.notes.push_back(std::move(note));
      }
    }
    panel.title = titles[i];
    panel.strips = std::move(strips[i]);
    if (finish) finish(panel);
    out.panels.push_back(std::move(panel));
  }
  out.legend = legend_of(out, hues, names);
  return out;
}

/// Joins marks of one matrix in the order of their rows.
void join_rows(Panel& panel) {
  std::map<std::string, std::vector<const Mark*>> series;
  for (const Mark& mark : panel.marks) {
    const auto& w = std::get<Projection>(mark.record->workload);
    series[report::dtype_label(w) + " " + std::to_string(w.d_in) + "x" + std::to_string(w.d_out) +
           " " + std::string(name(w.level))]
        .push_back(&mark);
  }
  for (auto& [label, marks] : series) {
    std::stable_sort(marks.begin(), marks.end(), [](const Mark* a, const Mark* b) {
      return std::get<Projection>(a->record->workload).rows <
             std::get<Projection>(b->record->workload).rows;
    });
    Line line{.hue = marks.front()->hue, .tip = label};
    for (const Mark* mark : marks) line.path.push_back(mark->at);
    if (line.path.size() > 1) panel.lines.push_back(std::move(line));
  }
}

}  // namespace

Figure roofline_chart(std::span<const Report> reports, const ChartOptions& options) {
  return chart_of(reports, views_of(reports, options.files), options, {});
}

Figure decode_chart(std::span<const Report> reports, const ChartOptions& options) {
  std::vector<View> views = views_of(reports, options.files);
  for (View& view : views) {
    std::erase_if(view.points, [](const Record* point) {
      return !std::holds_alternative<Projection>(point->workload);
    });
  }
  return chart_of(reports, std::move(views), options, join_rows);
}

}  // namespace roofline::chart
