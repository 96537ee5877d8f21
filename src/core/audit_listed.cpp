// What a point says of its roofs, against the list of them.
#include <algorithm>
#include <iterator>

#include "audit_rules.hpp"

namespace roofline::audit_detail {
namespace {

bool same_peak(const ComputeRoof& a, const ComputeRoof& b) {
  return a.key == b.key && a.origin == b.origin &&
         agree(in_flop_per_s(a.peak), in_flop_per_s(b.peak));
}

/// Those of the report that a point may be held against by its figure.
template <class Roof, class Same>
std::vector<const RoofEntry*> listed(const DeviceView& device, const Same& same) {
  std::vector<const RoofEntry*> out;
  for (const RoofEntry* entry : device.roofs) {
    const auto* roof = std::get_if<Roof>(&entry->roof);
    if (roof != nullptr && same(*roof)) out.push_back(entry);
  }
  return out;
}

/// What a point says of its roof beside the figure, against what the roofs of that figure say.
/// Nearly always the same, which costs nothing then.
template <class Get>
void same_word(const ReportView& whole, Comparison& comparison, const char* field,
               std::string_view stored, const std::vector<const RoofEntry*>& roofs,
               const Get& get) {
  for (const RoofEntry* entry : roofs) {
    if (get(*entry) != stored) continue;
    if (!stored.empty()) ++*whole.numbers;
    return;
  }
  comparison.word(field, stored, {std::string(get(*roofs.front()))});
}

const ComputeRoof& compute_roof(const RoofEntry& entry) {
  return std::get<ComputeRoof>(entry.roof);
}
const MemoryRoof& memory_roof(const RoofEntry& entry) { return std::get<MemoryRoof>(entry.roof); }
const OverheadRoof& overhead_roof(const RoofEntry& entry) {
  return std::get<OverheadRoof>(entry.roof);
}

}  // namespace

Found unlisted_roof(const PointView& view) {
  const DeviceView& device = view.device;
  const Record& point = view.point;
  Found out;
  Comparison comparison(device.whole);
  const auto miss = [&](const char* field, double value, const std::string& what) {
    out.push_back({std::string(field) + " is " + digits(value) + " (" + what +
                       "), and no roof of the report is that",
                   field, value});
  };
  const auto peaks = [&](const char* field, const std::optional<ComputeRoof>& roof) {
    std::vector<const RoofEntry*> same;
    if (!roof) return same;
    ++*device.whole.numbers;
    same = listed<ComputeRoof>(device, [&](const auto& r) { return same_peak(r, *roof); });
    if (same.empty()) {
      miss(field, in_flop_per_s(roof->peak),
           std::string(name(roof->key)) + ", " + std::string(name(roof->origin)));
    }
    return same;
  };
  const auto source = [](const RoofEntry& r) { return std::string_view(compute_roof(r).source); };
  const auto& compute = point.roofs.compute;
  if (const auto same = peaks("peak_flop_per_s", compute); !same.empty()) {
    same_word(device.whole, comparison, "peak_source", compute->source, same, source);
    same_word(device.whole, comparison, "peak_sparsity", name(compute->sparsity), same,
              [](const RoofEntry& r) { return name(compute_roof(r).sparsity); });
    const bool same_clock = std::any_of(same.begin(), same.end(), [&](const RoofEntry* entry) {
      return compute_roof(*entry).clock == compute->clock;
    });
    if (same_clock) {
      if (compute->clock) ++*device.whole.numbers;
    } else {
      comparison.number("peak_clock_hz", plain(compute->clock),
                        plain(compute_roof(*same.front()).clock));
    }
  }
  const Roofline& hardware = point.rooflines.hardware;
  if (const auto same = peaks("hardware_peak_flop_per_s", hardware.peak); !same.empty())
    same_word(device.whole, comparison, "hardware_peak_source", hardware.peak->source, same,
              source);
  const Roofline& empirical = point.rooflines.empirical;
  if (const auto same = peaks("empirical_peak_flop_per_s", empirical.peak); !same.empty()) {
    same_word(device.whole, comparison, "empirical_peak_source", empirical.peak->source, same,
              source);
    same_word(device.whole, comparison, "empirical_peak_point", empirical.point, same,
              [](const RoofEntry& r) { return std::string_view(r.point); });
  }
  if (const auto& memory = point.roofs.memory) {
    ++*device.whole.numbers;
    const auto same = listed<MemoryRoof>(device, [&](const MemoryRoof& r) {
      return r.boundary == memory->boundary && r.origin == memory->origin &&
             agree(in_byte_per_s(r.bandwidth), in_byte_per_s(memory->bandwidth));
    });
    if (same.empty()) {
      miss("bandwidth_byte_per_s", in_byte_per_s(memory->bandwidth),
           std::string(name(memory->boundary)) + ", " + std::string(name(memory->origin)));
    } else {
      same_word(device.whole, comparison, "bandwidth_source", memory->source, same,
                [](const RoofEntry& r) { return std::string_view(memory_roof(r).source); });
      same_word(device.whole, comparison, "bandwidth_placement", memory->placement, same,
                [](const RoofEntry& r) { return std::string_view(memory_roof(r).placement); });
    }
  }
  if (const auto& overhead = point.roofs.overhead) {
    ++*device.whole.numbers;
    const auto same = listed<OverheadRoof>(device, [&](const OverheadRoof& r) {
      return agree(in_second(r.time), in_second(overhead->time));
    });
    if (same.empty()) {
      miss("overhead_s", in_second(overhead->time), std::string(name(overhead->path)));
    } else {
      same_word(device.whole, comparison, "overhead_path", name(overhead->path), same,
                [](const RoofEntry& r) { return name(overhead_roof(r).path); });
      same_word(device.whole, comparison, "overhead_origin", name(overhead->origin), same,
                [](const RoofEntry& r) { return name(overhead_roof(r).origin); });
      same_word(device.whole, comparison, "overhead_source", overhead->source, same,
                [](const RoofEntry& r) { return std::string_view(overhead_roof(r).source); });
    }
  }
  Found said = comparison.take();
  std::move(said.begin(), said.end(), std::back_inserter(out));
  return out;
}

}  // namespace roofline::audit_detail
