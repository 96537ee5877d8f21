#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "chart/axis.hpp"
#include "chart/charts.hpp"
#include "chart/look.hpp"
#include "chart/series_panel.hpp"
#include "report/labels.hpp"
#include "roofline/error.hpp"
#include "roofline/overloaded.hpp"
#include "roofline/point_id.hpp"

namespace roofline::chart {
namespace {

/// One size of a workload, and where it is kept.
struct Size {
  std::string_view name;
  std::uint64_t value = 0;
};

constexpr std::array<std::string_view, 12> kAxes = {
    "size", "m", "n", "k", "batch", "rows", "d_in", "d_out", "elements", "fused", "ops", "byte"};

/// The sizes that a workload has. A product of three equal ones has them as `size` too.
std::vector<Size> sizes_of(const Workload& workload) {
  return std::visit(
      Overloaded{[](const Gemm& w) {
                   std::vector<Size> out{{"m", w.m}, {"n", w.n}, {"k", w.k}, {"batch", w.batch}};
                   if (w.m == w.n && w.n == w.k) out.insert(out.begin(), {"size", w.m});
                   return out;
                 },
                 [](const Projection& w) {
                   return std::vector<Size>{{"rows", w.rows}, {"d_in", w.d_in}, {"d_out", w.d_out}};
                 },
                 [](const Stream& w) {
                   return std::vector<Size>{{"elements", w.elements}};
                 },
                 [](const Elementwise& w) {
                   return std::vector<Size>{
                       {"elements", w.elements}, {"fused", w.ops_per_kernel}, {"ops", w.ops}};
                 },
                 [](const Transfer& w) {
                   return std::vector<Size>{{"byte", w.bytes}};
                 },
                 [](const auto&) { return std::vector<Size>{}; }},
      workload);
}

/// The same for all points that differ in `axis` alone.
std::string key_without(const Workload& workload, std::string_view axis) {
  Workload rest = workload;
  std::visit(Overloaded{[&](Gemm& w) {
                          if (axis == "size") w.m = w.n = w.k = 0;
                          if (axis == "m") w.m = 0;
                          if (axis == "n") w.n = 0;
                          if (axis == "k") w.k = 0;
                          if (axis == "batch") w.batch = 1;
                        },
                        [&](Projection& w) {
                          if (axis == "rows") w.rows = 0;
                          if (axis == "d_in") w.d_in = 0;
                          if (axis == "d_out") w.d_out = 0;
                        },
                        [&](Stream& w) { w.elements = 0; },
                        [&](Elementwise& w) {
                          if (axis == "elements") w.elements = 0;
                          if (axis == "fused") w.ops_per_kernel = 0;
                          if (axis == "ops") w.ops = 0;
                        },
                        [](Transfer& w) { w.bytes = 0; }, [](auto&) {}},
             rest);
  return point_id(rest);
}

std::string sweep_series(const Record& record, std::string_view axis) {
  std::string out(kind_name(record.workload));
  if (computes(record.workload)) out += " " + report::dtype_label(record.workload);
  if (const auto* const stream = std::get_if<Stream>(&record.workload))
    out += " " + std::string(name(stream->kind));
  if (axis == "size") return out;
  for (const Size& size : sizes_of(record.workload)) {
    if (size.name == axis || size.name == "size" || (size.name == "batch" && size.value == 1))
      continue;
    out += " " + std::string(size.name) + "=" + std::to_string(size.value);
  }
  return out;
}

/// The axis that most points lie on in series of three and more, or else of two.
std::string best_axis(std::span<const View> views) {
  std::map<std::string_view, std::map<std::string, std::set<std::uint64_t>>> all;
  for (const View& view : views) {
    for (const Record* point : view.points) {
      for (const Size& size : sizes_of(point->workload))
        all[size.name][key_without(point->workload, size.name)].insert(size.value);
    }
  }
  for (const std::size_t least : {std::size_t{3}, std::size_t{2}}) {
    std::string best;
    std::size_t most = 0;
    for (const std::string_view axis : kAxes) {
      std::size_t count = 0;
      for (const auto& [key, values] : all[axis]) {
        if (values.size() >= least) count += values.size();
      }
      if (count <= most) continue;
      most = count;
      best = axis;
    }
    if (!best.empty()) return best;
  }
  return {};
}

struct Candidate {
  const Record* record = nullptr;
  double x = 0;
};

/// Those of a view that lie on the axis with others, by series.
std::map<std::string, std::vector<Candidate>> candidates(const View& view, std::string_view axis) {
  std::map<std::string, std::vector<Candidate>> out;
  for (const Record* point : view.points) {
    for (const Size& size : sizes_of(point->workload)) {
      if (size.name != axis) continue;
      out[key_without(point->workload, axis)].push_back({point, static_cast<double>(size.value)});
    }
  }
  std::erase_if(out, [](const auto& entry) {
    return std::all_of(entry.second.begin(), entry.second.end(),
                       [&](const Candidate& one) { return one.x == entry.second.front().x; });
  });
  return out;
}

std::optional<double> flop_ceiling(const Record& record) {
  if (!record.placement.ceiling) return std::nullopt;
  return in_flop_per_s(*record.placement.ceiling);
}

std::optional<double> byte_ceiling(const Record& record) {
  if (!record.roofs.memory) return std::nullopt;
  return in_byte_per_s(record.roofs.memory->bandwidth);
}

SeriesDraft sweep_draft(const View& view, std::string_view axis, bool work,
                        const ChartOptions& options, const TypeHues& hues,
                        const ShortNames& names) {
  SeriesDraft out;
  for (const auto& [key, points] : candidates(view, axis)) {
    std::string series = sweep_series(*points.front().record, axis);
    if (out.series.count(series) != 0) series = key;
    for (const Candidate& one : points) {
      const Record& record = *one.record;
      if (work != has_work(record)) continue;
      const auto rate =
          work ? rate_of(record, options.attainable) : bandwidth_of(record, options.attainable);
      const auto ceiling = work ? flop_ceiling(record) : byte_ceiling(record);
      if (ceiling && plottable(*ceiling) && plottable(one.x))
        out.series[series].ceiling.push_back({one.x, *ceiling});
      if (!rate || !plottable(*rate) || !plottable(one.x)) continue;
      Mark mark = make_mark(record, hues, names);
      mark.at = {one.x, *rate};
      set_interval(mark, *rate);
      out.series[series].marks.push_back(std::move(mark));
    }
  }
  std::erase_if(out.series, [](const auto& entry) { return entry.second.marks.empty(); });
  return out;
}

}  // namespace

Figure sweep_chart(std::span<const Report> reports, const ChartOptions& options) {
  if (!options.axis.empty() && std::find(kAxes.begin(), kAxes.end(), options.axis) == kAxes.end()) {
    std::string known;
    for (const std::string_view axis : kAxes)
      known += (known.empty() ? "" : ", ") + std::string(axis);
    throw InputError("--axis: '" + options.axis + "' is not known; choose from " + known);
  }
  const std::vector<View> views = views_of(reports, options.files);
  const std::string axis = options.axis.empty() ? best_axis(views) : options.axis;
  const TypeHues types(views);
  const ShortNames names(views);
  Figure out{.title = figure_title(views),
             .subtitle = figure_subtitle(reports),
             .warnings = figure_warnings(views)};
  SeriesHues hues;
  std::vector<SeriesDraft> drafts;
  bool work = true;
  std::optional<SeriesAxes> axes;
  // Rates of work where there are some, else of bytes.
  for (const bool of_work : {true, false}) {
    work = of_work;
    drafts.clear();
    for (const View& view : views)
      drafts.push_back(sweep_draft(view, axis, work, options, types, names));
    axes = series_axes(drafts, {.title = axis},
                       {.title = work ? "performance" : "bandwidth",
                        .unit = work ? report::Unit::flop_per_s : report::Unit::byte_per_s});
    if (axes) break;
  }
  for (const SeriesDraft& draft : drafts) hues.add(draft.series);
  const std::vector<std::string> titles = view_titles(views);
  for (std::size_t i = 0; i < views.size(); ++i) {
    Panel panel;
    if (axes && !drafts[i].series.empty()) {
      panel = series_panel(std::move(drafts[i]), *axes, hues);
    } else {
      panel.notes.push_back(axis.empty() ? "No size was swept here."
                                         : "No points differ in " + axis + " alone.");
    }
    panel.title = titles[i];
    out.panels.push_back(std::move(panel));
  }
  LegendSection legend = hues.legend("Series");
  if (!legend.entries.empty()) {
    legend.entries.push_back(
        {.sample = Sample::stroke, .stroke = Stroke::dashed, .text = "its ceiling"});
    out.legend.push_back(std::move(legend));
  }
  return out;
}

}  // namespace roofline::chart
