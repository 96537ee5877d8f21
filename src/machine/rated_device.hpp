// A device that is at hand, with what its driver says of it, held beside the catalogue: which
// product it is, the roofs that hold for it, and why others don't. Measures nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <roofline/fact.hpp>
#include <roofline/record.hpp>

#include "machine/catalogue.hpp"
#include "machine/roofs.hpp"

namespace roofline::machine {

struct RatedDevice {
  /// The product; of a MIG slice the card that it is part of. Nothing where none is known.
  const Accelerator* accelerator = nullptr;
  std::vector<RoofEntry> roofs;   ///< peaks, DRAM bandwidth and the link's
  std::string no_peaks;           ///< why no peak is among them
  std::string no_bandwidth;       ///< likewise
  std::string no_link;            ///< likewise
  std::vector<Warning> warnings;  ///< one sentence each
  /// `catalogue_id`, `catalogue_match` and `catalogue_bandwidth_byte_per_s`; with the reason where
  /// unknown. For the report, beside the driver's facts.
  Facts facts;
};

/// `name` as the driver has it; `driver`: its facts, of which sm_count, memory_bytes,
/// memory_clock_hz, memory_bus_bits, mig, virtual_gpu, pcie_generation and pcie_width are read.
/// A whole card of a known product has the product's dense peaks and bandwidth. Those of a MIG
/// slice are scaled by SMs and memory and derived. A virtual GPU shares its card in time and has
/// none. Of an unknown product the bandwidth follows from the driver's clock and bus width. Throws
/// InputError where a text of the catalogue is malformed.
[[nodiscard]] RatedDevice rate_device(const Catalogue& catalogue, std::string_view name,
                                      const Facts& driver);

/// One way over a PCIe link: rate per lane x coding x lanes. Nothing for a generation that is not
/// known.
[[nodiscard]] std::optional<Bandwidth> pcie_bandwidth(unsigned generation, unsigned lanes);

}  // namespace roofline::machine
