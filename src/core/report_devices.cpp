#include <algorithm>
#include <iterator>

#include "roofline/fact_lookup.hpp"
#include "roofline/record.hpp"

namespace roofline {
namespace {

/// Those of `all` that are of the device, and no longer say so.
template <class Named>
std::vector<Named> of_device(const std::vector<Named>& all, const std::string& device) {
  std::vector<Named> out;
  for (const Named& one : all) {
    if (one.device != device) continue;
    out.push_back(one);
    out.back().device.clear();
  }
  return out;
}

}  // namespace

bool of_several_devices(const Report& report) { return report.devices.size() > 1; }

Report head_of_device(const Report& report, const ReportedDevice& device) {
  Report out;
  out.schema_version = report.schema_version;
  out.tool_version = report.tool_version;
  out.run = report.run;
  out.merged_from = report.merged_from;
  out.device_id = device.id;
  out.device_name = device.name;
  out.environment = device.facts;
  for (const Fact& fact : report.environment) {
    if (find_fact(out.environment, fact.key) == nullptr) out.environment.push_back(fact);
  }
  const bool several = of_several_devices(report);
  out.roofs = several ? of_device(report.roofs, device.id) : report.roofs;
  out.time_model = several ? of_device(report.time_model, device.id) : report.time_model;
  out.findings = several ? of_device(report.findings, device.id) : report.findings;
  return out;
}

Report only_device(const Report& report, const ReportedDevice& device) {
  Report out = head_of_device(report, device);
  const bool several = of_several_devices(report);
  std::copy_if(report.points.begin(), report.points.end(), std::back_inserter(out.points),
               [&](const Record& point) { return !several || point.device_id == device.id; });
  return out;
}

std::string spoken_name(std::string_view id, std::string_view name) {
  if (name.empty()) return std::string(id);
  return std::string(id) + " (" + std::string(name) + ")";
}

}  // namespace roofline
