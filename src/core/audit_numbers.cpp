#include <algorithm>
#include <cmath>
#include <set>

#include "audit_rules.hpp"
#include "limits.hpp"
#include "roofline/error.hpp"
#include "roofline/fact_lookup.hpp"
#include "roofline/time_model.hpp"

namespace roofline::audit_detail {
namespace {

using Numbers = std::vector<std::optional<double>>;

/// A number of each derivation.
template <class Get>
Numbers each(const PointView& view, const Get& get) {
  Numbers out;
  for (const Derived& derived : view.derived) out.push_back(get(derived));
  return out;
}

template <class Get>
std::vector<std::string> each_word(const PointView& view, const Get& get) {
  std::vector<std::string> out;
  for (const Derived& derived : view.derived) out.push_back(get(derived));
  return out;
}

std::string flag_word(bool value) { return value ? "true" : "false"; }

/// The name of a value that may not be there.
template <class Enum>
std::string word(const std::optional<Enum>& value) {
  return value ? std::string(name(*value)) : std::string();
}

std::optional<double> count_of(const std::optional<Count>& count) {
  if (!count) return std::nullopt;
  return count->as_double();
}

/// A fit amplifies the last digits, which depend on the order of its points.
std::optional<double> fitted_value(double stored, double right) {
  constexpr double kLoose = 1e-3;
  return std::abs(stored - right) <= kLoose * std::max(std::abs(stored), std::abs(right)) ? stored
                                                                                          : right;
}

/// The side that a point of these counts has of the ridge that was predicted from.
std::string side_of_prediction(const Account& account, Intensity ridge) {
  Roofs roofs;
  roofs.compute.emplace().peak = byte_per_s(1) * ridge;
  roofs.memory.emplace().bandwidth = byte_per_s(1);
  roofs.memory->boundary = account.boundary;
  return word(place(account, roofs).bound);
}

/// What a point of these counts shows, in the unit of the roof.
std::optional<double> shown_by(const Account& account, Seconds time, const RoofEntry& entry) {
  if (std::holds_alternative<OverheadRoof>(entry.roof)) return in_second(time);
  if (std::holds_alternative<MemoryRoof>(entry.roof))
    return total_traffic(account).as_double() / in_second(time);
  if (!account.work) return std::nullopt;
  return account.work->as_double() / in_second(time);
}

/// The same of the point behind a roof, by its counts as they stand and by the right ones: that
/// these differ is another rule's affair.
Numbers shown_by(const Record& point, const RoofEntry& entry) {
  const auto* measured = std::get_if<Measured>(&point.outcome);
  if (measured == nullptr || !usable(measured->time_median)) return {std::nullopt};
  Numbers out{shown_by(point.account, measured->time_median, entry)};
  try {
    out.push_back(shown_by(account(point.workload), measured->time_median, entry));
  } catch (const InputError&) {
    return out;
  }
  return out;
}

struct RoofFigure {
  const char* key;
  double value;
  Origin origin;
};

RoofFigure figure_of(const RoofEntry& entry) {
  if (const auto* memory = std::get_if<MemoryRoof>(&entry.roof))
    return {"bandwidth_byte_per_s", in_byte_per_s(memory->bandwidth), memory->origin};
  if (const auto* compute = std::get_if<ComputeRoof>(&entry.roof))
    return {"peak_flop_per_s", in_flop_per_s(compute->peak), compute->origin};
  const auto& overhead = std::get<OverheadRoof>(entry.roof);
  return {"overhead_s", in_second(overhead.time), overhead.origin};
}

}  // namespace

Found wrong_count(const PointView& view) {
  const Account& stored = view.point.account;
  if (!view.uncountable.empty())
    return {{"the workload cannot be counted: " + view.uncountable, "workload"}};
  if (!view.counted) return {};
  const Account& right = *view.counted;
  Comparison comparison(view.device.whole);
  comparison.number("work_flop", count_of(stored.work), count_of(right.work));
  comparison.number("traffic_byte.total", total_traffic(stored).as_double(),
                    total_traffic(right).as_double());
  comparison.number("traffic_byte.moved", moved_traffic(stored).as_double(),
                    moved_traffic(right).as_double());
  comparison.word("traffic_byte.boundary", name(stored.boundary),
                  {std::string(name(right.boundary))});
  for (const TensorTraffic& tensor : stored.traffic) {
    Numbers expected;
    for (const TensorTraffic& t : right.traffic) {
      if (t.tensor == tensor.tensor && t.direction == tensor.direction)
        expected.emplace_back(t.bytes.as_double());
    }
    comparison.number("traffic_byte.by_tensor." + tensor.tensor, tensor.bytes.as_double(),
                      expected);
  }
  // What is only half counted, or left out, has a rule of its own.
  if (view.fault != CountFault::other) return {};
  return comparison.take();
}

Found wrong_statistic(const PointView& view) {
  if (view.measured == nullptr) return {};
  const Measured& stored = *view.measured;
  if (view.figures.empty()) {
    const bool bad = std::any_of(stored.samples.begin(), stored.samples.end(),
                                 [](const Sample& sample) { return sample.iterations == 0; });
    if (bad) return {{"a sample has 0 iterations, and no time per call", "samples"}};
    return {};
  }
  const double median = in_second(stored.time_median);
  const auto same = std::find_if(view.figures.begin(), view.figures.end(),
                                 [&](const Figures& f) { return agree(f.median_s, median); });
  const Figures& right = same == view.figures.end() ? view.figures.front() : *same;
  Comparison comparison(view.device.whole);
  comparison.number("time_median_s", median, right.median_s);
  comparison.number("time_min_s", in_second(stored.time_min), right.minimum_s);
  comparison.number("noise", stored.noise, right.noise);
  comparison.number("clock_hz", plain(stored.clock), right.clock_hz);
  if (stored.time_interval) {
    std::optional<double> low;
    std::optional<double> high;
    std::optional<double> coverage;
    if (right.interval) {
      low = right.interval->low;
      high = right.interval->high;
      coverage = right.interval->coverage;
    }
    comparison.number("time_interval_s.low", stored.time_interval->low, low);
    comparison.number("time_interval_s.high", stored.time_interval->high, high);
    comparison.number("time_interval_s.coverage", stored.time_interval->coverage, coverage);
  }
  // A probe's own account of its arithmetic.
  const Facts& facts = view.point.implementation;
  const auto share = number_fact(facts, "of_ideal");
  const auto ideal = number_fact(facts, "ideal_flop_per_cycle");
  if (share && ideal) {
    comparison.number("implementation.flop_per_cycle", number_fact(facts, "flop_per_cycle"),
                      *share * *ideal);
  }
  Found out = comparison.take();
  if (same == view.figures.end() && !out.empty() && agree(median, right.minimum_s))
    out.front().text += ": it is the fastest sample, not the median";
  return out;
}

Found wrong_placement(const PointView& view) {
  const Placement& stored = view.point.placement;
  Comparison comparison(view.device.whole);
  const auto number = [&](const char* field, std::optional<double> value, const auto& get) {
    comparison.number(field, value, each(view, [&](const Derived& d) { return get(d.placement); }));
  };
  number("intensity_flop_per_byte", plain(stored.intensity),
         [](const Placement& p) { return plain(p.intensity); });
  number("ridge_flop_per_byte", plain(stored.ridge),
         [](const Placement& p) { return plain(p.ridge); });
  number("ridge_distance", stored.ridge_distance,
         [](const Placement& p) { return p.ridge_distance; });
  number("ceiling_flop_per_s", plain(stored.ceiling),
         [](const Placement& p) { return plain(p.ceiling); });
  number("mfu_ceiling", stored.mfu_ceiling, [](const Placement& p) { return p.mfu_ceiling; });
  number("floor_s", plain(stored.floor), [](const Placement& p) { return plain(p.floor); });
  comparison.word("bound", word(stored.bound),
                  each_word(view, [](const Derived& d) { return word(d.placement.bound); }));
  // Without a ridge the flag says nothing, and is null in the file.
  if (stored.ridge_distance) {
    comparison.word(
        "near_ridge", flag_word(stored.near_ridge),
        each_word(view, [](const Derived& d) { return flag_word(d.placement.near_ridge); }));
  }
  // The roofs were those of before; its side must follow from its own ridge all the same.
  const Prediction& before = view.point.prediction;
  if (before.side && before.ridge) {
    comparison.word("prediction.side", word(before.side), each_word(view, [&](const Derived& d) {
                      return side_of_prediction(d.account, *before.ridge);
                    }));
  }
  comparison.number("rows_to_ridge.rows", view.point.rows.rows,
                    each(view, [](const Derived& d) { return d.rows.rows; }));
  std::optional<double> integer;
  if (view.point.rows.integer) integer = static_cast<double>(*view.point.rows.integer);
  comparison.number("rows_to_ridge.first_integer", integer, each(view, [](const Derived& d) {
                      std::optional<double> out;
                      if (d.rows.integer) out = static_cast<double>(*d.rows.integer);
                      return out;
                    }));
  return comparison.take();
}

Found wrong_rate(const PointView& view) {
  const Record& point = view.point;
  if (!point.assessment || view.measured == nullptr) return {};
  const Assessment& stored = *point.assessment;
  Comparison comparison(view.device.whole);
  const auto number = [&](const char* field, std::optional<double> value, const auto& get) {
    comparison.number(field, value, each(view, [&](const Derived& d) -> std::optional<double> {
                        if (!d.assessment) return std::nullopt;
                        return get(*d.assessment);
                      }));
  };
  number("time_s", plain(stored.time), [](const Assessment& a) { return plain(a.time); });
  number("achieved_flop_per_s", plain(stored.achieved),
         [](const Assessment& a) { return plain(a.achieved); });
  number("achieved_byte_per_s", plain(stored.achieved_bandwidth),
         [](const Assessment& a) { return plain(a.achieved_bandwidth); });
  number("mfu", stored.mfu, [](const Assessment& a) { return a.mfu; });
  number("clock_adjusted_peak_flop_per_s", plain(stored.clock_adjusted_peak),
         [](const Assessment& a) { return plain(a.clock_adjusted_peak); });
  number("clock_adjusted_mfu", stored.clock_adjusted_mfu,
         [](const Assessment& a) { return a.clock_adjusted_mfu; });
  number("of_ceiling", stored.of_ceiling, [](const Assessment& a) { return a.of_ceiling; });
  // HFU has its executed FLOP from outside of the report; the ratio can be checked all the same.
  if (stored.executed && point.roofs.compute)
    comparison.number("hfu", stored.hfu, *stored.executed / point.roofs.compute->peak);
  const auto words = [&](const char* field, std::string_view value, const auto& get) {
    comparison.word(field, value, each_word(view, [&](const Derived& d) -> std::string {
                      return d.assessment ? get(*d.assessment) : std::string();
                    }));
  };
  words("verdict", name(stored.verdict),
        [](const Assessment& a) { return std::string(name(a.verdict)); });
  words("above_roof", flag_word(stored.above_roof),
        [](const Assessment& a) { return flag_word(a.above_roof); });
  words("impossible", flag_word(stored.impossible),
        [](const Assessment& a) { return flag_word(a.impossible); });
  comparison.word("observed_side", word(point.observed.side),
                  each_word(view, [](const Derived& d) { return word(d.observed.side); }));
  comparison.word(
      "side_agreement", name(point.observed.agreement),
      each_word(view, [](const Derived& d) { return std::string(name(d.observed.agreement)); }));
  return comparison.take();
}

Found wrong_opportunity(const PointView& view) {
  const Rooflines& stored = view.point.rooflines;
  Comparison comparison(view.device.whole);
  const auto number = [&](const char* field, std::optional<double> value, const auto& get) {
    comparison.number(field, value, each(view, [&](const Derived& d) { return get(d.rooflines); }));
  };
  number("hardware_ceiling_flop_per_s", plain(stored.hardware.ceiling),
         [](const Rooflines& r) { return plain(r.hardware.ceiling); });
  number("empirical_ceiling_flop_per_s", plain(stored.empirical.ceiling),
         [](const Rooflines& r) { return plain(r.empirical.ceiling); });
  number("platform_opportunity", stored.platform_opportunity,
         [](const Rooflines& r) { return r.platform_opportunity; });
  number("kernel_opportunity", stored.kernel_opportunity,
         [](const Rooflines& r) { return r.kernel_opportunity; });
  number("best_measured_mfu", stored.best_measured_mfu,
         [](const Rooflines& r) { return r.best_measured_mfu; });
  return comparison.take();
}

Found wrong_statement(const PointView& view) {
  Found out;
  const auto [begin, end] =
      view.device.whole.misstated.equal_range({view.point.device_id, view.point.id});
  for (auto one = begin; one != end; ++one) out.push_back(*one->second);
  return out;
}

Found wrong_roof(const DeviceView& device) {
  Comparison comparison(device.whole);
  std::set<std::string_view> define;
  for (const RoofEntry* entry : device.roofs) {
    const auto point = device.by_id.find(entry->point);
    if (entry->point.empty() || point == device.by_id.end()) continue;
    if (!is_best_product(*entry)) define.insert(entry->point);
    const std::string at = "roofs." + entry->name + ".";
    const RoofFigure figure = figure_of(*entry);
    comparison.number(at + figure.key, figure.value, shown_by(*point->second, *entry));
    const auto* compute = std::get_if<ComputeRoof>(&entry->roof);
    const auto* measured = std::get_if<Measured>(&point->second->outcome);
    if (compute != nullptr && measured != nullptr)
      comparison.number(at + "clock_hz", plain(compute->clock), plain(measured->clock));
  }
  for (const Record* point : device.points) {
    const auto derived = derived_peak(*point);
    if (!derived) continue;
    const auto& right = std::get<ComputeRoof>(derived->roof);
    for (const RoofEntry* entry : device.roofs) {
      const auto* roof = std::get_if<ComputeRoof>(&entry->roof);
      if (roof == nullptr || roof->origin != right.origin || roof->source != right.source) continue;
      const std::string at = "roofs." + entry->name + ".";
      comparison.number(at + "peak_flop_per_s", in_flop_per_s(roof->peak),
                        in_flop_per_s(right.peak));
      comparison.number(at + "clock_hz", plain(roof->clock), plain(right.clock));
    }
  }
  for (const Record* point : device.points) {
    comparison.word(point->id + ".defines_roof", flag_word(point->defines_roof),
                    {flag_word(define.contains(point->id))});
  }
  return comparison.take();
}

Found wrong_fit(const DeviceView& device) {
  const Report& report = device.whole.report;
  const auto own = [&](const TimeFit& fit) {
    return fit.device.empty() || fit.device == device.id;
  };
  const bool fitted = std::any_of(report.time_model.begin(), report.time_model.end(), own);
  // Every point is predicted by all others: more are not worth the time.
  constexpr std::size_t kMany = 2000;
  std::vector<Record> streams;
  for (const Record* point : device.points) {
    if (!std::holds_alternative<Stream>(point->workload) &&
        !std::holds_alternative<Transfer>(point->workload)) {
      continue;
    }
    if (streams.size() == kMany) return {};
    streams.push_back(*point);
  }
  Comparison comparison(device.whole);
  if (fitted) {
    const std::vector<TimeFit> fits = fit_streams(streams);
    for (const TimeFit& stored : report.time_model) {
      if (!own(stored)) continue;
      const auto right = std::find_if(fits.begin(), fits.end(), [&](const TimeFit& fit) {
        return fit.name == stored.name && fit.level == stored.level &&
               fit.placement == stored.placement;
      });
      const std::string at = "time_model." + stored.name + "." + std::string(name(stored.level));
      const auto number = [&](const char* key, double value, const auto& get) {
        std::optional<double> expected;
        if (right != fits.end()) expected = fitted_value(value, get(*right));
        comparison.number(at + "." + key, value, expected);
      };
      number("overhead_s", in_second(stored.overhead),
             [](const TimeFit& fit) { return in_second(fit.overhead); });
      number("bandwidth_byte_per_s", in_byte_per_s(stored.bandwidth),
             [](const TimeFit& fit) { return in_byte_per_s(fit.bandwidth); });
      number("points", static_cast<double>(stored.points),
             [](const TimeFit& fit) { return static_cast<double>(fit.points); });
      number("worst_error", stored.worst_error, [](const TimeFit& fit) { return fit.worst_error; });
    }
  }
  for (const Record& point : streams) {
    if (!point.modelled_time) continue;
    const double stored = in_second(*point.modelled_time);
    std::optional<double> expected = plain(predicted_by_others(point, streams));
    if (expected) expected = fitted_value(stored, *expected);
    comparison.number(point.id + ".modelled_time_s", stored, expected);
  }
  return comparison.take();
}

Found same_point_twice(const DeviceView& device) {
  Found out;
  for (const Record* point : device.points) {
    if (device.by_id.at(point->id) == point) continue;
    out.push_back({point->id + " is there more than once", "id"});
  }
  return out;
}

}  // namespace roofline::audit_detail
