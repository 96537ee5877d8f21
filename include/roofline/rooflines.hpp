// The two rooflines of one point: the hardware's (the rated or derived dense peak over the
// bandwidth that was sustained) and the empirical one (measured over measured), and what lies
// between them and the point. Where the roofs come from is not known here.
#pragma once

#include <optional>
#include <string>

#include "roofline/account.hpp"
#include "roofline/placement.hpp"
#include "roofline/roof.hpp"
#include "roofline/text.hpp"

namespace roofline {

/// One of the two curves at the intensity of a point.
struct Roofline {
  std::optional<ComputeRoof> peak;
  Text point;                          ///< id of the point that showed a measured peak
  std::optional<Performance> ceiling;  ///< min(peak, sustained bandwidth * intensity)
  Text reason;                         ///< why there is no ceiling
};

struct Rooflines {
  Roofline hardware;
  Roofline empirical;
  /// Hardware ceiling / empirical ceiling: what another stack might still get out of the platform.
  std::optional<double> platform_opportunity;
  Text platform_reason;
  /// The lower known ceiling / achieved: what a better kernel might still get. Of a workload
  /// without arithmetic, sustained bandwidth / achieved bandwidth.
  std::optional<double> kernel_opportunity;
  Text kernel_reason;
  /// Achieved / the empirical peak: the best rate of this type that the device itself has shown.
  std::optional<double> best_measured_mfu;
  Text best_measured_reason;
};

/// Peaks for the two curves, dense and of the point's type; nothing where none is known.
struct RooflinePeaks {
  std::optional<ComputeRoof> hardware;
  std::optional<ComputeRoof> empirical;
  std::string empirical_point = {};  ///< id of the point that showed it
};

/// Both curves stand on `memory`, which must have been sustained: measured, or given by the user.
/// A datasheet bandwidth, which no access pattern reaches, makes neither.
[[nodiscard]] Rooflines rooflines(const Account& account, const RooflinePeaks& peaks,
                                  const std::optional<MemoryRoof>& memory,
                                  const std::optional<Assessment>& assessment);

}  // namespace roofline
