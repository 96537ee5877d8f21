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

/// The last `parts` parts of a path.
std::string path_end(const std::string& path, std::size_t parts) {
  std::size_t begin = path.size();
  while (parts-- > 0 && begin != std::string::npos && begin > 0) begin = path.rfind('/', begin - 1);
  return begin == std::string::npos || begin == 0 ? path : path.substr(begin + 1);
}

/// Files by as much of their paths as tells them apart; what nothing tells apart by its number.
std::vector<std::string> sources_of(std::size_t reports, std::span<const std::string> files) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < reports; ++i) {
    const std::string number = "report " + std::to_string(i + 1);
    const std::string file = i < files.size() ? files[i] : "";
    const auto same = std::count(files.begin(), files.end(), file);
    if (file.empty() || file == "-") {
      out.push_back(number);
      continue;
    }
    std::size_t parts = 1;
    const auto alike = [&](const std::string& other) {
      return path_end(other, parts) == path_end(file, parts);
    };
    while (std::count_if(files.begin(), files.end(), alike) > same) ++parts;
    out.push_back(path_end(file, parts) + (same > 1 ? " (" + number + ")" : ""));
  }
  return out;
}

View one_view(const Report& report, const std::string& source) {
  View out{.report = &report,
           .source = source,
           .device_id = report.device_id,
           .device_name = report.device_name,
           .facts = report.devices.empty() ? nullptr : &report.devices.front().facts};
  for (const Record& point : report.points) out.points.push_back(&point);
  for (const RoofEntry& roof : report.roofs) out.roofs.push_back(&roof);
  return out;
}

std::string title_of(const View& view, bool several_runs) {
  std::vector<std::string> parts{named(view)};
  if (!view.device_id.empty() && view.device_id != parts.front()) parts.push_back(view.device_id);
  if (several_runs) parts.push_back(readable_time(view.report->run.started));
  return joined(parts, ", ");
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

std::vector<View> views_of(std::span<const Report> reports, std::span<const std::string> files) {
  std::vector<View> out;
  const std::vector<std::string> sources = sources_of(reports.size(), files);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const Report& report = reports[i];
    if (!of_several_devices(report)) {
      out.push_back(one_view(report, sources[i]));
      continue;
    }
    for (const ReportedDevice& device : report.devices) {
      View view{.report = &report,
                .source = sources[i],
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

std::vector<std::string> view_titles(std::span<const View> all) {
  if (all.size() < 2) return std::vector<std::string>(all.size());
  const bool several_runs = std::any_of(all.begin(), all.end(), [&](const View& other) {
    return other.report != all.front().report;
  });
  std::vector<std::string> out;
  for (const View& view : all) out.push_back(title_of(view, several_runs));
  // Two runs of one device that were begun in the same minute.
  const std::vector<std::string> plain = out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (std::count(plain.begin(), plain.end(), plain[i]) > 1) out[i] += ", " + all[i].source;
  }
  return out;
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
