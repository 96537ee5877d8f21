#include "chart/strips.hpp"

#include <algorithm>

#include "chart/axis.hpp"
#include "chart/ceilings.hpp"

namespace roofline::chart {
namespace {

bool is_call(const Record& record) { return std::holds_alternative<Launch>(record.workload); }

std::vector<Mark> marks_of(const View& view, bool calls, const TypeHues& hues,
                           const ShortNames& names, const ChartOptions& options, Extent& extent) {
  std::vector<Mark> out;
  for (const Record* point : view.points) {
    if (!in_strip(*point) || is_call(*point) != calls) continue;
    const auto value = strip_value(*point, options);
    if (!value) continue;
    Mark mark = make_mark(*point, hues, names);
    mark.at.x = *value;
    extent.include(*value);
    out.push_back(std::move(mark));
  }
  return out;
}

/// The rated bandwidths that these points could be held against.
std::vector<Guide> guides_of(const View& view, const std::vector<Mark>& marks, Extent& extent) {
  std::vector<Guide> out;
  for (const RoofEntry* entry : view.roofs) {
    const auto* const roof = std::get_if<MemoryRoof>(&entry->roof);
    if (roof == nullptr || roof->origin == Origin::measured) continue;
    const double value = in_byte_per_s(roof->bandwidth);
    if (!plottable(value)) continue;
    const bool concerns = std::any_of(marks.begin(), marks.end(), [&](const Mark& mark) {
      return mark.record->account.boundary == roof->boundary;
    });
    if (!concerns) continue;
    extent.include(value);
    out.push_back({value, Stroke::dashed,
                   level_name(roof->boundary) + " " + std::string(name(roof->origin))});
  }
  return out;
}

}  // namespace

bool in_strip(const Record& record) { return !has_work(record); }

std::optional<double> strip_value(const Record& record, const ChartOptions& options) {
  std::optional<double> out;
  if (!is_call(record)) {
    out = bandwidth_of(record, options.attainable);
  } else if (const auto* const measured = std::get_if<Measured>(&record.outcome)) {
    out = in_second(measured->time_median);
  }
  return out && plottable(*out) ? out : std::nullopt;
}

std::vector<std::vector<Strip>> strips_of(std::span<const View> views, const TypeHues& hues,
                                          const ShortNames& names, const ChartOptions& options) {
  std::vector<std::vector<Strip>> out(views.size());
  for (const bool calls : {false, true}) {
    Extent extent;
    std::vector<Strip> strips(views.size());
    for (std::size_t i = 0; i < views.size(); ++i) {
      strips[i].marks = marks_of(views[i], calls, hues, names, options, extent);
      if (!calls) strips[i].guides = guides_of(views[i], strips[i].marks, extent);
    }
    if (extent.empty()) continue;
    // A little room beyond the outermost points.
    const double low = extent.low() / 1.3;
    const double high = extent.high() * 1.3;
    for (std::size_t i = 0; i < views.size(); ++i) {
      if (strips[i].marks.empty()) continue;
      strips[i].title = calls ? "Empty calls" : "No arithmetic";
      strips[i].axis = calls ? log_axis("time of a call", report::Unit::second, low, high)
                             : log_axis("bandwidth", report::Unit::byte_per_s, low, high);
      out[i].push_back(std::move(strips[i]));
    }
  }
  return out;
}

}  // namespace roofline::chart
