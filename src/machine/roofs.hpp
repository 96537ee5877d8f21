// The roofs of an accelerator: which peak arithmetic in a type is held against, the same peak from
// SMs, rates and clocks, and memory bandwidth. A roof has an origin, or there is a reason and no
// roof: never another type's peak.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <roofline/dtype.hpp>
#include <roofline/placement.hpp>
#include <roofline/roof.hpp>

#include "machine/accelerator.hpp"

namespace roofline::machine {

struct RoofQuery {
  DType dtype = DType::bf16;
  std::optional<DType> accumulate = {};  ///< default: info(dtype).accumulate
  Engine engine =
      Engine::tensor;  ///< tensor for GEMM and projections, vector for elementwise and streams
  Sparsity sparsity = Sparsity::dense;
};

/// Why there is no roof. `unsupported`: the hardware cannot compute so, and the work is refused;
/// else it may run, and has no ratio.
struct Refusal {
  bool unsupported = false;
  std::string reason;
};

using ComputeAnswer = std::variant<ComputeRoof, Refusal>;

/// A doubt that does not stop anything. `id` is stable, `text` one sentence.
struct Warning {
  std::string id;
  std::string text;
};

/// Datasheet peak. fp64 on the matrix units falls back to the ordinary fp64 peak where there is no
/// such unit; fp32 is never tf32; sparse peaks only where the query asks for them.
[[nodiscard]] ComputeAnswer compute_roof(const Accelerator& accelerator, const RoofQuery& query);

/// The clock that the vendor's peak of `key` is rated at: the matrix units' own where there is one.
[[nodiscard]] std::optional<Frequency> rated_clock(const Accelerator& accelerator, PeakKey key);

/// SMs x FLOP/clock/SM x rated clock, origin `derived`.
[[nodiscard]] ComputeAnswer derived_peak(const Accelerator& accelerator, PeakKey key);
/// The same at a clock sampled under load, origin `clock_adjusted`. Where the vendor caps a peak
/// below the architecture's rate (H800 fp64), it stays at or below the datasheet's.
[[nodiscard]] ComputeAnswer clock_adjusted_peak(const Accelerator& accelerator, PeakKey key,
                                                Frequency clock);

/// bus bits / 8 x clock x 2 (two transfers per clock). Drivers that do not know say 0: that is a
/// refusal.
[[nodiscard]] std::variant<Bandwidth, Refusal> bandwidth_from_bus(unsigned bus_bits,
                                                                  Frequency clock);

/// What a driver says of the memory; 0 or nothing where it does not know.
struct DriverMemory {
  unsigned bus_bits = 0;
  Frequency clock;
};

struct MemoryAnswer {
  std::optional<MemoryRoof>
      roof;            ///< the table's where it has one, else derived from the driver's figures
  std::string reason;  ///< why there is no roof
  std::optional<Bandwidth> derived;
  std::vector<Warning>
      warnings;  ///< `bandwidth_mismatch`: derived and table differ by more than 10 %
};

[[nodiscard]] MemoryAnswer memory_roof(const Accelerator& accelerator,
                                       const DriverMemory& driver = {});
/// For a device that the catalogue does not know.
[[nodiscard]] MemoryAnswer memory_roof_from_driver(const DriverMemory& driver);

/// `sparse_peak`, when a peak that a user states for `key` is within 1 % of the 2:4 sparse figure.
[[nodiscard]] std::optional<Warning> check_stated_peak(const Accelerator& accelerator, PeakKey key,
                                                       Performance stated);
/// `above_rated_bandwidth`, with what may be behind it, where a bandwidth that was stated or
/// measured is so far above the rated one that no memory sustains it.
[[nodiscard]] std::optional<Warning> check_sustained_bandwidth(Bandwidth rated,
                                                               Bandwidth sustained);

/// What helps to explain a reading above the roof `key`: sparse peak, other types' dense peaks, and
/// the peak at `sampled`, the clock under load.
[[nodiscard]] RoofContext roof_context(const Accelerator& accelerator, PeakKey key,
                                       std::optional<Frequency> sampled = {});

}  // namespace roofline::machine
