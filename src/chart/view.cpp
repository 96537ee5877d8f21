#include "chart/view.hpp"

#include <algorithm>
#include <set>

#include "roofline/fact_lookup.hpp"

namespace roofline::chart {
namespace {

std::string named(const View& view) {
  if (!view.device_name.empty()) return view.device_name;
  return view.device_id.empty() ? "unknown device" : view.device_id;
}

/// `2026-03-01T12:34:56Z` is `2026-03-01 12:34 UTC`; anything else stays.
std::string readable_time(const std::string& started) {
  const bool rfc3339 = started.size() >= 20 && started[10] == 'T' && started.back() == 'Z';
  return rfc3339 ? started.substr(0, 10) + " " + started.substr(11, 5) + " UTC" : started;
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (!out.empty()) out += separator;
    out += part;
  }
  return out;
}

View one_view(const Report& report) {
  View out{.report = &report,
           .device_id = report.device_id,
           .device_name = report.device_name,
           .facts = report.devices.empty() ? nullptr : &report.devices.front().facts};
  for (const Record& point : report.points) out.points.push_back(&point);
  for (const RoofEntry& roof : report.roofs) out.roofs.push_back(&roof);
  return out;
}

}  // namespace

std::string View::text(std::string_view fact) const {
  std::string found = facts != nullptr ? text_fact(*facts, fact) : "";
  return found.empty() ? text_fact(report->environment, fact) : found;
}

double View::number(std::string_view fact) const {
  const auto own = facts != nullptr ? number_fact(*facts, fact) : std::nullopt;
  return own ? *own : number_fact(report->environment, fact).value_or(0);
}

bool View::flag(std::string_view fact) const {
  return (facts != nullptr && flag_fact(*facts, fact)) || flag_fact(report->environment, fact);
}

std::vector<View> views_of(std::span<const Report> reports) {
  std::vector<View> out;
  for (const Report& report : reports) {
    if (!of_several_devices(report)) {
      out.push_back(one_view(report));
      continue;
    }
    for (const ReportedDevice& device : report.devices) {
      View view{.report = &report,
                .device_id = device.id,
                .device_name = device.name,
                .facts = &device.facts};
      for (const Record& point : report.points) {
        if (point.device_id == device.id) view.points.push_back(&point);
      }
      for (const RoofEntry& roof : report.roofs) {
        if (roof.device == device.id) view.roofs.push_back(&roof);
      }
      out.push_back(std::move(view));
    }
  }
  return out;
}

std::string view_title(const View& view, std::span<const View> all) {
  if (all.size() < 2) return {};
  std::vector<std::string> parts{named(view)};
  if (!view.device_id.empty() && view.device_id != parts.front()) parts.push_back(view.device_id);
  const bool several_runs = std::any_of(
      all.begin(), all.end(), [&](const View& other) { return other.report != view.report; });
  if (several_runs) parts.push_back(readable_time(view.report->run.started));
  return joined(parts, ", ");
}

std::string figure_title(std::span<const View> views) {
  if (views.empty()) return "nothing";
  std::vector<std::string> names;
  for (const View& view : views) {
    const std::string name = named(view);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  constexpr std::size_t kFew = 3;
  if (names.size() > kFew) return std::to_string(views.size()) + " devices";
  if (names.size() == 1 && views.size() > 1) {
    const bool one_run = std::all_of(views.begin(), views.end(), [&](const View& view) {
      return view.report == views.front().report;
    });
    return names.front() + (one_run ? ", " + std::to_string(views.size()) + " devices"
                                    : ", " + std::to_string(views.size()) + " times");
  }
  return joined(names, " and ");
}

std::string figure_subtitle(std::span<const Report> reports) {
  if (reports.empty()) return {};
  if (reports.size() > 1) {
    std::set<std::string> versions;
    for (const Report& report : reports) versions.insert(report.tool_version);
    return joined(
        {std::to_string(reports.size()) + " reports",
         versions.size() == 1 && !versions.begin()->empty() ? "roofline " + *versions.begin() : ""},
        ", ");
  }
  const Report& report = reports.front();
  return joined({readable_time(report.run.started),
                 report.run.suite.empty() ? "" : "suite " + report.run.suite,
                 report.tool_version.empty() ? "" : "roofline " + report.tool_version},
                ", ");
}

std::vector<std::string> figure_warnings(std::span<const View> views) {
  std::vector<std::string> out;
  const auto say = [&](const std::string& sentence) {
    if (std::find(out.begin(), out.end(), sentence) == out.end()) out.push_back(sentence);
  };
  for (const View& view : views) {
    const std::string who = named(view);
    if (view.flag("simulated") || who.starts_with("FAKE ")) {
      say("Simulated device (" + who + "): no figure here is of hardware.");
    } else if (view.text("backend") == "scripted" || who.starts_with("scripted: ")) {
      say("Replayed from a script (" + who + "): nothing here was measured.");
    }
    if (view.report->run.interrupted) {
      say("The run was cut short: these are the points measured until then.");
    }
  }
  return out;
}

}  // namespace roofline::chart
