#include "roofline/time_model.hpp"

#include <algorithm>
#include <cmath>

#include "limits.hpp"
#include "roofline/fact_lookup.hpp"

namespace roofline {
namespace {

/// A fit through so few points says nothing of others.
constexpr std::size_t kFewestSizes = 3;

/// What makes streams, and transfers, comparable: all but their size.
struct Family {
  std::string device;
  std::string name;
  Boundary level = Boundary::dram;
  std::string placement;
  friend bool operator==(const Family&, const Family&) = default;
};

/// Nothing for a point that says nothing of such streams.
std::optional<Family> family_of(const Record& record) {
  const auto* measured = std::get_if<Measured>(&record.outcome);
  if (measured == nullptr || !trusted(measured->end) || !usable(measured->time_median))
    return std::nullopt;
  if (const auto* transfer = std::get_if<Transfer>(&record.workload)) {
    return Family{record.device_id,
                  "transfer/" + std::string(roofline::name(transfer->direction)) + "-" +
                      std::string(roofline::name(transfer->host_memory)),
                  Boundary::link, measured->placement};
  }
  const auto* stream = std::get_if<Stream>(&record.workload);
  const auto level = find_boundary(text_fact(record.implementation, "level"));
  if (stream == nullptr || !level) return std::nullopt;
  std::string name = "stream/" + std::string(roofline::name(stream->dtype)) + "/" +
                     std::string(roofline::name(stream->kind));
  if (stream->write_allocate) name += "-regular";
  return Family{record.device_id, std::move(name), *level, measured->placement};
}

TimedTraffic timed(const Record& record) {
  return {byte(total_traffic(record.account).as_double()),
          std::get<Measured>(record.outcome).time_median};
}

/// The points of a family.
struct Kin {
  Family family;
  std::vector<const Record*> records;
};

/// Families in the order of their first points.
std::vector<Kin> families_of(std::span<const Record> points) {
  std::vector<Kin> out;
  for (const Record& record : points) {
    auto family = family_of(record);
    if (!family) continue;
    auto known = std::find_if(out.begin(), out.end(),
                              [&](const Kin& other) { return other.family == *family; });
    if (known == out.end()) known = out.insert(out.end(), {std::move(*family), {}});
    known->records.push_back(&record);
  }
  return out;
}

std::optional<TimeFit> fit_family(const Kin& kin, const Record* left_out) {
  const Family& family = kin.family;
  std::vector<TimedTraffic> calls;
  calls.reserve(kin.records.size());
  for (const Record* const record : kin.records) {
    if (record != left_out) calls.push_back(timed(*record));
  }
  auto fit = fit_time(calls);
  if (!fit) return std::nullopt;
  fit->device = family.device;
  fit->name = family.name;
  fit->level = family.level;
  fit->placement = family.placement;
  return fit;
}

std::optional<Seconds> predicted_by_kin(const Record& record, const Kin& kin) {
  const auto fit = fit_family(kin, &record);
  if (!fit) return std::nullopt;
  return predicted_time(*fit, record.account, record.roofs.compute);
}

/// Slope through a fixed t0 = 0, in s/byte.
double slope_through_zero(std::span<const TimedTraffic> calls) {
  double top = 0;
  double bottom = 0;
  for (const TimedTraffic& call : calls) {
    const double x = in_byte(call.traffic) / in_second(call.time);
    top += x;
    bottom += x * x;
  }
  return top / bottom;
}

}  // namespace

std::optional<TimeFit> fit_time(std::span<const TimedTraffic> calls) {
  std::vector<double> sizes;  // different ones, no more than matter
  for (const TimedTraffic& call : calls) {
    if (!usable(call.traffic) || !usable(call.time)) return std::nullopt;
    const double size = in_byte(call.traffic);
    if (sizes.size() < kFewestSizes && std::find(sizes.begin(), sizes.end(), size) == sizes.end())
      sizes.push_back(size);
  }
  if (sizes.size() < kFewestSizes) return std::nullopt;
  // Divided by its own time each equation t0 + s v = t reads t0 / t + s v / t = 1.
  double aa = 0;
  double ab = 0;
  double bb = 0;
  double a1 = 0;
  double b1 = 0;
  for (const TimedTraffic& call : calls) {
    const double a = 1 / in_second(call.time);
    const double b = in_byte(call.traffic) / in_second(call.time);
    aa += a * a;
    ab += a * b;
    bb += b * b;
    a1 += a;
    b1 += b;
  }
  const double determinant = aa * bb - ab * ab;
  double overhead = 0;
  double slope = 0;
  if (std::abs(determinant) > 1e-12 * aa * bb) {
    overhead = (a1 * bb - b1 * ab) / determinant;
    slope = (aa * b1 - ab * a1) / determinant;
  }
  if (!(overhead > 0)) {
    overhead = 0;
    slope = slope_through_zero(calls);
  }
  if (!(slope > 0) || !std::isfinite(slope)) return std::nullopt;
  TimeFit out;
  out.overhead = second(overhead);
  out.bandwidth = byte_per_s(1 / slope);
  out.points = calls.size();
  for (const TimedTraffic& call : calls) {
    const Seconds fitted = out.overhead + call.traffic / out.bandwidth;
    out.worst_error = std::max(out.worst_error, std::abs(fitted / call.time - 1));
  }
  return out;
}

Seconds predicted_time(const TimeFit& fit, const Account& account,
                       const std::optional<ComputeRoof>& compute) {
  Seconds longer = byte(total_traffic(account).as_double()) / fit.bandwidth;
  if (compute && usable(compute->peak) && account.work)
    longer = std::max(longer, flop(account.work->as_double()) / compute->peak);
  return fit.overhead + longer;
}

std::vector<TimeFit> fit_streams(std::span<const Record> points) {
  std::vector<TimeFit> out;
  for (const Kin& kin : families_of(points)) {
    if (auto fit = fit_family(kin, nullptr)) out.push_back(std::move(*fit));
  }
  return out;
}

void model_times(Report& report) {
  report.time_model = fit_streams(report.points);
  if (!of_several_devices(report)) {
    for (TimeFit& fit : report.time_model) fit.device.clear();
  }
  for (Record& record : report.points) record.modelled_time.reset();
  for (const Kin& kin : families_of(report.points)) {
    for (const Record* const record : kin.records) {
      const auto at = static_cast<std::size_t>(record - report.points.data());
      report.points[at].modelled_time = predicted_by_kin(*record, kin);
    }
  }
}

std::optional<Seconds> predicted_by_others(const Record& record, std::span<const Record> points) {
  const auto family = family_of(record);
  if (!family) return std::nullopt;
  for (const Kin& kin : families_of(points)) {
    if (kin.family == *family) return predicted_by_kin(record, kin);
  }
  return std::nullopt;
}

}  // namespace roofline
