#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "diagnosis_symptoms.hpp"
#include "limits.hpp"
#include "prose.hpp"
#include "roofline/roof_book.hpp"
#include "tensor_class.hpp"

namespace roofline::symptom {

using prose::number;
using prose::percent;
using prose::text;

namespace {

using Group = std::vector<const Record*>;

/// Shorter sides give a product too little reuse to be expected right of a ridge.
constexpr std::uint64_t kReuse = 64;
/// Fewer points say nothing about a sweep.
constexpr std::size_t kEnough = 5;

bool reuses_much(const Workload& workload) {
  if (const auto* gemm = std::get_if<Gemm>(&workload))
    return std::min({gemm->m, gemm->n, gemm->k}) >= kReuse;
  if (const auto* projection = std::get_if<Projection>(&workload))
    return std::min({projection->rows, projection->d_in, projection->d_out}) >= kReuse;
  return false;
}

/// What was asked about: no roof of its own, and with both roofs known.
Group placed_points(const Report& report) {
  Group out;
  for (const Record& point : report.points) {
    if (!defines_roofs(point.workload) && point.placement.bound) out.push_back(&point);
  }
  return out;
}

bool all_compute_bound(const Group& points, double share) {
  const auto compute = std::count_if(points.begin(), points.end(), [](const Record* point) {
    return point->placement.bound == Bound::compute;
  });
  return static_cast<double>(compute) >= share * static_cast<double>(points.size());
}

std::string count_of(std::size_t part, std::size_t all, std::string_view what) {
  return std::to_string(part) + " of " + std::to_string(all) + " " + std::string(what);
}

/// Everything that two points of one batch sweep have in common.
std::string sweep_key(const Record& point) {
  std::string out(kind_name(point.workload));
  out += ' ' + std::string(name(point.account.boundary)) + ' ' +
         std::string(name(compute_dtype(point.workload))) + ' ' +
         number(shared_bytes(point.account));
  if (const auto* gemm = std::get_if<Gemm>(&point.workload))
    out += ' ' + std::to_string(gemm->n) + 'x' + std::to_string(gemm->k);
  if (const auto* projection = std::get_if<Projection>(&point.workload))
    out += ' ' + std::to_string(projection->d_in) + 'x' + std::to_string(projection->d_out);
  return out;
}

/// Everything that two points have in common that differ in their weights alone.
std::string same_but_weights_key(const Record& point) {
  std::string out(kind_name(point.workload));
  out += ' ' + std::string(name(point.account.boundary)) + ' ' +
         std::to_string(point.account.work->value());
  for (const TensorTraffic& entry : point.account.traffic) {
    if (shared_by_rows(entry.tensor)) continue;
    out += '|' + entry.tensor + ' ' + std::to_string(entry.bytes.value());
  }
  return out;
}

std::map<std::string, Group> grouped(const Report& report, std::string (*key)(const Record&)) {
  std::map<std::string, Group> out;
  for (const Record* point : placed_points(report)) {
    const bool counted = point->account.work && point->account.work->value() != 0 &&
                         point->placement.intensity && shared_bytes(point->account) > 0;
    if (counted && point->placement.bound == Bound::memory) out[key(*point)].push_back(point);
  }
  return out;
}

/// The tensor, not shared by rows, that moves most.
const TensorTraffic* largest_other(const Account& account) {
  const TensorTraffic* best = nullptr;
  for (const TensorTraffic& entry : account.traffic) {
    if (shared_by_rows(entry.tensor)) continue;
    if (best == nullptr || entry.bytes > best->bytes) best = &entry;
  }
  return best;
}

/// `weights 16.1 GB of 50.4 GB, kv 34.4 GB`.
std::string breakdown(const Record& point) {
  std::string out = "weights " + text(byte(shared_bytes(point.account))) + " of " +
                    text(byte(total_traffic(point.account).as_double()));
  if (const TensorTraffic* other = largest_other(point.account))
    out += ", " + other->tensor + " " + text(byte(other->bytes.as_double()));
  return out;
}

/// The kernel kept up: it is not the reason why the larger batch gains less.
bool kept_up(const Record& before, const Record& after) {
  constexpr double kSame = 0.8;
  if (!before.assessment || !after.assessment) return true;
  const auto& a = before.assessment->of_ceiling;
  const auto& b = after.assessment->of_ceiling;
  return !a || !b || *b >= kSame * *a;
}

std::optional<Symptom> asymptote_in(const Group& sweep) {
  constexpr double kStep = 1.5;  // smaller steps of work say little about a trend
  // d ln(intensity) / d ln(rows) = shared / all bytes: below a half what grows with the rows
  // outweighs what they share.
  constexpr double kHalf = 0.5;
  for (std::size_t i = 1; i < sweep.size(); ++i) {
    const Record& before = *sweep[i - 1];
    const Record& after = *sweep[i];
    const double more = after.account.work->as_double() / before.account.work->as_double();
    if (more < kStep || !kept_up(before, after)) continue;
    const double gain = *after.placement.intensity / *before.placement.intensity;
    if (std::log(gain) / std::log(more) >= kHalf) continue;
    Symptom out{0.9, number(more) + "x the work from " + before.id + " to " + after.id +
                         " raises the intensity " + number(gain) + "x, to " +
                         text(*after.placement.intensity) + ": " + breakdown(after)};
    for (std::size_t j = i - 1; j < sweep.size(); ++j) out.points.push_back(sweep[j]->id);
    return out;
  }
  return std::nullopt;
}

std::optional<Seconds> time_of(const Record& point) {
  const auto* measured = std::get_if<Measured>(&point.outcome);
  if (measured == nullptr || !usable(measured->time_median)) return std::nullopt;
  return measured->time_median;
}

std::optional<Symptom> unrewarded(const Record& wide, const Record& narrow) {
  constexpr double kNarrower = 1.5;
  const double weights = shared_bytes(wide.account) / shared_bytes(narrow.account);
  const auto before = time_of(wide);
  const auto after = time_of(narrow);
  if (weights < kNarrower || !before || !after) return std::nullopt;
  const double half_way = 1 + 0.5 * (weights - 1);
  const double all =
      total_traffic(wide.account).as_double() / total_traffic(narrow.account).as_double();
  const double faster = *before / *after;
  // Where the bytes did fall the time should have: another mode (dequantisation), not this one.
  if (all >= half_way || faster >= half_way) return std::nullopt;
  return Symptom{0.9,
                 number(weights) + "x fewer bytes of weights make it " + number(faster) +
                     "x faster: all bytes fall " + number(all) + "x only, " + breakdown(narrow),
                 {wide.id, narrow.id}};
}

}  // namespace

std::optional<Symptom> nearly_all_compute_bound(const Report& report) {
  constexpr double kNearlyAll = 0.9;
  const Group points = placed_points(report);
  if (points.size() < kEnough || !all_compute_bound(points, kNearlyAll)) return std::nullopt;
  Symptom out{0.8, {}};
  for (const Record* point : points) {
    const bool compute = point->placement.bound == Bound::compute;
    if (compute && !reuses_much(point->workload)) out.points.push_back(point->id);
  }
  // Large products belong right of the ridge; their bytes are counted by formula.
  if (out.points.empty()) return std::nullopt;
  const auto compute = std::count_if(points.begin(), points.end(), [](const Record* point) {
    return point->placement.bound == Bound::compute;
  });
  out.evidence = count_of(static_cast<std::size_t>(compute), points.size(), "points") +
                 " are compute-bound, among them " + std::to_string(out.points.size()) +
                 " that reuse little, first " + out.points.front();
  return out;
}

std::optional<Symptom> only_friendly_squares(const Report& report) {
  const Group points = placed_points(report);
  const bool squares = std::all_of(points.begin(), points.end(), [](const Record* point) {
    const auto* gemm = std::get_if<Gemm>(&point->workload);
    return gemm != nullptr && gemm->m == gemm->n && gemm->n == gemm->k && gemm->m >= kReuse;
  });
  if (points.size() < kEnough || !squares || !all_compute_bound(points, 1)) return std::nullopt;
  return Symptom{0.3, "all " + std::to_string(points.size()) + " points are square products"};
}

std::optional<Symptom> batching_stops_helping(const Report& report) {
  for (auto& [key, sweep] : grouped(report, sweep_key)) {
    Group sorted = sweep;
    std::erase_if(sorted, [](const Record* point) {
      return !std::holds_alternative<Measured>(point->outcome);
    });
    std::stable_sort(sorted.begin(), sorted.end(), [](const Record* a, const Record* b) {
      return *a->account.work < *b->account.work;
    });
    if (auto found = asymptote_in(sorted)) return found;
  }
  return std::nullopt;
}

std::optional<Symptom> quantisation_barely_helps(const Report& report) {
  for (auto& [key, alike] : grouped(report, same_but_weights_key)) {
    Group sorted = alike;
    std::stable_sort(sorted.begin(), sorted.end(), [](const Record* a, const Record* b) {
      return shared_bytes(a->account) > shared_bytes(b->account);
    });
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      if (auto found = unrewarded(*sorted.front(), *sorted[i])) return found;
    }
  }
  return std::nullopt;
}

std::optional<Symptom> refuted_predictions(const Report& report) {
  Symptom out;
  std::size_t predicted = 0;
  std::string example;
  for (const Record& point : report.points) {
    if (!point.prediction.side || !std::holds_alternative<Measured>(point.outcome)) continue;
    ++predicted;
    if (point.observed.agreement != Agreement::refuted || !point.observed.side) continue;
    if (out.points.empty()) {
      example = point.id + " was predicted " + std::string(name(*point.prediction.side)) +
                "-bound and is nearer to the " + std::string(name(*point.observed.side)) + " term";
    }
    out.points.push_back(point.id);
  }
  if (out.points.empty()) return std::nullopt;
  const double share = static_cast<double>(out.points.size()) / static_cast<double>(predicted);
  out.score = 0.4 + 0.5 * share;
  out.evidence =
      count_of(out.points.size(), predicted, "predicted sides") + " were refuted: " + example;
  return out;
}

std::optional<Symptom> disturbed_points(const Report& report) {
  constexpr double kNotable = 0.2;
  Symptom out;
  std::size_t measured = 0;
  std::map<std::string_view, std::size_t> ends;
  for (const Record& point : report.points) {
    const auto* seen = std::get_if<Measured>(&point.outcome);
    if (seen == nullptr) continue;
    ++measured;
    if (trusted(seen->end) || seen->end == MeasurementEnd::interrupted) continue;
    ++ends[name(seen->end)];
    out.points.push_back(point.id);
  }
  if (measured == 0) return std::nullopt;
  const double share = static_cast<double>(out.points.size()) / static_cast<double>(measured);
  if (share < kNotable) return std::nullopt;
  out.score = 0.5 + 0.5 * share;
  out.evidence = count_of(out.points.size(), measured, "measured points") + " (" + percent(share) +
                 ") were disturbed:";
  const char* separator = " ";
  for (const auto& [end, count] : ends) {
    out.evidence += separator + std::to_string(count) + " " + std::string(end);
    separator = ", ";
  }
  return out;
}

}  // namespace roofline::symptom
