// Roofs: what the hardware could do, with where each figure comes from. A roof without an origin
// does not exist, and where there is no roof there is no ratio.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "roofline/account.hpp"
#include "roofline/dtype.hpp"
#include "roofline/text.hpp"
#include "roofline/units.hpp"

namespace roofline {

enum class Origin {
  datasheet,       ///< printed by the vendor, dense, dtype-matched
  derived,         ///< units x FLOP/clock/unit x clock, or bus width x rate
  clock_adjusted,  ///< derived at the clock sampled under load
  measured,        ///< the best that was demonstrated on this device
  user,            ///< given on the command line
};
[[nodiscard]] std::string_view name(Origin origin);

enum class Sparsity { dense, sparse_2_4 };
[[nodiscard]] std::string_view name(Sparsity sparsity);

struct ComputeRoof {
  Performance peak;
  PeakKey key = PeakKey::fp32;
  Sparsity sparsity = Sparsity::dense;
  Origin origin = Origin::datasheet;
  Text source;                          ///< document, file or probe
  std::optional<Frequency> clock = {};  ///< core clock it was measured or rated at
};

struct MemoryRoof {
  Bandwidth bandwidth;
  Boundary boundary = Boundary::dram;
  Origin origin = Origin::datasheet;
  Text source;
  Text placement = {};  ///< where the threads lay when it was measured; see Sample
};

/// The time of a call that does nothing.
struct OverheadRoof {
  Seconds time;
  LaunchPath path = LaunchPath::kernel;
  Origin origin = Origin::user;
  Text source = {};
};

/// The two roofs a point is held against, and the floor of an empty call. A missing roof says why.
struct Roofs {
  std::optional<ComputeRoof> compute;
  Text compute_reason;
  std::optional<MemoryRoof> memory;
  Text memory_reason;
  std::optional<OverheadRoof> overhead = {};
  /// Why there is none, where it should have been measured.
  Text overhead_reason = {};
};

/// The intensity at which both roofs are reached at once.
[[nodiscard]] constexpr Intensity ridge_point(Performance peak, Bandwidth bandwidth) {
  return peak / bandwidth;
}

/// min(peak, bandwidth * intensity).
[[nodiscard]] constexpr Performance attainable(Intensity at, Performance peak,
                                               Bandwidth bandwidth) {
  const Performance sloped = bandwidth * at;
  return sloped < peak ? sloped : peak;
}

}  // namespace roofline
