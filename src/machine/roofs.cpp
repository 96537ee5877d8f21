#include "machine/roofs.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace roofline::machine {
namespace {

constexpr double kBandwidthDisagrees = 0.10;
constexpr double kSamePeak = 0.01;

std::string source_text(const Accelerator& accelerator, std::string_view how,
                        const SourceKeys& keys) {
  std::string out = "catalogue " + accelerator.id + ": ";
  out += how;
  for (const std::string& key : keys) out += ", " + key;
  return out;
}

/// Shortest decimal form, whatever the locale.
std::string digits(double value) {
  char buffer[32];
  const auto end = std::to_chars(std::begin(buffer), std::end(buffer), value).ptr;
  return {std::begin(buffer), end};
}

std::string in_words(const RoofQuery& query) {
  std::string out(name(query.dtype));
  const DType usual = info(query.dtype).accumulate;
  const DType sum = query.accumulate.value_or(usual);
  if (sum != usual) out.append(" accumulated in ").append(name(sum));
  return out;
}

Refusal refusal(const Accelerator& accelerator, std::string_view what, const Missing& missing) {
  if (missing.unsupported) {
    return {true, accelerator.id + " cannot compute in " + std::string(what) +
                      ": no such instruction (" + missing.reason +
                      "); storing values so and computing in another type is possible"};
  }
  return {false, "no " + std::string(what) + " peak of " + accelerator.id +
                     " is known: " + missing.reason};
}

ComputeAnswer sparse_roof(const Accelerator& accelerator, std::string_view what, PeakKey key) {
  const auto found = accelerator.sparse.peaks.find(key);
  if (found != accelerator.sparse.peaks.end()) {
    return ComputeRoof{found->second, key, Sparsity::sparse_2_4, Origin::datasheet,
                       source_text(accelerator, "2:4 sparse", accelerator.sparse.sources)};
  }
  const Missing& why = accelerator.sparse.missing;
  const std::string reason = why.reason.empty() ? "no figure found in a source" : why.reason;
  return Refusal{why.unsupported, "no 2:4 sparse " + std::string(what) + " peak of " +
                                      accelerator.id + " is known: " + reason};
}

ComputeAnswer peak_at(const Accelerator& accelerator, PeakKey key, std::optional<Frequency> clock,
                      Origin origin) {
  const auto rate = accelerator.flop_per_clock_per_sm.find(key);
  const std::string what = "derived " + std::string(name(key)) + " peak of " + accelerator.id;
  if (rate == accelerator.flop_per_clock_per_sm.end()) {
    return Refusal{false, "no " + what + ": its FLOP per clock and SM are not known"};
  }
  if (!accelerator.sm_count) return Refusal{false, "no " + what + ": its SM count is not known"};
  if (!clock || !(in_hertz(*clock) > 0)) {
    return Refusal{false, "no " + what + ": its clock is not known"};
  }
  const double per_clock = accelerator.sm_count->value * rate->second;
  const std::string how = std::to_string(accelerator.sm_count->value) + " SMs x " +
                          digits(rate->second) + " FLOP/clock x " + digits(in_hertz(*clock) / 1e6) +
                          " MHz";
  return ComputeRoof{flop_per_s(per_clock * in_hertz(*clock)), key, Sparsity::dense, origin,
                     source_text(accelerator, how, accelerator.rate_sources)};
}

}  // namespace

ComputeAnswer compute_roof(const Accelerator& accelerator, const RoofQuery& query) {
  const DType sum = query.accumulate.value_or(info(query.dtype).accumulate);
  const auto candidates = peak_candidates(query.dtype, sum, query.engine);
  const std::string what = in_words(query);
  if (candidates.empty()) {
    const DType usual = info(query.dtype).accumulate;
    return Refusal{true, "no hardware computes in " + what + " on its " +
                             std::string(name(query.engine)) + " units" +
                             (sum == usual ? "" : "; sum in " + std::string(name(usual)))};
  }
  std::optional<Missing> missing;
  for (const PeakKey key : candidates) {
    const auto entry = accelerator.dense.find(key);
    if (entry == accelerator.dense.end()) continue;
    if (const auto* absent = std::get_if<Missing>(&entry->second)) {
      missing = *absent;
      if (!absent->unsupported)
        break;  // it may well run there: the next peak would be another unit's
      continue;
    }
    if (query.sparsity == Sparsity::sparse_2_4) return sparse_roof(accelerator, what, key);
    const auto& peak = std::get<DensePeak>(entry->second);
    return ComputeRoof{peak.value, key, Sparsity::dense, Origin::datasheet,
                       source_text(accelerator, name(peak.provenance), peak.sources)};
  }
  return refusal(accelerator, what, missing.value_or(Missing{false, "its file does not state it"}));
}

std::optional<Frequency> rated_clock(const Accelerator& accelerator, PeakKey key) {
  const Clocks& clocks = accelerator.clocks;
  // fp64 on the matrix units is rated at the ordinary clock (H100: 66.9 = 132 x 256 x 1.98 GHz).
  const bool ordinary = key == PeakKey::fp64 || key == PeakKey::fp64_tensor ||
                        key == PeakKey::fp32 || key == PeakKey::fp16_vector ||
                        key == PeakKey::bf16_vector;
  if (!ordinary && clocks.tensor_boost) return clocks.tensor_boost->value;
  return clocks.boost ? std::optional(clocks.boost->value) : std::nullopt;
}

ComputeAnswer derived_peak(const Accelerator& accelerator, PeakKey key) {
  return peak_at(accelerator, key, rated_clock(accelerator, key), Origin::derived);
}

ComputeAnswer clock_adjusted_peak(const Accelerator& accelerator, PeakKey key, Frequency clock) {
  ComputeAnswer answer = peak_at(accelerator, key, clock, Origin::clock_adjusted);
  auto* const roof = std::get_if<ComputeRoof>(&answer);
  const DensePeak* const printed = dense_peak(accelerator, key);
  const auto rated = derived_peak(accelerator, key);
  if (roof == nullptr || printed == nullptr || !std::holds_alternative<ComputeRoof>(rated))
    return answer;
  // Half of the architecture's rate or less is a cap, not a matter of clocks.
  constexpr double capped = 0.55;
  if (printed->value / std::get<ComputeRoof>(rated).peak < capped) {
    roof->peak = std::min(roof->peak, printed->value);
    roof->source = source_text(accelerator, "capped by the vendor", printed->sources);
  }
  return answer;
}

std::variant<Bandwidth, Refusal> bandwidth_from_bus(unsigned bus_bits, Frequency clock) {
  if (bus_bits == 0) return Refusal{false, "the driver does not report the memory bus width"};
  if (!(in_hertz(clock) > 0) || !std::isfinite(in_hertz(clock))) {
    return Refusal{false, "the driver does not report the memory clock"};
  }
  constexpr double transfers_per_clock = 2;
  return byte_per_s(bus_bits / 8.0 * in_hertz(clock) * transfers_per_clock);
}

MemoryAnswer memory_roof_from_driver(const DriverMemory& driver) {
  MemoryAnswer out;
  const auto derived = bandwidth_from_bus(driver.bus_bits, driver.clock);
  if (const auto* refused = std::get_if<Refusal>(&derived)) {
    out.reason = refused->reason;
    return out;
  }
  out.derived = std::get<Bandwidth>(derived);
  out.roof = MemoryRoof{*out.derived, Boundary::dram, Origin::derived,
                        "driver: " + digits(in_hertz(driver.clock) / 1e6) + " MHz x 2 x " +
                            std::to_string(driver.bus_bits) + " bit"};
  return out;
}

MemoryAnswer memory_roof(const Accelerator& accelerator, const DriverMemory& driver) {
  MemoryAnswer out = memory_roof_from_driver(driver);
  const auto* const table = std::get_if<Sourced<Bandwidth>>(&accelerator.memory.bandwidth);
  if (table == nullptr) {
    if (out.roof) return out;
    out.reason = "the memory bandwidth of " + accelerator.id +
                 " is not known: " + std::get<Missing>(accelerator.memory.bandwidth).reason;
    return out;
  }
  out.reason.clear();
  out.roof = MemoryRoof{table->value, Boundary::dram, Origin::datasheet,
                        source_text(accelerator, "memory bandwidth", table->sources)};
  if (out.derived && std::abs(*out.derived / table->value - 1) > kBandwidthDisagrees) {
    out.warnings.push_back(
        {"bandwidth_mismatch",
         "the driver's memory clock and bus width give " +
             digits(std::round(in_gb_per_s(*out.derived) * 10) / 10) + " GB/s where " +
             accelerator.id + " has " + digits(in_gb_per_s(table->value)) +
             ": the clock may be the effective or an idle one; the table's figure is used"});
  }
  return out;
}

std::optional<Warning> check_stated_peak(const Accelerator& accelerator, PeakKey key,
                                         Performance stated) {
  const auto sparse = accelerator.sparse.peaks.find(key);
  if (sparse == accelerator.sparse.peaks.end()) return std::nullopt;
  if (std::abs(stated / sparse->second - 1) > kSamePeak) return std::nullopt;
  std::string text = "the stated " + std::string(name(key)) + " peak of " +
                     digits(in_tflop_per_s(stated)) + " TFLOP/s is that of " + accelerator.id +
                     " with 2:4 sparsity";
  if (const DensePeak* dense = dense_peak(accelerator, key)) {
    text += "; dense is " + digits(in_tflop_per_s(dense->value));
  }
  return Warning{"sparse_peak", std::move(text)};
}

std::optional<Warning> check_sustained_bandwidth(Bandwidth rated, Bandwidth sustained) {
  const double ratio = sustained / rated;
  if (ratio <= kImpossible * (1 + kRounding)) return std::nullopt;
  const auto whole = [](double value) { return digits(std::round(value)); };
  return Warning{"above_rated_bandwidth",
                 whole(in_gb_per_s(sustained)) + " GB/s is " + whole(ratio * 100) +
                     " % of the rated " + whole(in_gb_per_s(rated)) +
                     " GB/s, which no memory sustains: it may be another device's, a total of "
                     "several, or of data that a cache served"};
}

RoofContext roof_context(const Accelerator& accelerator, PeakKey key,
                         std::optional<Frequency> sampled) {
  RoofContext out;
  if (sampled) {
    const auto adjusted = clock_adjusted_peak(accelerator, key, *sampled);
    if (const auto* roof = std::get_if<ComputeRoof>(&adjusted))
      out.clock_adjusted_peak = roof->peak;
  }
  const auto sparse = accelerator.sparse.peaks.find(key);
  if (sparse != accelerator.sparse.peaks.end()) out.sparse_peak = sparse->second;
  for (const PeakKey other : peak_keys()) {
    const DensePeak* peak = other == key ? nullptr : dense_peak(accelerator, other);
    if (peak == nullptr) continue;
    out.other_peaks.push_back({peak->value, other, Sparsity::dense, Origin::datasheet,
                               source_text(accelerator, name(peak->provenance), peak->sources)});
  }
  return out;
}

}  // namespace roofline::machine
