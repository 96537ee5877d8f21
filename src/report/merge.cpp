#include "report/merge.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "report/merge_devices.hpp"
#include "roofline/diagnosis.hpp"
#include "roofline/error.hpp"
#include "roofline/roof_book.hpp"
#include "roofline/time_model.hpp"

namespace roofline::report {
namespace {

/// A point of a device, and the source that it is from.
struct Part {
  Record record;
  std::size_t source;
};

bool equal_samples(const std::vector<Sample>& a, const std::vector<Sample>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Sample& x, const Sample& y) {
    return x.duration == y.duration && x.iterations == y.iterations;
  });
}

/// The very same measurement, which came in twice.
bool same_measurement(const Record& a, const Record& b) {
  const auto* one = std::get_if<Measured>(&a.outcome);
  const auto* other = std::get_if<Measured>(&b.outcome);
  if (one == nullptr || other == nullptr)
    return one == other && a.outcome.index() == b.outcome.index();
  return a.workload == b.workload && one->time_median == other->time_median &&
         equal_samples(one->samples, other->samples);
}

/// How good a measurement is, and how long it took: smaller is better.
std::tuple<int, double> rank(const Record& record) {
  const auto* measured = std::get_if<Measured>(&record.outcome);
  if (measured == nullptr) return {4, 0};
  int doubt = 0;
  if (!trusted(measured->end)) doubt += 2;
  if (measured->verification.state != VerificationState::verified) doubt += 1;
  return {doubt, in_second(measured->time_median)};
}

std::string in_words(const std::vector<MergeSource>& sources, std::size_t a, std::size_t b) {
  return sources[a].file + " and " + sources[b].file;
}

/// The points of one device, one of each id.
class DevicePoints {
 public:
  DevicePoints(const MergedDevice& device, const std::vector<MergeSource>& sources, Keep keep)
      : device_(device), sources_(sources), keep_(keep) {}

  void add(Part part) {
    const auto [at, fresh] = places_.emplace(part.record.id, parts_.size());
    if (fresh) {
      parts_.push_back(std::move(part));
      return;
    }
    Part& known = parts_[at->second];
    if (known.source == part.source) {
      // One report has it twice; that is for the audit to say.
      parts_.push_back(std::move(part));
      return;
    }
    settle(known, std::move(part));
  }

  /// Throws InputError where something is left to decide.
  void require_settled() const {
    if (!conflict_) return;
    std::string text = in_words(sources_, conflict_->first, conflict_->second) + " both measured " +
                       conflicting_ + " of " + device_.id;
    if (conflicts_ > 1) text += " and " + std::to_string(conflicts_ - 1) + " other points";
    throw InputError(text +
                     "; say which stays (--keep first, last or best), or name the machines if "
                     "they are different ones (node1=" +
                     sources_[conflict_->first].file +
                     " node2=" + sources_[conflict_->second].file + ")");
  }

  [[nodiscard]] std::size_t dropped() const { return dropped_; }
  [[nodiscard]] std::vector<Part>& parts() { return parts_; }
  /// Whether the point with this id that stayed is from `source`, or there is none.
  [[nodiscard]] bool stayed(const std::string& id, std::size_t source) const {
    const auto at = places_.find(id);
    return at == places_.end() || parts_[at->second].source == source;
  }

 private:
  void settle(Part& known, Part&& part) {
    ++dropped_;
    if (same_measurement(known.record, part.record)) return;
    const bool had = std::holds_alternative<Skipped>(known.record.outcome);
    const bool has = std::holds_alternative<Skipped>(part.record.outcome);
    if (has) return;
    bool replace = had;
    if (!had) {
      if (keep_ == Keep::none) {
        if (!conflict_) {
          conflict_ = {known.source, part.source};
          conflicting_ = part.record.id;
        }
        ++conflicts_;
        return;
      }
      replace =
          keep_ == Keep::last || (keep_ == Keep::best && rank(part.record) < rank(known.record));
    }
    if (replace) known = std::move(part);
  }

  const MergedDevice& device_;
  const std::vector<MergeSource>& sources_;
  Keep keep_;
  std::vector<Part> parts_;
  std::unordered_map<std::string, std::size_t> places_;
  std::optional<std::pair<std::size_t, std::size_t>> conflict_;
  std::string conflicting_;
  std::size_t conflicts_ = 0;
  std::size_t dropped_ = 0;
};

/// The order of peaks by which the points of the sources were held against theirs.
PeakOrder order_of(const std::vector<RoofEntry>& roofs, const std::vector<Part>& parts) {
  RoofBook books[] = {RoofBook(PeakOrder::demonstrated_first), RoofBook(PeakOrder::rated_first)};
  std::size_t votes[] = {0, 0};
  for (std::size_t i = 0; i < 2; ++i) {
    for (const RoofEntry& entry : roofs) books[i].add(entry);
    for (const Part& part : parts) {
      const Record& record = part.record;
      const auto own = books[i].roofs_for(record.workload, record.account).compute;
      const auto& held = record.roofs.compute;
      if (own && held && own->origin == held->origin) ++votes[i];
    }
  }
  return votes[1] > votes[0] ? PeakOrder::rated_first : PeakOrder::demonstrated_first;
}

/// Roofs of the device in one source, no longer saying whose they are.
std::vector<RoofEntry> roofs_in(const Report& report, const std::string& id) {
  std::vector<RoofEntry> out;
  for (RoofEntry entry : report.roofs) {
    if (of_several_devices(report) && entry.device != id) continue;
    entry.device.clear();
    out.push_back(std::move(entry));
  }
  return out;
}

/// Points of several reports under the roofs of all of them.
std::vector<RoofEntry> join(const MergedDevice& device, const std::vector<MergeSource>& sources,
                            DevicePoints& points, std::vector<TimeFit>& fits) {
  std::vector<RoofEntry> roofs;
  for (const MergedDevice::Place& place : device.places) {
    for (RoofEntry& entry : roofs_in(sources[place.source].report, place.id)) {
      // A roof goes with the point that showed it.
      if (points.stayed(entry.point, place.source)) roofs.push_back(std::move(entry));
    }
  }
  RoofBook book(order_of(roofs, points.parts()));
  for (RoofEntry& entry : roofs) book.add(std::move(entry));
  Report alone;
  for (Part& part : points.parts()) {
    const Roofs before = part.record.roofs;
    place_record(part.record, book);
    // Why a roof is missing was known to whoever measured.
    if (!part.record.roofs.compute && !before.compute_reason.empty())
      part.record.roofs.compute_reason = before.compute_reason;
    if (!part.record.roofs.memory && !before.memory_reason.empty())
      part.record.roofs.memory_reason = before.memory_reason;
    if (!part.record.roofs.overhead) part.record.roofs.overhead_reason = before.overhead_reason;
    alone.points.push_back(std::move(part.record));
  }
  model_times(alone);
  for (std::size_t i = 0; i < alone.points.size(); ++i)
    points.parts()[i].record = std::move(alone.points[i]);
  fits = std::move(alone.time_model);
  return book.entries();
}

std::vector<TimeFit> fits_in(const Report& report, const std::string& id) {
  std::vector<TimeFit> out;
  for (TimeFit fit : report.time_model) {
    if (of_several_devices(report) && fit.device != id) continue;
    out.push_back(std::move(fit));
  }
  return out;
}

RunEnd worse(RunEnd a, RunEnd b) { return std::max(a, b); }

RunInfo run_of(const std::vector<MergeSource>& sources) {
  RunInfo out = sources.front().report.run;
  out.id.clear();
  out.resumed_from.clear();
  for (std::size_t i = 1; i < sources.size(); ++i) {
    const RunInfo& run = sources[i].report.run;
    if (!run.started.empty() && (out.started.empty() || run.started < out.started))
      out.started = run.started;
    out.duration = out.duration + run.duration;
    if (run.suite != out.suite) out.suite = "merged";
    if (run.seed != out.seed) out.seed = 0;
    out.interrupted = out.interrupted || run.interrupted;
    out.end = worse(out.end, run.end);
  }
  return out;
}

/// The ids that the devices of a source have in the merged report, in the order of the source.
std::vector<std::string> ids_of(const std::vector<MergedDevice>& devices, std::size_t source) {
  std::vector<std::string> out;
  for (const MergedDevice& device : devices) {
    for (const MergedDevice::Place& place : device.places) {
      if (place.source == source) out.push_back(device.id);
    }
  }
  return out;
}

std::vector<MergedRun> runs_of(const std::vector<MergeSource>& sources,
                               const std::vector<MergedDevice>& devices) {
  std::vector<MergedRun> out;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Report& report = sources[i].report;
    if (report.merged_from.empty()) {
      out.push_back({sources[i].file, report.tool_version, report.run, ids_of(devices, i)});
      continue;
    }
    // What was merged before is made of its own runs.
    for (MergedRun run : report.merged_from) {
      for (std::string& id : run.devices) {
        for (const MergedDevice& device : devices) {
          for (const MergedDevice::Place& place : device.places) {
            if (place.source == i && place.id == id) id = device.id;
          }
        }
      }
      out.push_back(std::move(run));
    }
  }
  return out;
}

/// Takes the points of every source apart by device.
std::vector<DevicePoints> points_by_device(std::vector<MergeSource>& sources,
                                           const std::vector<MergedDevice>& devices, Keep keep) {
  std::vector<DevicePoints> out;
  out.reserve(devices.size());
  for (const MergedDevice& device : devices) out.emplace_back(device, sources, keep);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    std::unordered_map<std::string, std::size_t> places;
    for (std::size_t d = 0; d < devices.size(); ++d) {
      for (const MergedDevice::Place& place : devices[d].places) {
        if (place.source == i) places.emplace(place.id, d);
      }
    }
    Report& report = sources[i].report;
    for (Record& record : report.points) {
      auto at = places.find(record.device_id);
      // In a report of one device all is of that one, whatever its points say.
      if (at == places.end() && places.size() == 1) at = places.begin();
      if (at == places.end()) {
        throw InputError(sources[i].file + ": " + record.id + " is of the device " +
                         record.device_id + ", which the report does not list; audit it first");
      }
      record.device_id = devices[at->second].id;
      out[at->second].add({std::move(record), i});
    }
    report.points.clear();
  }
  for (const DevicePoints& points : out) points.require_settled();
  return out;
}

void append(Report& out, const MergedDevice& device, const std::vector<MergeSource>& sources,
            DevicePoints& points, bool several) {
  std::vector<RoofEntry> roofs;
  std::vector<TimeFit> fits;
  if (device.places.size() > 1) {
    roofs = join(device, sources, points, fits);
  } else {
    const MergedDevice::Place& place = device.places.front();
    roofs = roofs_in(sources[place.source].report, place.id);
    fits = fits_in(sources[place.source].report, place.id);
  }
  for (RoofEntry& entry : roofs) {
    entry.device = several ? device.id : std::string();
    out.roofs.push_back(std::move(entry));
  }
  for (TimeFit& fit : fits) {
    fit.device = several ? device.id : std::string();
    out.time_model.push_back(std::move(fit));
  }
  for (Part& part : points.parts()) out.points.push_back(std::move(part.record));
}

}  // namespace

Merged merge(std::vector<MergeSource> sources, Keep keep) {
  if (sources.size() < 2) {
    throw InputError("merge needs two reports or more; name them one after the other");
  }
  Merged out;
  const std::vector<MergedDevice> devices = merged_devices(sources, out.notes);
  Report& report = out.report;
  report.run = run_of(sources);
  report.merged_from = runs_of(sources, devices);
  report.device_id = devices.front().id;
  report.device_name = devices.front().name;
  report.environment = shared_facts(devices);
  const bool several = devices.size() > 1;
  const bool facts_apart =
      several || std::any_of(sources.begin(), sources.end(), [](const MergeSource& source) {
        return !source.report.devices.empty();
      });
  std::vector<DevicePoints> points = points_by_device(sources, devices, keep);
  std::size_t dropped = 0;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (facts_apart) {
      report.devices.push_back(
          {devices[i].id, devices[i].name, facts_beside(devices[i], report.environment)});
    }
    dropped += points[i].dropped();
    append(report, devices[i], sources, points[i], several);
  }
  if (dropped != 0) {
    out.notes.push_back(std::to_string(dropped) + (dropped == 1 ? " point was" : " points were") +
                        " there twice, and one of the two stays");
  }
  diagnose(report);
  return out;
}

}  // namespace roofline::report
