// Why a reading may lie above what its step could reach: each candidate is tried on the numbers,
// and only those that explain them are named.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/advise_options.hpp"
#include "cli/advise_scope.hpp"
#include "cli/deployment.hpp"
#include "model/advice.hpp"

namespace roofline::cli {

struct ImpossibleCause {
  std::string_view id;  ///< stable
  std::string text;
  bool explains = false;  ///< the numbers fit; else it is merely possible
};

/// A reading as it was given, and what it was held against.
struct AboveRoof {
  const DeploymentOptions& stated;  ///< what a cause is tried with other words in
  const std::string& config_dir;
  GivenReading given;
  bool total_stated = false;  ///< --devices says what the tokens/s are of
  Scope scope;
  double of_ceiling = 0;
  /// The dense peak that the device is rated at, where it is not the peak of the roofs: a stated
  /// one or a sparse one.
  std::optional<Performance> rated_peak;
};
/// Likeliest first, those that explain it before the others.
[[nodiscard]] std::vector<ImpossibleCause> impossible_causes(const AboveRoof& reading,
                                                             const Deployment& deployment,
                                                             const DeploymentRoofs& roofs);

}  // namespace roofline::cli
