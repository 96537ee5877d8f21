#include "chart/ceilings.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "chart/axis.hpp"
#include "report/format.hpp"
#include "roofline/roof_book.hpp"

namespace roofline::chart {
namespace {

std::string_view origin_text(Origin origin) {
  switch (origin) {
    case Origin::clock_adjusted:
      return "at the clock under load";
    case Origin::user:
      return "given";
    default:
      return name(origin);
  }
}

/// Of several rated figures the one that counts; measured ones stand apart.
int rated_order(Origin origin) {
  switch (origin) {
    case Origin::user:
      return 0;
    case Origin::datasheet:
      return 1;
    case Origin::derived:
      return 2;
    case Origin::clock_adjusted:
      return 3;
    case Origin::measured:
      break;
  }
  return 4;
}

struct NamedRoof {
  std::string name;
  MemoryRoof roof;
};

/// The memory roofs of a level: those of the report and, should it lack them, of its points.
std::vector<NamedRoof> roofs_at(const View& view, Boundary level) {
  std::vector<NamedRoof> out;
  for (const RoofEntry* entry : view.roofs) {
    const auto* const roof = std::get_if<MemoryRoof>(&entry->roof);
    if (roof == nullptr || roof->boundary != level) continue;
    if (plottable(in_byte_per_s(roof->bandwidth))) out.push_back({entry->name, *roof});
  }
  for (const Record* point : view.points) {
    const auto& roof = point->roofs.memory;
    if (!roof || roof->boundary != level || !has_work(*point)) continue;
    if (!plottable(in_byte_per_s(roof->bandwidth))) continue;
    const auto known = std::find_if(out.begin(), out.end(), [&](const NamedRoof& one) {
      return one.roof.bandwidth == roof->bandwidth && one.roof.origin == roof->origin;
    });
    if (known == out.end()) out.push_back({"", *roof});
  }
  return out;
}

std::string memory_label(const NamedRoof& one) {
  const bool measured = one.roof.origin == Origin::measured;
  std::string out = level_name(one.roof.boundary);
  if (measured && !one.name.empty()) out += " " + one.name;
  out += " " + report::format(one.roof.bandwidth) + ", ";
  return out + std::string(origin_text(one.roof.origin));
}

std::string brief_label(const NamedRoof& one) {
  return level_name(one.roof.boundary) + " " + report::format(one.roof.bandwidth);
}

/// The read stream, as in the tables of a report, or else the fastest mix that was sustained.
std::optional<MemoryCeiling> measured_ceiling(const std::vector<NamedRoof>& roofs) {
  const NamedRoof* best = nullptr;
  const auto reads = [](const NamedRoof& one) { return one.name == name(StreamKind::read); };
  MemoryCeiling out;
  for (const NamedRoof& one : roofs) {
    if (one.roof.origin != Origin::measured) continue;
    const double value = in_byte_per_s(one.roof.bandwidth);
    const bool better = best == nullptr || (reads(one) && !reads(*best)) ||
                        (reads(one) == reads(*best) && one.roof.bandwidth > best->roof.bandwidth);
    if (better) best = &one;
    out.slowest = out.slowest == 0 ? value : std::min(out.slowest, value);
    out.fastest = std::max(out.fastest, value);
    out.mixes +=
        (out.mixes.empty() ? "" : ", ") + one.name + " " + report::format(one.roof.bandwidth);
  }
  if (best == nullptr) return std::nullopt;
  out.level = best->roof.boundary;
  out.byte_per_s = in_byte_per_s(best->roof.bandwidth);
  out.measured = true;
  out.label = memory_label(*best);
  out.brief = brief_label(*best);
  return out;
}

std::optional<MemoryCeiling> rated_ceiling(const std::vector<NamedRoof>& roofs) {
  const NamedRoof* best = nullptr;
  for (const NamedRoof& one : roofs) {
    if (one.roof.origin == Origin::measured) continue;
    if (best == nullptr || rated_order(one.roof.origin) < rated_order(best->roof.origin))
      best = &one;
  }
  if (best == nullptr) return std::nullopt;
  const double value = in_byte_per_s(best->roof.bandwidth);
  return MemoryCeiling{.level = best->roof.boundary,
                       .byte_per_s = value,
                       .label = memory_label(*best),
                       .brief = brief_label(*best),
                       .slowest = value,
                       .fastest = value};
}

/// A row of a datasheet in the sparsity that points are held against.
using PeakId = std::pair<PeakKey, Sparsity>;

bool same(const ComputeRoof& one, const ComputeRoof& other) {
  return one.key == other.key && one.sparsity == other.sparsity && one.origin == other.origin &&
         one.peak == other.peak;
}

ComputeCeiling compute_ceiling(const ComputeRoof& roof, bool product, bool held, Hue hue) {
  std::string type(name(roof.key));
  std::replace(type.begin(), type.end(), '_', ' ');
  if (roof.sparsity != Sparsity::dense) type += " sparse";
  return {.flop_per_s = in_flop_per_s(roof.peak),
          .measured = roof.origin == Origin::measured,
          .held_against = held,
          .hue = hue,
          .type = std::move(type),
          .figure = report::format(roof.peak),
          .origin = product ? "best GEMM" : std::string(origin_text(roof.origin))};
}

/// Of each row in use the rated peak that counts and the best measured one that points stand
/// beside.
std::vector<ComputeCeiling> compute_ceilings(const View& view, const TypeHues& hues, bool all,
                                             std::string& without_theory) {
  std::map<PeakId, Hue> used;
  std::vector<ComputeRoof> held;
  std::vector<ComputeRoof> beside;
  for (const Record* point : view.points) {
    if (!has_work(*point) || !computes(point->workload)) continue;
    if (!all && !std::holds_alternative<Measured>(point->outcome)) continue;
    const Hue hue = hues.of(compute_dtype(point->workload));
    if (const auto& roof = point->roofs.compute) {
      used.emplace(PeakId{roof->key, roof->sparsity}, hue);
      held.push_back(*roof);
    }
    if (const auto& peak = point->rooflines.empirical.peak) beside.push_back(*peak);
    if (const auto& peak = point->rooflines.hardware.peak) beside.push_back(*peak);
  }
  struct Candidate {
    ComputeRoof roof;
    bool product = false;
  };
  std::map<PeakId, std::optional<Candidate>> rated;
  std::map<PeakId, std::optional<Candidate>> measured;
  const auto offer = [&](const ComputeRoof& roof, bool product) {
    const PeakId id{roof.key, roof.sparsity};
    if (used.count(id) == 0 || !plottable(in_flop_per_s(roof.peak))) return;
    auto& best = roof.origin == Origin::measured ? measured[id] : rated[id];
    const bool wins = !best || rated_order(roof.origin) < rated_order(best->roof.origin) ||
                      (roof.origin == best->roof.origin && roof.peak > best->roof.peak);
    if (wins) best = Candidate{roof, product};
  };
  for (const RoofEntry* entry : view.roofs) {
    if (const auto* const roof = std::get_if<ComputeRoof>(&entry->roof))
      offer(*roof, is_best_product(*entry));
  }
  for (const auto* roofs : {&held, &beside}) {
    for (const ComputeRoof& roof : *roofs) offer(roof, false);
  }
  std::vector<ComputeCeiling> out;
  for (const auto& [id, hue] : used) {
    for (const auto* best : {&measured[id], &rated[id]}) {
      if (!*best) continue;
      const bool is_held = std::any_of(held.begin(), held.end(), [&](const ComputeRoof& roof) {
        return same(roof, (*best)->roof);
      });
      out.push_back(compute_ceiling((*best)->roof, (*best)->product, is_held, hue));
    }
    if (rated[id] || !measured[id]) continue;
    without_theory += (without_theory.empty() ? "" : ", ") + std::string(name(id.first));
  }
  std::stable_sort(out.begin(), out.end(), [](const ComputeCeiling& a, const ComputeCeiling& b) {
    return a.flop_per_s < b.flop_per_s;
  });
  return out;
}

}  // namespace

double Ceilings::steepest() const {
  double out = 0;
  for (const MemoryCeiling& one : memory) out = std::max(out, one.byte_per_s);
  return out;
}

std::string level_name(Boundary level) {
  std::string out(name(level));
  if (level == Boundary::link) return out;
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return out;
}

Ceilings ceilings_of(const View& view, const TypeHues& hues, bool attainable) {
  Ceilings out;
  bool rated_memory = false;
  for (const Boundary level : {Boundary::dram, Boundary::l3, Boundary::l2, Boundary::l1}) {
    const std::vector<NamedRoof> roofs = roofs_at(view, level);
    if (auto measured = measured_ceiling(roofs)) out.memory.push_back(std::move(*measured));
    if (auto rated = rated_ceiling(roofs)) {
      rated_memory = true;
      out.memory.push_back(std::move(*rated));
    }
  }
  std::string without_theory;
  out.compute = compute_ceilings(view, hues, attainable, without_theory);
  // Where nothing is drawn the roofs are still worth a look.
  if (out.compute.empty()) out.compute = compute_ceilings(view, hues, true, without_theory);
  const bool any_peak = std::any_of(out.compute.begin(), out.compute.end(),
                                    [](const ComputeCeiling& one) { return !one.measured; });
  if (!rated_memory && !any_peak) {
    out.unknown = "Theoretical roof unknown: only what was measured is drawn.";
  } else if (!rated_memory) {
    out.unknown = "Theoretical bandwidth unknown: the memory roofs are measured ones.";
  } else if (!without_theory.empty()) {
    out.unknown = "Theoretical peak unknown: " + without_theory + ".";
  }
  return out;
}

}  // namespace roofline::chart
