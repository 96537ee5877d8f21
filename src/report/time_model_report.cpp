#include "report/time_model_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/format.hpp"
#include "report/grid.hpp"
#include "roofline/printable.hpp"

namespace roofline::report {
namespace {

/// How far the time of a point that was left out of its fit lies from it, at the worst.
std::optional<double> worst_prediction(const Points& points) {
  std::optional<double> worst;
  for (const Record* const point : points) {
    const auto* measured = std::get_if<Measured>(&point->outcome);
    if (measured == nullptr || !point->modelled_time || in_second(measured->time_median) <= 0)
      continue;
    const double error = std::abs(*point->modelled_time / measured->time_median - 1);
    worst = std::max(worst.value_or(0), error);
  }
  return worst;
}

}  // namespace

void put_time_model(JsonOut& out, const std::vector<TimeFit>& fits) {
  out.open_list("time_model");
  for (const TimeFit& fit : fits) {
    out.open_object();
    out.put("name", fit.name);
    out.put("level", name(fit.level));
    out.put_text("placement", fit.placement);
    out.put("overhead_s", fit.overhead);
    out.put("bandwidth_byte_per_s", fit.bandwidth);
    out.put("points", fit.points);
    out.put("worst_error", fit.worst_error);
    if (!fit.device.empty()) out.put("device", fit.device);
    out.close();
  }
  out.close();
}

std::vector<TimeFit> read_time_model(const Node& report) {
  std::vector<TimeFit> out;
  const auto list = report.find("time_model");
  if (!list) return out;
  for (const Node& node : list->elements()) {
    TimeFit fit;
    fit.name = node.at("name").text();
    fit.level = node.at("level").one_of(boundaries());
    fit.placement = node.text_or_empty("placement");
    fit.overhead = second(node.at("overhead_s").number());
    fit.bandwidth = byte_per_s(node.at("bandwidth_byte_per_s").positive());
    fit.points = static_cast<std::size_t>(node.at("points").count());
    fit.worst_error = node.at("worst_error").number();
    fit.device = node.text_or_empty("device");
    out.push_back(std::move(fit));
  }
  return out;
}

std::string render_time_model(const Report& report, const Points& points, const TableStyle& style) {
  if (report.time_model.empty()) return {};
  std::string out =
      "\n" + painted("Time of a call = overhead + traffic / bandwidth", Paint::bold, style.colour) +
      "\n";
  for (const TimeFit& fit : report.time_model) {
    std::string text = fmt::format("{}: {} + traffic / {}, {} sizes within {}", name(fit.level),
                                   format(fit.overhead), format(fit.bandwidth), fit.points,
                                   format_percent(fit.worst_error));
    if (!fit.placement.empty()) text += " (" + printable(fit.placement) + ")";
    out += wrap("   " + printable(fit.name) + "  ", text, style.width);
  }
  if (const auto worst = worst_prediction(points)) {
    out += wrap("   ",
                fmt::format("Each size predicted by the others of its level: {} off at the worst. "
                            "Sizes between two levels are not modelled.",
                            format_percent(*worst)),
                style.width);
  }
  return out;
}

}  // namespace roofline::report
