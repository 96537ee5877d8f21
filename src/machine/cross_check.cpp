#include "machine/cross_check.hpp"

#include <variant>

#include "machine/roofs.hpp"

namespace roofline::machine {
namespace {

void check_peak(const Accelerator& accelerator, PeakKey key, std::vector<CrossCheck>& out) {
  const DensePeak* peak = dense_peak(accelerator, key);
  if (peak == nullptr) return;
  CrossCheck row;
  row.field = "dense." + std::string(name(key));
  row.catalogue = in_flop_per_s(peak->value);
  const auto derived = derived_peak(accelerator, key);
  if (const auto* roof = std::get_if<ComputeRoof>(&derived)) {
    row.computed = in_flop_per_s(roof->peak);
  } else {
    row.not_computed = std::get<Refusal>(derived).reason;
  }
  row.stated_reason = exception_for(accelerator, row.field);
  out.push_back(std::move(row));
}

void check_sparse(const Accelerator& accelerator, PeakKey key, std::vector<CrossCheck>& out) {
  const auto sparse = accelerator.sparse.peaks.find(key);
  if (sparse == accelerator.sparse.peaks.end()) return;
  CrossCheck row;
  row.field = "sparse." + std::string(name(key));
  row.stated_reason = exception_for(accelerator, row.field);
  if (const DensePeak* dense = dense_peak(accelerator, key)) {
    row.catalogue = sparse->second / dense->value;
    row.computed = 2;  // 2:4 sparsity skips half of the products
  } else {
    row.not_computed = "the dense peak is not known";
  }
  out.push_back(std::move(row));
}

void check_bandwidth(const Accelerator& accelerator, std::vector<CrossCheck>& out) {
  const Memory& memory = accelerator.memory;
  const auto* bandwidth = std::get_if<Sourced<Bandwidth>>(&memory.bandwidth);
  if (bandwidth == nullptr) return;
  CrossCheck row;
  row.field = "memory.bandwidth";
  row.catalogue = in_byte_per_s(bandwidth->value);
  row.stated_reason = exception_for(accelerator, row.field);
  if (!memory.bus_bits) {
    row.not_computed = "the bus width is not known";
  } else if (memory.clock) {
    const auto derived = bandwidth_from_bus(memory.bus_bits->value, memory.clock->value);
    if (const auto* value = std::get_if<Bandwidth>(&derived)) row.computed = in_byte_per_s(*value);
  } else if (memory.bit_per_s_pin) {
    row.computed = memory.bus_bits->value / 8.0 * memory.bit_per_s_pin->value;
  } else {
    row.not_computed = "neither memory clock nor data rate is known";
  }
  out.push_back(std::move(row));
}

}  // namespace

std::optional<double> CrossCheck::difference() const {
  if (!computed) return std::nullopt;
  return (catalogue - *computed) / *computed;
}

std::vector<CrossCheck> cross_check(const Accelerator& accelerator) {
  std::vector<CrossCheck> out;
  check_bandwidth(accelerator, out);
  for (const PeakKey key : peak_keys()) check_peak(accelerator, key, out);
  for (const PeakKey key : peak_keys()) check_sparse(accelerator, key, out);
  return out;
}

}  // namespace roofline::machine
