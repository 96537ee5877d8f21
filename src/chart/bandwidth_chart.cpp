#include <algorithm>

#include "chart/axis.hpp"
#include "chart/ceilings.hpp"
#include "chart/charts.hpp"
#include "chart/look.hpp"
#include "chart/series_panel.hpp"
#include "roofline/fact_lookup.hpp"

namespace roofline::chart {
namespace {

/// All arrays and threads together: one that is read and written is there once.
double working_set(const Record& record) {
  if (const auto known = number_fact(record.implementation, "working_set_byte")) return *known;
  const auto& stream = std::get<Stream>(record.workload);
  const double bytes = total_traffic(record.account).as_double();
  return stream.kind == StreamKind::update ? bytes / 2 : bytes;
}

std::string stream_series(const Stream& stream) {
  std::string out(name(stream.kind));
  out += " " + std::string(name(stream.dtype));
  if (stream.write_allocate) out += ", regular stores";
  return out;
}

/// What the caches that the threads have together can hold.
std::vector<Guide> caches_of(const View& view) {
  std::vector<Guide> out;
  const double threads = std::max(1.0, view.number("threads"));
  const auto add = [&](std::string_view label, double each, double instances) {
    if (each <= 0) return;
    const double many = std::max(1.0, instances > 0 ? std::min(instances, threads) : 1.0);
    out.push_back({each * many, Stroke::dotted, std::string(label)});
  };
  // A GPU's facts name one cache of the device; those of the environment are the host's.
  if (view.number("l2_bytes") > 0) {
    add("L2", view.number("l2_bytes"), 1);
    return out;
  }
  if (view.text("backend") == "scripted") return out;
  add("L1", view.number("l1d_byte"), view.number("l1d_instances"));
  add("L2", view.number("l2_byte"), view.number("l2_instances"));
  add("L3", view.number("l3_byte"), view.number("l3_instances"));
  return out;
}

SeriesDraft streams_draft(const View& view, const TypeHues& hues, const ShortNames& names) {
  SeriesDraft out;
  std::size_t undrawn = 0;
  for (const Record* point : view.points) {
    const auto* const stream = std::get_if<Stream>(&point->workload);
    if (stream == nullptr) continue;
    const auto rate = bandwidth_of(*point, false);
    const double set = working_set(*point);
    if (!rate || !plottable(*rate) || !plottable(set)) {
      ++undrawn;
      continue;
    }
    Mark mark = make_mark(*point, hues, names);
    mark.at = {set, *rate};
    set_interval(mark, *rate);
    out.series[stream_series(*stream)].marks.push_back(std::move(mark));
  }
  if (undrawn != 0) {
    out.notes.push_back(std::to_string(undrawn) + (undrawn == 1 ? " stream is" : " streams are") +
                        " not drawn: without a measurement.");
  }
  for (const MemoryCeiling& one : ceilings_of(view, hues, false).memory) {
    if (one.measured) continue;
    out.roofs.push_back({.path = {{0, one.byte_per_s}},
                         .stroke = Stroke::dashed,
                         .roof = true,
                         .label = one.label,
                         .brief = one.brief,
                         .tip = one.label});
  }
  out.guides = caches_of(view);
  return out;
}

}  // namespace

Figure bandwidth_chart(std::span<const Report> reports, const ChartOptions& options) {
  const std::vector<View> views = views_of(reports, options.files);
  const TypeHues types(views);
  const ShortNames names(views);
  SeriesHues hues;
  std::vector<SeriesDraft> drafts;
  for (const View& view : views) {
    drafts.push_back(streams_draft(view, types, names));
    hues.add(drafts.back().series);
  }
  Figure out{.title = figure_title(views),
             .subtitle = figure_subtitle(reports),
             .warnings = figure_warnings(views)};
  const auto axes =
      series_axes(drafts, {.title = "working set", .unit = report::Unit::byte, .capacity = true},
                  {.title = "bandwidth", .unit = report::Unit::byte_per_s});
  const std::vector<std::string> titles = view_titles(views);
  for (std::size_t i = 0; i < views.size(); ++i) {
    Panel panel;
    if (axes && !drafts[i].series.empty()) {
      panel = series_panel(std::move(drafts[i]), *axes, hues);
    } else {
      panel.notes = std::move(drafts[i].notes);
      panel.notes.emplace_back("No stream was measured here.");
    }
    panel.title = titles[i];
    out.panels.push_back(std::move(panel));
  }
  LegendSection legend = hues.legend("Streams");
  if (!legend.entries.empty()) out.legend.push_back(std::move(legend));
  return out;
}

}  // namespace roofline::chart
