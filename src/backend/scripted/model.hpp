// The arithmetic of a scripted machine: which sizes it fills in, what it cannot run, and what a
// call takes under its peaks, bandwidths, overheads and clock. Knows no samples and no time of day.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "backend/backend.hpp"
#include "backend/scripted/script.hpp"

namespace roofline::scripted {

using Support = std::variant<Workload, backend::Unsupported>;

/// The names that a `point` pattern may match: kind/type/shape, blanks as `_`. Elements that the
/// script fills in are called `dram`, and by their number.
[[nodiscard]] std::vector<std::string> point_names(const Workload& workload, const Script& script);

/// Bytes of an array that is to lie in DRAM: 8 times the largest stated level, else 256 MiB; at
/// most a quarter of the memory.
[[nodiscard]] std::uint64_t dram_array_bytes(const Script& script);

/// As Backend::supports().
[[nodiscard]] Support support(const Workload& workload, const Script& script);

/// What happens to be so while a call runs, relative to what the script states.
struct Conditions {
  double clock = 1;      ///< core clock / the device's
  double bandwidth = 1;  ///< factor of the placement
};

/// Time of one undisturbed call of a workload from support().
class CallTime {
 public:
  CallTime(const Workload& workload, const Behaviour& behaviour, const Script& script);
  [[nodiscard]] Seconds at(Conditions conditions) const;

 private:
  [[nodiscard]] Seconds modelled(Conditions conditions) const;

  std::optional<Seconds> stated_;
  Seconds overhead_;
  Seconds compute_;  ///< 0 where there is no peak or no work
  Seconds memory_;   ///< 0 where there is no bandwidth or no traffic
};

}  // namespace roofline::scripted
