#include "report/table_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
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

/// How much is left out of the columns to make them fit.
enum class Detail { all, no_median, short_names };

/// `cuda:3` is 3 among others of its kind.
std::string short_name(const std::string& id) { return id.substr(id.rfind(':') + 1); }

std::vector<Grid::Column> columns_of(const Devices& group, Detail detail) {
  std::vector<Grid::Column> out{{"point", {}, false}};
  if (detail == Detail::all) out.push_back({"median", {}, true});
  for (const ReportedDevice* device : group) {
    const bool whole = detail != Detail::short_names;
    out.push_back({printable(whole ? device->id : short_name(device->id)), "%", true});
  }
  return out;
}

/// Nothing where no point was measured on two of them.
std::optional<Grid> grid_of(const Devices& group,
                            const std::vector<std::pair<std::string, Times>>& points,
                            Detail detail) {
  Grid grid(columns_of(group, detail));
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
    row.cells.push_back(printable(id));
    if (detail == Detail::all) row.cells.push_back(format(second(usual)));
    for (const ReportedDevice* device : group) {
      const auto found = times.find(device->id);
      const double share = found == times.end() ? 1 : usual / found->second;
      if (share < kClearlyBelow) row.paint = Paint::yellow;
      row.cells.push_back(found == times.end() ? "-" : format_number(100 * share));
    }
    grid.add(std::move(row));
  }
  if (!any) return std::nullopt;
  return grid;
}

std::string group_text(const Devices& group,
                       const std::vector<std::pair<std::string, Times>>& points,
                       const TableStyle& style) {
  const std::string title =
      "\n" + painted(wrap("",
                          fmt::format("{} devices {}, side by side: rates of "
                                      "a point in % of their median",
                                      group.size(), printable(group.front()->name)),
                          style.width),
                     Paint::bold, style.colour);
  for (const Detail detail : {Detail::all, Detail::no_median, Detail::short_names}) {
    const auto grid = grid_of(group, points, detail);
    if (!grid) return {};
    if (grid->width() <= style.width) return title + grid->text(style.width, style.colour);
  }
  return title +
         wrap("   ", "not shown at this width; the findings name what stands out", style.width);
}

}  // namespace

std::string render_comparison(const Report& report, const TableStyle& style) {
  const auto points = times_of(report);
  std::string out;
  for (const Devices& group : equals(report)) out += group_text(group, points, style);
  return out;
}

}  // namespace roofline::report
