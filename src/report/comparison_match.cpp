#include "report/comparison_match.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace roofline::report {
namespace {

/// Differences of a kind once, with the number of places.
class Differences {
 public:
  void add(std::vector<Difference> more) {
    for (Difference& difference : more) {
      const auto key = std::tuple{difference.what, difference.base, difference.fresh};
      const auto [place, first] = places_.emplace(key, out_.size());
      if (first) {
        out_.push_back(std::move(difference));
        others_.push_back(0);
      } else if (out_[place->second].where != difference.where) {
        ++others_[place->second];
      }
    }
  }

  std::vector<Difference> take() {
    for (std::size_t i = 0; i < out_.size(); ++i) {
      if (others_[i] != 0) out_[i].where += " and " + std::to_string(others_[i]) + " more";
    }
    std::stable_partition(out_.begin(), out_.end(), [](const auto& d) { return d.refuses; });
    return std::move(out_);
  }

 private:
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places_;
  std::vector<Difference> out_;
  std::vector<std::size_t> others_;
};

class Matcher {
 public:
  explicit Matcher(const Report& first) : first_(first) {
    for (DeviceFacts& device : devices_of(first)) {
      out_.devices.push_back({device.id, device.name});
      known_.push_back(std::move(device));
    }
  }

  void add(const Report& report, bool fresh) {
    const std::vector<DeviceFacts> devices = devices_of(report);
    const std::vector<std::size_t> slots = slots_of(devices);
    if (&report != &first_) {
      for (std::size_t i = 0; i < devices.size(); ++i)
        differences_.add(device_differences(known_[slots[i]], devices[i]));
      differences_.add(run_differences(first_, report));
    }
    std::unordered_map<std::string, std::size_t> by_id;
    for (std::size_t i = 0; i < devices.size(); ++i) by_id.emplace(devices[i].id, slots[i]);
    for (const Record& record : report.points) {
      const auto slot = by_id.find(record.device_id);
      add(record, report, slot == by_id.end() ? slots.front() : slot->second, fresh);
    }
  }

  Matches take() {
    out_.differences = differences_.take();
    return std::move(out_);
  }

 private:
  /// Which of the known devices each of these is; those that none is become known.
  std::vector<std::size_t> slots_of(const std::vector<DeviceFacts>& devices) {
    constexpr auto kNone = static_cast<std::size_t>(-1);
    std::vector<std::size_t> out(devices.size(), kNone);
    std::vector<bool> taken(known_.size(), false);
    const auto assign = [&](auto&& fits) {
      for (std::size_t i = 0; i < devices.size(); ++i) {
        for (std::size_t k = 0; k < taken.size() && out[i] == kNone; ++k) {
          if (taken[k] || !fits(known_[k], devices[i])) continue;
          out[i] = k;
          taken[k] = true;
        }
      }
    };
    assign([](const auto& a, const auto& b) { return a.name == b.name && a.id == b.id; });
    assign([](const auto& a, const auto& b) { return a.name == b.name; });
    if (known_.size() == 1 && devices.size() == 1)
      assign([](const auto&, const auto&) { return true; });
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (out[i] != kNone) continue;
      out[i] = known_.size();
      known_.push_back(devices[i]);
      out_.devices.push_back({devices[i].id, devices[i].name});
    }
    return out;
  }

  void add(const Record& record, const Report& report, std::size_t slot, bool fresh) {
    const auto [place, first] =
        places_.emplace(std::to_string(slot) + '\n' + record.id, out_.points.size());
    if (first) out_.points.push_back({slot, {}, {}});
    Match& match = out_.points[place->second];
    const Found* const other = !match.base.empty()    ? &match.base.front()
                               : !match.fresh.empty() ? &match.fresh.front()
                                                      : nullptr;
    const auto ran = [](const Record& r) { return std::holds_alternative<Measured>(r.outcome); };
    if (other != nullptr && ran(*other->record) && ran(record))
      differences_.add(point_differences(*other->record, record));
    (fresh ? match.fresh : match.base).push_back({&record, &report});
  }

  const Report& first_;
  Matches out_;
  std::vector<DeviceFacts> known_;
  std::unordered_map<std::string, std::size_t> places_;
  Differences differences_;
};

}  // namespace

Matches match(std::span<const Report> base, std::span<const Report> fresh) {
  Matcher matcher(base.front());
  for (const Report& report : base) matcher.add(report, false);
  for (const Report& report : fresh) matcher.add(report, true);
  return matcher.take();
}

}  // namespace roofline::report
