#include "report/table_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "report/format.hpp"
#include "report/grid.hpp"
#include "roofline/printable.hpp"
#include "roofline/statistics.hpp"

namespace roofline::report {
namespace {

/// A rate so far below the median is seen at a glance.
constexpr double kClearlyBelow = 0.95;

using Devices = std::vector<const ReportedDevice*>;

/// Devices of one name, in the order of the report; only names that several have.
std::vector<Devices> equals(const Report& report) {
  std::vector<Devices> out;
  for (const ReportedDevice& device : report.devices) {
    auto same = std::find_if(out.begin(), out.end(), [&](const Devices& group) {
      return group.front()->name == device.name;
    });
    if (same == out.end()) same = out.insert(out.end(), Devices{});
    same->push_back(&device);
  }
  std::erase_if(out, [](const Devices& group) { return group.size() < 2; });
  return out;
}

/// Time of a call by device; of measured points only.
using Times = std::map<std::string, double>;

/// Points in the order of the report.
std::vector<std::pair<std::string, Times>> times_of(const Report& report) {
  std::vector<std::pair<std::string, Times>> out;
  std::map<std::string, std::size_t> places;
  for (const Record& point : report.points) {
    const auto* measured = std::get_if<Measured>(&point.outcome);
    if (measured == nullptr || in_second(measured->time_median) <= 0) continue;
    const auto [place, fresh] = places.emplace(point.id, out.size());
    if (fresh) out.push_back({point.id, {}});
    out[place->second].second[point.device_id] = in_second(measured->time_median);
  }
  return out;
}

std::string group_text(const Devices& group,
                       const std::vector<std::pair<std::string, Times>>& points,
                       const TableStyle& style) {
  std::vector<Grid::Column> columns{{"point", {}, false}, {"median", {}, true}};
  for (const ReportedDevice* device : group) columns.push_back({printable(device->id), "%", true});
  Grid grid(std::move(columns));
  bool any = false;
  for (const auto& [id, times] : points) {
    std::vector<double> here;
    for (const ReportedDevice* device : group) {
      const auto found = times.find(device->id);
      if (found != times.end()) here.push_back(found->second);
    }
    if (here.size() < 2) continue;
    any = true;
    const double usual = median(here);
    Grid::Row row;
    row.cells = {printable(id), format(second(usual))};
    for (const ReportedDevice* device : group) {
      const auto found = times.find(device->id);
      if (found == times.end()) {
        row.cells.emplace_back("-");
        continue;
      }
      const double share = usual / found->second;
      if (share < kClearlyBelow) row.paint = Paint::yellow;
      row.cells.push_back(format_number(100 * share));
    }
    grid.add(std::move(row));
  }
  if (!any) return {};
  const std::string title =
      wrap("",
           fmt::format("{} devices {}, side by side: rates of a point in % of their median",
                       group.size(), printable(group.front()->name)),
           style.width);
  if (grid.width() > style.width) {
    return "\n" + painted(title, Paint::bold, style.colour) +
           wrap("   ", "not shown at this width; the findings name what stands out", style.width);
  }
  return "\n" + painted(title, Paint::bold, style.colour) + grid.text(style.width, style.colour);
}

}  // namespace

std::string render_comparison(const Report& report, const TableStyle& style) {
  const auto points = times_of(report);
  std::string out;
  for (const Devices& group : equals(report)) out += group_text(group, points, style);
  return out;
}

}  // namespace roofline::report
