#include "audit_view.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "limits.hpp"
#include "roofline/error.hpp"
#include "roofline/fact_lookup.hpp"
#include "roofline/sample_summary.hpp"

namespace roofline::audit_detail {
namespace {

/// The largest cache that all of its units share or hold together.
std::optional<double> last_level_cache(const DeviceView& device) {
  for (const char* key : {"last_level_cache_total_byte", "l3_byte", "l2_bytes", "l2_byte"}) {
    if (const auto found = device.number(key)) return found;
  }
  return std::nullopt;
}

DeviceView device_view(const ReportView& whole, std::string id, std::string name,
                       const Facts* facts) {
  DeviceView out{whole, std::move(id), std::move(name), facts};
  out.last_level_cache_byte = last_level_cache(out);
  return out;
}

bool lacks(const Account& stored, const TensorTraffic& tensor) {
  return std::none_of(stored.traffic.begin(), stored.traffic.end(), [&](const TensorTraffic& t) {
    return t.tensor == tensor.tensor && t.direction == tensor.direction;
  });
}

bool same_traffic(const Account& a, const Account& b) {
  return a.traffic.size() == b.traffic.size() &&
         std::all_of(b.traffic.begin(), b.traffic.end(), [&](const TensorTraffic& wanted) {
           return std::any_of(a.traffic.begin(), a.traffic.end(), [&](const TensorTraffic& t) {
             return t.tensor == wanted.tensor && t.direction == wanted.direction &&
                    t.bytes == wanted.bytes;
           });
         });
}

CountFault fault_of(const Account& stored, const Account& right) {
  const bool same_work = stored.work == right.work;
  const bool same_bytes = same_traffic(stored, right);
  const bool same_lines = stored.write_allocate == right.write_allocate;
  if (stored.boundary != right.boundary) return CountFault::other;
  if (same_work && same_bytes && same_lines) return CountFault::none;
  if (!same_work) {
    const bool half = stored.work && right.work && stored.work->value() != 0 &&
                      stored.work->value() == right.work->value() / 2;
    return half && same_bytes && same_lines ? CountFault::fma_as_one : CountFault::other;
  }
  if (same_bytes)
    return stored.write_allocate.value() == 0 ? CountFault::no_allocate : CountFault::other;
  // What is there must be right, or the missing tensor is not all that is wrong.
  Account rest = right;
  bool c_missing = false;
  bool result_missing = false;
  for (const TensorTraffic& tensor : right.traffic) {
    if (!lacks(stored, tensor)) continue;
    c_missing = c_missing || tensor.tensor == "C read";
    result_missing = result_missing || tensor.direction == Direction::write;
  }
  std::erase_if(rest.traffic, [&](const TensorTraffic& t) {
    return lacks(stored, t) && (t.tensor == "C read" || t.direction == Direction::write);
  });
  if (!same_traffic(stored, rest)) return CountFault::other;
  if (result_missing) return CountFault::not_written;
  return c_missing ? CountFault::c_not_read : CountFault::other;
}

Derived derive(const PointView& view, const Account& account, std::optional<Seconds> time) {
  const Record& point = view.point;
  Derived out;
  out.account = account;
  out.placement = place(account, point.roofs);
  if (out.placement.ridge && account.boundary == Boundary::dram) {
    try {
      out.rows = rows_to_ridge(point.workload, *out.placement.ridge);
    } catch (const InputError&) {
      out.rows = {};
    }
  }
  if (time) {
    RoofContext context;
    if (point.roofs.memory) {
      if (const auto* rated = view.device.rated_memory(point.roofs.memory->boundary))
        context.rated_memory = *rated;
    }
    const auto& compute = point.roofs.compute;
    if (compute && compute->clock && view.measured != nullptr && view.measured->clock) {
      context.clock_adjusted_peak = compute->peak * (*view.measured->clock / *compute->clock);
    }
    out.assessment = assess(account, point.roofs, out.placement, {.time = time}, context);
    out.observed = observe_side(account, point.roofs, point.prediction, *time);
  }
  const RooflinePeaks peaks{point.rooflines.hardware.peak, point.rooflines.empirical.peak,
                            point.rooflines.empirical.point};
  out.rooflines = rooflines(account, peaks, point.roofs.memory, out.assessment);
  return out;
}

std::optional<double> median_clock(const std::vector<const Sample*>& samples) {
  std::vector<double> known;
  for (const Sample* sample : samples) {
    if (sample->clock) known.push_back(in_hertz(*sample->clock));
  }
  if (known.empty()) return std::nullopt;
  return median(known);
}

Figures figures_of(const std::vector<double>& times, std::optional<double> clock_hz,
                   const std::optional<Interval>& stored) {
  Figures out;
  out.median_s = median(times);
  out.minimum_s = *std::min_element(times.begin(), times.end());
  out.noise = out.median_s > 0 ? median_absolute_deviation(times) / out.median_s : 0;
  // The coverage is exact, so that asking for it gives the same order statistics again.
  constexpr double kLess = 1 - 1e-9;
  if (stored && stored->coverage > 0 && stored->coverage <= 1)
    out.interval = median_interval(times, stored->coverage * kLess);
  out.clock_hz = clock_hz;
  return out;
}

/// The samples that are marked as counting; where so few are left that all of them counted, or a
/// group of them, also those.
std::vector<Figures> all_figures(const Measured& measured) {
  std::vector<Figures> out;
  std::vector<const Sample*> clean;
  std::vector<double> times;
  for (const Sample& sample : measured.samples) {
    const double time = in_second(sample.duration) / static_cast<double>(sample.iterations);
    if (sample.iterations == 0 || !std::isfinite(time)) return {};
    if (!sample.clean()) continue;
    clean.push_back(&sample);
    times.push_back(time);
  }
  if (!times.empty()) out.push_back(figures_of(times, median_clock(clean), measured.time_interval));
  if (!trusted(measured.end) || clean.size() < kFewestSamples) {
    const Counted counted = count_samples(measured.samples);
    std::optional<double> clock;
    if (counted.clock) clock = in_hertz(*counted.clock);
    if (!counted.times_s.empty())
      out.push_back(figures_of(counted.times_s, clock, measured.time_interval));
  }
  return out;
}

bool nothing_counted(const Account& account) {
  return !account.work && account.traffic.empty() && !account.stated_intensity;
}

}  // namespace

const FactValue* DeviceView::fact(std::string_view key) const {
  if (own_facts != nullptr) {
    if (const FactValue* own = find_fact(*own_facts, key)) return own;
  }
  return find_fact(whole.report.environment, key);
}

std::optional<double> DeviceView::number(std::string_view key) const {
  if (own_facts != nullptr && find_fact(*own_facts, key) != nullptr)
    return number_fact(*own_facts, key);
  return number_fact(whole.report.environment, key);
}

std::string DeviceView::text(std::string_view key) const {
  const FactValue* value = fact(key);
  const auto* text = value != nullptr ? std::get_if<std::string>(value) : nullptr;
  return text != nullptr ? *text : std::string();
}

bool DeviceView::flag(std::string_view key) const {
  const FactValue* value = fact(key);
  const auto* flag = value != nullptr ? std::get_if<bool>(value) : nullptr;
  return flag != nullptr && *flag;
}

const MemoryRoof* DeviceView::rated_memory(Boundary boundary) const {
  const MemoryRoof* out = nullptr;
  for (const RoofEntry* entry : roofs) out = better_rating(out, *entry, boundary);
  return out;
}

ReportView report_view(const Report& report, const AsWritten& file, std::size_t& numbers) {
  ReportView out{report, &numbers};
  for (const Misstatement& one : file.misstated)
    out.misstated.emplace(std::pair<std::string_view, std::string_view>(one.device, one.point),
                          &one.evidence);
  return out;
}

std::vector<DeviceView> devices_of(const ReportView& whole) {
  const Report& report = whole.report;
  std::vector<DeviceView> out;
  if (report.devices.empty()) {
    out.push_back(device_view(whole, report.device_id, report.device_name, nullptr));
  } else {
    for (const ReportedDevice& device : report.devices)
      out.push_back(device_view(whole, device.id, device.name, &device.facts));
  }
  const bool several = out.size() > 1;
  const auto find = [&](const std::string& id) -> DeviceView* {
    if (!several) return &out.front();
    const auto found =
        std::find_if(out.begin(), out.end(), [&](const DeviceView& d) { return d.id == id; });
    return found == out.end() ? nullptr : &*found;
  };
  for (const RoofEntry& entry : report.roofs) {
    if (DeviceView* device = find(entry.device)) device->roofs.push_back(&entry);
  }
  DeviceView* last = nullptr;
  for (const Record& point : report.points) {
    if (last == nullptr || (several && last->id != point.device_id)) last = find(point.device_id);
    if (last == nullptr) {
      // A point of a device that the report does not list has no facts and no roofs beside its own.
      out.push_back(device_view(whole, point.device_id, point.device_name, nullptr));
      last = &out.back();
    }
    last->points.push_back(&point);
    last->by_id.emplace(point.id, &point);
  }
  return out;
}

PointView view_of(const DeviceView& device, const Record& point) {
  PointView out{device, point, std::get_if<Measured>(&point.outcome)};
  // Sizes that only a device could have filled in are open where it never ran, and nothing was
  // counted.
  const bool open = out.measured == nullptr && nothing_counted(point.account);
  if (!open) {
    try {
      out.counted = account(point.workload);
      out.fault = fault_of(point.account, *out.counted);
    } catch (const std::exception& error) {
      out.uncountable = error.what();
    }
  }
  if (out.measured != nullptr) out.figures = all_figures(*out.measured);
  std::optional<Seconds> time;
  if (out.measured != nullptr && point.assessment) time = out.measured->time_median;
  out.derived.push_back(derive(out, point.account, time));
  if (out.fault != CountFault::none) out.derived.push_back(derive(out, *out.counted, time));
  if (time && !out.figures.empty() && !agree(in_second(*time), out.figures[0].median_s))
    out.derived.push_back(derive(out, point.account, second(out.figures[0].median_s)));
  return out;
}

std::string digits(double value) {
  char buffer[40];
  const auto end =
      std::to_chars(std::begin(buffer), std::end(buffer), value, std::chars_format::general, 9);
  return {std::begin(buffer), end.ptr};
}

void Comparison::number(std::string_view field, std::optional<double> stored,
                        const std::vector<std::optional<double>>& expected) {
  if (!stored) return;
  ++*whole_.numbers;
  std::optional<double> likeliest;
  for (const auto& value : expected) {
    if (value && agree(*stored, *value)) return;
    if (!likeliest) likeliest = value;
  }
  Evidence found;
  found.field = field;
  found.stored = stored;
  found.expected = likeliest;
  found.text = std::string(field) + " is " + digits(*stored);
  if (!likeliest) {
    found.text += ", and nothing in the report gives it";
  } else {
    found.text += ", and the report's own figures give " + digits(*likeliest);
    const double ratio = *stored / *likeliest;
    if (std::isfinite(ratio * 1e4))
      found.text += " (" + digits(std::round(ratio * 1e4) / 1e4) + " times that)";
  }
  found_.push_back(std::move(found));
}

void Comparison::number(std::string_view field, std::optional<double> stored,
                        std::optional<double> expected) {
  number(field, stored, std::vector<std::optional<double>>{expected});
}

void Comparison::word(std::string_view field, std::string_view stored,
                      const std::vector<std::string>& expected) {
  if (stored.empty()) return;
  ++*whole_.numbers;
  if (std::find(expected.begin(), expected.end(), stored) != expected.end()) return;
  const std::string should =
      expected.empty() || expected.front().empty() ? "nothing" : expected.front();
  Evidence found;
  found.field = field;
  found.text = std::string(field) + " is " + std::string(stored) +
               ", and the report's own figures give " + should;
  found_.push_back(std::move(found));
}

}  // namespace roofline::audit_detail
