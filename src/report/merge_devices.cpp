#include "report/merge_devices.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "roofline/fact_lookup.hpp"

namespace roofline::report {
namespace {

/// What changes from run to run on one machine, or says how a device is numbered.
bool changes_by_itself(const std::string& key) {
  constexpr std::string_view kKeys[] = {"memory_available_byte", "memory_free_bytes",
                                        "other_processes",       "cuda_index",
                                        "imported_from",         "imported_rows"};
  return std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
}

Facts lasting(const Facts& facts) {
  Facts out;
  for (const Fact& fact : facts) {
    if (!changes_by_itself(fact.key)) out.push_back(fact);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Fact& a, const Fact& b) { return a.key < b.key; });
  return out;
}

/// A device of a source with all that is said of it.
MergedDevice device_of(const MergeSource& source, std::size_t index, const std::string& id,
                       const std::string& name, const Facts& own) {
  MergedDevice out{id, name, source.label, own, {{index, id}}};
  for (const Fact& fact : source.report.environment) {
    if (find_fact(own, fact.key) == nullptr) out.all_facts.push_back(fact);
  }
  return out;
}

std::vector<MergedDevice> devices_of(const MergeSource& source, std::size_t index) {
  const Report& report = source.report;
  if (report.devices.empty())
    return {device_of(source, index, report.device_id, report.device_name, {})};
  std::vector<MergedDevice> out;
  for (const ReportedDevice& device : report.devices)
    out.push_back(device_of(source, index, device.id, device.name, device.facts));
  return out;
}

bool same_device(const MergedDevice& a, const MergedDevice& b) {
  if (a.label != b.label || a.name != b.name) return false;
  const std::string uuid = text_fact(a.all_facts, "uuid");
  // The index of a card depends on what a process may see; its uuid is its own.
  if (uuid.empty() && a.id != b.id) return false;
  return lasting(a.all_facts) == lasting(b.all_facts);
}

/// `runs/node1.json` is node1.
std::string stem_of(const std::string& file) {
  const std::size_t slash = file.find_last_of('/');
  std::string out = slash == std::string::npos ? file : file.substr(slash + 1);
  for (const char* ending : {".journal", ".json"}) {
    const std::string_view end(ending);
    if (out.ends_with(end)) out.resize(out.size() - end.size());
  }
  return out.empty() ? "report" : out;
}

/// With the folder before it.
std::string longer_stem(const std::string& file) {
  const std::size_t slash = file.find_last_of('/');
  if (slash == std::string::npos || slash == 0) return stem_of(file);
  return stem_of(file.substr(0, slash)) + "/" + stem_of(file);
}

using MergedDevices = std::vector<MergedDevice*>;

bool all_differ(const MergedDevices& devices, const std::vector<std::string>& labels) {
  return std::set<std::string>(labels.begin(), labels.end()).size() == devices.size();
}

/// What tells the devices of one id apart: what the user calls them, or else their files.
std::vector<std::string> labels_for(const MergedDevices& devices,
                                    const std::vector<MergeSource>& sources) {
  std::vector<std::string> labels;
  for (const bool longer : {false, true}) {
    labels.clear();
    for (const MergedDevice* device : devices) {
      const std::string& file = sources[device->places.front().source].file;
      labels.push_back(!device->label.empty() ? device->label
                       : longer               ? longer_stem(file)
                                              : stem_of(file));
    }
    if (all_differ(devices, labels)) return labels;
  }
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] += "#" + std::to_string(i + 1);
  return labels;
}

}  // namespace

std::vector<MergedDevice> merged_devices(const std::vector<MergeSource>& sources,
                                         std::vector<std::string>& notes) {
  std::vector<MergedDevice> out;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (MergedDevice& device : devices_of(sources[i], i)) {
      const auto known = std::find_if(out.begin(), out.end(), [&](const MergedDevice& other) {
        return other.places.back().source != i && same_device(other, device);
      });
      if (known != out.end()) {
        known->places.push_back(device.places.front());
      } else {
        out.push_back(std::move(device));
      }
    }
  }
  std::map<std::string, MergedDevices> by_id;
  for (MergedDevice& device : out) by_id[device.id].push_back(&device);
  for (const auto& [id, devices] : by_id) {
    if (devices.size() < 2) continue;
    const std::vector<std::string> labels = labels_for(devices, sources);
    std::string names;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      devices[i]->id += "@" + labels[i];
      if (i < 4) names += (i == 0 ? "" : ", ") + devices[i]->id;
    }
    if (devices.size() > 4) names += " ...";
    notes.push_back(std::to_string(devices.size()) + " different devices are called " + id +
                    "; here they are " + names);
  }
  return out;
}

Facts shared_facts(const std::vector<MergedDevice>& devices) {
  Facts out;
  for (const Fact& fact : devices.front().all_facts) {
    const bool everywhere =
        std::all_of(devices.begin(), devices.end(), [&](const MergedDevice& device) {
          const FactValue* theirs = find_fact(device.all_facts, fact.key);
          return theirs != nullptr && *theirs == fact.value;
        });
    if (everywhere) out.push_back(fact);
  }
  return out;
}

Facts facts_beside(const MergedDevice& device, const Facts& shared) {
  Facts out;
  for (const Fact& fact : device.all_facts) {
    if (find_fact(shared, fact.key) == nullptr) out.push_back(fact);
  }
  return out;
}

}  // namespace roofline::report
