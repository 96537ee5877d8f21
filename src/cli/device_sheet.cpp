#include "cli/device_sheet.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "machine/roofs.hpp"
#include "report/format.hpp"
#include "roofline/roof.hpp"

namespace roofline::cli {
namespace {

using machine::Accelerator;
using nlohmann::ordered_json;

const Bandwidth* bandwidth_of(const Accelerator& a) {
  const auto* sourced = std::get_if<machine::Sourced<Bandwidth>>(&a.memory.bandwidth);
  return sourced == nullptr ? nullptr : &sourced->value;
}

std::string references(const Accelerator& a, const machine::SourceKeys& keys) {
  std::string out;
  for (const std::string& key : keys) {
    const auto found = a.sources.find(key);
    out += (out.empty() ? "" : "; ") + (found == a.sources.end() ? key : found->second);
  }
  return out;
}

template <class T, class Get>
ordered_json optional_json(const std::optional<machine::Sourced<T>>& value, Get&& get) {
  return value ? ordered_json(get(value->value)) : ordered_json(nullptr);
}

ordered_json link_json(const std::optional<machine::Link>& link) {
  if (!link) return nullptr;
  return {{"generation", link->generation},
          {"width", link->width},
          {"per_direction_byte_per_s", in_byte_per_s(link->per_direction)}};
}

ordered_json peak_json(const Accelerator& a, PeakKey key, const machine::PeakEntry& entry) {
  ordered_json out;
  if (const auto* missing = std::get_if<machine::Missing>(&entry)) {
    out["flop_per_s"] = nullptr;
    out["reason"] = missing->reason;
    out["supported"] = missing->unsupported ? ordered_json(false) : ordered_json(nullptr);
    return out;
  }
  const auto& peak = std::get<machine::DensePeak>(entry);
  out["flop_per_s"] = in_flop_per_s(peak.value);
  out["sparsity"] = name(Sparsity::dense);
  out["provenance"] = machine::name(peak.provenance);
  out["confidence"] = machine::name(peak.confidence.value_or(a.confidence));
  out["source"] = references(a, peak.sources);
  const Bandwidth* bandwidth = bandwidth_of(a);
  out["ridge_flop_per_byte"] =
      bandwidth == nullptr ? ordered_json(nullptr)
                           : ordered_json(in_flop_per_byte(ridge_point(peak.value, *bandwidth)));
  const auto derived = machine::derived_peak(a, key);
  const auto* roof = std::get_if<ComputeRoof>(&derived);
  out["derived_flop_per_s"] =
      roof == nullptr ? ordered_json(nullptr) : ordered_json(in_flop_per_s(roof->peak));
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out.empty() ? "-" : out;
}

std::string capacity(const Accelerator& a) {
  if (a.memory.reported) {
    return report::format_capacity(static_cast<std::uint64_t>(in_byte(a.memory.reported->value)));
  }
  if (a.memory.nameplate_gb)
    return report::format_number(a.memory.nameplate_gb->value) + " GB (nameplate)";
  return "unknown";
}

/// Integer rows count operations, not floating-point ones.
std::string peak_text(PeakKey key, Performance value) {
  std::string out = report::format(value);
  if (key == PeakKey::int8 || key == PeakKey::int4) out.replace(out.find("FLOP/s"), 6, "OP/s");
  return out;
}

/// The peak that people compare devices by: bf16 where the device has it, fp16 else.
const machine::DensePeak* headline_peak(const Accelerator& a, std::string_view& key) {
  key = "bf16";
  if (const auto* peak = machine::dense_peak(a, PeakKey::bf16)) return peak;
  key = "fp16";
  return machine::dense_peak(a, PeakKey::fp16);
}

std::string memory_line(const Accelerator& a) {
  std::string out =
      fmt::format("{} {}", a.memory.type.empty() ? "memory" : a.memory.type, capacity(a));
  if (const Bandwidth* bandwidth = bandwidth_of(a)) {
    out += ", " + report::format(*bandwidth);
    if (!a.memory.bandwidth_printed.empty())
      out += " (the vendor prints " + a.memory.bandwidth_printed + ")";
  } else {
    out += ", bandwidth unknown: " + std::get<machine::Missing>(a.memory.bandwidth).reason;
  }
  return out;
}

}  // namespace

ordered_json device_json(const Accelerator& a) {
  ordered_json out;
  out["id"] = a.id;
  out["names"] = a.names;
  out["vendor"] = a.vendor;
  out["architecture"] = a.architecture;
  out["compute_capability"] = a.compute_capability;
  out["sm_count"] = optional_json(a.sm_count, [](unsigned v) { return v; });
  out["clock_hz"] = {{"boost", optional_json(a.clocks.boost, in_hertz)},
                     {"tensor_boost", optional_json(a.clocks.tensor_boost, in_hertz)},
                     {"base", optional_json(a.clocks.base, in_hertz)},
                     {"max", optional_json(a.clocks.max, in_hertz)}};
  ordered_json memory;
  memory["type"] = a.memory.type.empty() ? ordered_json(nullptr) : ordered_json(a.memory.type);
  memory["reported_byte"] = optional_json(
      a.memory.reported, [](Bytes v) { return static_cast<std::uint64_t>(in_byte(v)); });
  memory["nameplate_gb"] = optional_json(a.memory.nameplate_gb, [](double v) { return v; });
  const Bandwidth* bandwidth = bandwidth_of(a);
  memory["bandwidth_byte_per_s"] =
      bandwidth == nullptr ? ordered_json(nullptr) : ordered_json(in_byte_per_s(*bandwidth));
  if (bandwidth == nullptr)
    memory["bandwidth_reason"] = std::get<machine::Missing>(a.memory.bandwidth).reason;
  memory["bandwidth_printed"] = a.memory.bandwidth_printed;
  memory["bus_bits"] = optional_json(a.memory.bus_bits, [](unsigned v) { return v; });
  memory["clock_hz"] = optional_json(a.memory.clock, in_hertz);
  out["memory"] = std::move(memory);
  out["l2_byte"] =
      optional_json(a.l2, [](Bytes v) { return static_cast<std::uint64_t>(in_byte(v)); });
  out["tdp_w"] = optional_json(a.tdp_w, [](double v) { return v; });
  out["nvlink"] = link_json(a.nvlink);
  out["pcie"] = link_json(a.pcie);
  ordered_json peaks = ordered_json::object();
  for (const auto& [key, entry] : a.dense) peaks[std::string(name(key))] = peak_json(a, key, entry);
  out["peaks_dense"] = std::move(peaks);
  ordered_json sparse = ordered_json::object();
  for (const auto& [key, peak] : a.sparse.peaks)
    sparse[std::string(name(key))] = in_flop_per_s(peak);
  out["peaks_sparse_flop_per_s"] = std::move(sparse);
  ordered_json alternates = ordered_json::array();
  for (const auto& other : a.alternates) {
    alternates.push_back({{"field", other.field}, {"value", other.value}, {"why", other.why}});
  }
  out["alternates"] = std::move(alternates);
  out["confidence"] = machine::name(a.confidence);
  out["notes"] = a.notes;
  out["date"] = a.date;
  return out;
}

std::string device_page(const Accelerator& a) {
  std::string out = fmt::format("{}  {}\n", a.id, joined(a.names));
  out += fmt::format("{} {}, compute capability {}, {} SMs\n", a.vendor, a.architecture,
                     a.compute_capability,
                     a.sm_count ? std::to_string(a.sm_count->value) : "unknown number of");
  out += memory_line(a) + "\n\n";
  out += fmt::format("{:<12} {:>14} {:>10} {:>14}  {}\n", "dense peak", "datasheet", "ridge",
                     "derived", "known how");
  const Bandwidth* bandwidth = bandwidth_of(a);
  for (const auto& [key, entry] : a.dense) {
    if (const auto* missing = std::get_if<machine::Missing>(&entry)) {
      out += fmt::format("{:<12} {:>14} {:>10} {:>14}  {}\n", name(key),
                         missing->unsupported ? "refused" : "unknown", "-", "-", missing->reason);
      continue;
    }
    const auto& peak = std::get<machine::DensePeak>(entry);
    const auto derived = machine::derived_peak(a, key);
    const auto* roof = std::get_if<ComputeRoof>(&derived);
    const std::string ridge =
        bandwidth == nullptr
            ? "-"
            : report::format_number(in_flop_per_byte(ridge_point(peak.value, *bandwidth)));
    out += fmt::format("{:<12} {:>14} {:>10} {:>14}  {}\n", name(key), peak_text(key, peak.value),
                       ridge, roof == nullptr ? "-" : peak_text(key, roof->peak),
                       machine::name(peak.provenance));
  }
  out += "\nridge in FLOP/byte over DRAM; derived = SMs x FLOP/clock/SM x rated clock\n";
  if (!a.sparse.peaks.empty())
    out += "2:4 sparse peaks are kept apart: see --json, and explain --sparse\n";
  for (const std::string& note : a.notes) out += "note: " + note + '\n';
  out += fmt::format("confidence {}, facts of {}\nsources:\n", machine::name(a.confidence), a.date);
  for (const auto& [key, reference] : a.sources) out += fmt::format("  {}: {}\n", key, reference);
  return out;
}

std::string device_list(const std::vector<const Accelerator*>& accelerators) {
  std::size_t width = 2;
  for (const Accelerator* a : accelerators) width = std::max(width, a->id.size());
  std::string out = fmt::format("{:<{}}  {:<16} {:>18} {:>11} {:>20} {:>7}\n", "id", width,
                                "architecture", "memory", "bandwidth", "dense peak", "ridge");
  for (const Accelerator* a : accelerators) {
    std::string_view key;
    const machine::DensePeak* peak = headline_peak(*a, key);
    const Bandwidth* bandwidth = bandwidth_of(*a);
    out += fmt::format(
        "{:<{}}  {:<16} {:>18} {:>11} {:>20} {:>7}\n", a->id, width, a->architecture, capacity(*a),
        bandwidth == nullptr ? "unknown" : report::format(*bandwidth),
        peak == nullptr ? "unknown" : fmt::format("{} {}", key, report::format(peak->value)),
        peak == nullptr || bandwidth == nullptr
            ? "-"
            : report::format_number(in_flop_per_byte(ridge_point(peak->value, *bandwidth))));
  }
  return out;
}

}  // namespace roofline::cli
