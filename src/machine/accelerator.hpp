// What is known of one accelerator: the facts of its file in configs/accelerators, as a value.
// Every number carries where it is from; what is missing says why. Knows no other device and no
// file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <roofline/dtype.hpp>
#include <roofline/units.hpp>

namespace roofline::machine {

inline constexpr double kGibi = 1024.0 * 1024.0 * 1024.0;

/// How much the figures are to be trusted; configs/accelerators/README.md says what earns which.
enum class Confidence { high, medium, low };
[[nodiscard]] std::string_view name(Confidence confidence);

/// How a peak is known.
enum class Provenance {
  printed_dense,  ///< the vendor prints the dense figure
  sparse_halved,  ///< the vendor prints the sparse figure only
  same_rate,      ///< the vendor documents the rate of a neighbouring type
  cloud_printed,  ///< a cloud vendor prints the dense figure
  computed,       ///< SMs x FLOP/clock/SM x clock, or a documented ratio to a printed type
  secondary,      ///< third parties only
};
[[nodiscard]] std::string_view name(Provenance provenance);

/// Keys of Accelerator::sources.
using SourceKeys = std::vector<std::string>;

template <class T>
struct Sourced {
  T value{};
  SourceKeys sources;
  std::optional<Confidence> confidence;  ///< overrides the device's
};

/// Why a figure is not there.
struct Missing {
  bool unsupported = false;  ///< the hardware has no such instruction; else the figure is unknown
  std::string reason;
};

struct DensePeak {
  Performance value;
  Provenance provenance = Provenance::secondary;
  SourceKeys sources;
  std::optional<Confidence> confidence;
};

using PeakEntry = std::variant<DensePeak, Missing>;

/// 2:4 structured sparsity, kept apart from the dense peaks: never a denominator for dense work.
struct SparsePeaks {
  std::map<PeakKey, Performance> peaks;
  SourceKeys sources;
  Missing missing;  ///< why `peaks` is empty
};

struct Clocks {
  std::optional<Sourced<Frequency>> boost;         ///< rated, ordinary units
  std::optional<Sourced<Frequency>> tensor_boost;  ///< rated, matrix units, where rated apart
  std::optional<Sourced<Frequency>> base;
  std::optional<Sourced<Frequency>> max;  ///< highest SM clock that a driver reports
};

struct Memory {
  std::string type;  ///< `HBM2e`, `GDDR6`; empty when unknown
  std::optional<Sourced<double>>
      nameplate_gb;                        ///< what the box says: GiB, or nearly; see memory_size
  std::optional<Sourced<Bytes>> reported;  ///< total memory as a driver reported it
  std::variant<Sourced<Bandwidth>, Missing> bandwidth;
  std::string bandwidth_printed;  ///< as the vendor prints it
  std::optional<Sourced<unsigned>> bus_bits;
  std::optional<Sourced<Frequency>> clock;       ///< as CUDA reports it: two transfers per clock
  std::optional<Sourced<double>> bit_per_s_pin;  ///< data rate per pin where the clock is not known
  std::string note;
};

struct Link {
  unsigned generation = 0;
  unsigned width = 0;       ///< NVLink links or PCIe lanes
  Bandwidth per_direction;  ///< what a one-way copy or a collective's bus bandwidth is held against
  std::optional<Bandwidth> total;
  std::string topology;
  SourceKeys sources;
};

/// A conflicting figure that was found and not taken.
struct Alternate {
  std::string field;
  std::string value;
  std::string why;
};

/// Why recomputing some figures from SMs, rates and clocks gives something else.
struct CrossCheckException {
  std::vector<std::string> fields;  ///< `dense.bf16`, `sparse.fp4`, `memory.bandwidth`
  std::string reason;
};

struct Accelerator {
  std::string id;
  std::string date;  ///< when the facts were gathered, ISO 8601
  Confidence confidence = Confidence::low;
  std::string vendor;
  std::string architecture;
  std::string chip;
  std::string compute_capability;
  std::string kind;
  std::string model;                 ///< the words it is matched by: `RTX 6000 Ada`
  std::string form_factor;           ///< `SXM4`, `PCIe`, `NVL`; empty for superchips and laptops
  std::vector<std::string> names;    ///< exact driver names
  std::vector<std::string> aliases;  ///< other whole names of the same product
  std::vector<std::string> not_to_confuse;
  std::string shared_name;  ///< why the exact name is not enough
  std::vector<std::string> pci_device_ids;

  std::optional<Sourced<unsigned>> sm_count;
  Clocks clocks;
  Memory memory;
  std::optional<Sourced<Bytes>> l2;
  std::optional<Sourced<double>> tdp_w;
  std::optional<Link> nvlink;
  std::optional<Link> pcie;

  std::map<PeakKey, double> flop_per_clock_per_sm;
  SourceKeys rate_sources;
  std::map<PeakKey, PeakEntry> dense;  ///< an entry for every peak key
  SparsePeaks sparse;

  std::vector<Alternate> alternates;
  std::vector<CrossCheckException> exceptions;
  std::vector<std::string> notes;
  std::map<std::string, std::string> sources;  ///< key -> reference
};

/// The dense peak of `key`, or nothing where it is missing.
[[nodiscard]] const DensePeak* dense_peak(const Accelerator& accelerator, PeakKey key);

struct MemorySize {
  Bytes size;
  bool reported = false;   ///< by a driver; else the nameplate's
  std::string_view basis;  ///< in words
};

/// As a driver reported it, or the nameplate as GiB. That is what nameplates of HBM mean, odd ones
/// included: drivers report 97.9 to 99.6 % of it where both are known (143,771 MiB of an H200's
/// 141, 275,040 of a B300's 270), and 141e9 B would be less than an H200 has. ECC of GDDR6 takes a
/// sixteenth more where it is on, which `basis` says. Nothing where neither is known.
[[nodiscard]] std::optional<MemorySize> memory_size(const Accelerator& accelerator);

/// Whether ECC lies in the memory itself, so that it takes a sixteenth of it where it is on: in
/// GDDR6 and GDDR6X. HBM and GDDR7 have bits of their own for it.
[[nodiscard]] bool has_inline_ecc(const Memory& memory);

/// The stated reason for a recomputation of `field` to differ; empty when there is none.
[[nodiscard]] std::string_view exception_for(const Accelerator& accelerator,
                                             std::string_view field);

}  // namespace roofline::machine
