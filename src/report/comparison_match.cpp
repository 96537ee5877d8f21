#include "report/comparison_match.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "roofline/fact_lookup.hpp"

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

bool both_have(std::string_view key, const DeviceFacts& a, const DeviceFacts& b) {
  return !text_fact(a.facts, key).empty() && !text_fact(b.facts, key).empty();
}

bool same(std::string_view key, const DeviceFacts& a, const DeviceFacts& b) {
  return both_have(key, a, b) && text_fact(a.facts, key) == text_fact(b.facts, key);
}

/// `cuda:0@runs#2`: merge numbered it by the order of its files, which says nothing.
bool is_by_order(const std::string& id) {
  const std::size_t number = id.find_last_of('#');
  return number != std::string::npos && id.find('@') < number &&
         id.find_first_not_of("0123456789", number + 1) == std::string::npos;
}

bool same_id(const DeviceFacts& a, const DeviceFacts& b) {
  return a.name == b.name && a.id == b.id && !is_by_order(a.id);
}

class Matcher {
 public:
  explicit Matcher(const ComparedRun& first) : first_(first) {
    for (DeviceFacts& device : devices_of(first.head)) {
      out_.devices.push_back({device.id, device.name, false});
      known_.push_back(std::move(device));
    }
  }

  void add(const ComparedRun& run, bool fresh) {
    const std::vector<DeviceFacts> devices = devices_of(run.head);
    const std::vector<std::size_t> slots =
        &run == &first_ ? in_order(devices.size()) : slots_of(devices);
    if (&run != &first_) {
      for (std::size_t i = 0; i < devices.size(); ++i)
        differences_.add(device_differences(known_[slots[i]], devices[i]));
      differences_.add(run_differences(first_.head, run.head));
    }
    std::unordered_map<std::string_view, std::size_t> by_id;
    for (std::size_t i = 0; i < devices.size(); ++i) by_id.emplace(devices[i].id, slots[i]);
    places_.resize(known_.size());
    if (known_.size() == 1) places_.front().reserve(run.points.size());
    ++run_;
    next_ = 0;
    for (const RunPoint& point : run.points) {
      const auto slot = by_id.find(point.device_id);
      add(point, slot == by_id.end() ? slots.front() : slot->second, fresh);
    }
  }

  Matches take() {
    out_.differences = differences_.take();
    return std::move(out_);
  }

 private:
  static std::vector<std::size_t> in_order(std::size_t count) {
    std::vector<std::size_t> out(count);
    std::iota(out.begin(), out.end(), std::size_t{0});
    return out;
  }

  /// Which of the known devices each of these is; those that none is become known.
  std::vector<std::size_t> slots_of(const std::vector<DeviceFacts>& devices) {
    constexpr auto kNone = static_cast<std::size_t>(-1);
    std::vector<std::size_t> out(devices.size(), kNone);
    std::vector<bool> taken(known_.size(), false);
    const auto assign = [&](auto&& fits) {
      const auto free_pair = [&](std::size_t i, std::size_t k) {
        return out[i] == kNone && !taken[k] && fits(known_[k], devices[i]);
      };
      // How many each could be, before any is taken.
      std::vector<std::size_t> choices(devices.size(), 0);
      std::vector<std::size_t> rivals(taken.size(), 0);
      for (std::size_t i = 0; i < devices.size(); ++i) {
        for (std::size_t k = 0; k < taken.size(); ++k) {
          if (!free_pair(i, k)) continue;
          ++choices[i];
          ++rivals[k];
        }
      }
      for (std::size_t i = 0; i < devices.size(); ++i) {
        for (std::size_t k = 0; k < taken.size(); ++k) {
          if (!free_pair(i, k)) continue;
          out[i] = k;
          taken[k] = true;
          if (choices[i] > 1 || rivals[k] > 1) out_.devices[k].unsure = true;
        }
      }
    };
    assign([](const auto& a, const auto& b) { return same("uuid", a, b) && same_id(a, b); });
    assign([](const auto& a, const auto& b) { return same("uuid", a, b); });
    assign([](const auto& a, const auto& b) {
      return same_id(a, b) && (!both_have("host_name", a, b) || same("host_name", a, b));
    });
    assign(
        [](const auto& a, const auto& b) { return a.name == b.name && same("host_name", a, b); });
    assign(same_id);
    assign([](const auto& a, const auto& b) { return a.name == b.name; });
    if (known_.size() == 1 && devices.size() == 1)
      assign([](const auto&, const auto&) { return true; });
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (out[i] != kNone) continue;
      out[i] = known_.size();
      known_.push_back(devices[i]);
      out_.devices.push_back({devices[i].id, devices[i].name, false});
    }
    return out;
  }

  /// Of its match, which is made where there is none.
  std::size_t place_of(const RunPoint& point, std::size_t slot) {
    // Runs of one suite mostly have their points in the same order.
    if (next_ < out_.points.size() && out_.points[next_].device == slot && id_of(next_) == point.id)
      return next_++;
    const auto [found, first] = places_[slot].emplace(point.id, out_.points.size());
    if (first) {
      out_.points.push_back({slot, {}, {}});
      last_run_.push_back(0);
    }
    next_ = found->second + 1;
    return found->second;
  }

  [[nodiscard]] const std::string& id_of(std::size_t place) const {
    const Match& match = out_.points[place];
    return (match.base.runs.empty() ? match.fresh : match.base).runs.front()->id;
  }

  void add(const RunPoint& point, std::size_t slot, bool fresh) {
    const std::size_t place = place_of(point, slot);
    Match& match = out_.points[place];
    MatchedSide& side = fresh ? match.fresh : match.base;
    if (std::exchange(last_run_[place], run_) == run_) {
      side.contradicts = side.contradicts || side.runs.back()->digest != point.digest;
      return;
    }
    const auto& earlier = match.base.runs.empty() ? match.fresh.runs : match.base.runs;
    if (!earlier.empty() && earlier.front()->measured && point.measured)
      differences_.add(point_differences(*earlier.front(), point));
    side.runs.push_back(&point);
  }

  const ComparedRun& first_;
  Matches out_;
  std::vector<DeviceFacts> known_;
  std::vector<std::unordered_map<std::string_view, std::size_t>> places_;  ///< by device and id
  std::size_t next_ = 0;               ///< where the next point may well belong
  std::size_t run_ = 0;                ///< counted from 1
  std::vector<std::size_t> last_run_;  ///< that has the point; beside the points of out_
  Differences differences_;
};

}  // namespace

Matches match(std::span<const ComparedRun> base, std::span<const ComparedRun> fresh) {
  Matcher matcher(base.front());
  for (const ComparedRun& run : base) matcher.add(run, false);
  for (const ComparedRun& run : fresh) matcher.add(run, true);
  return matcher.take();
}

}  // namespace roofline::report
