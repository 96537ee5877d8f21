// Why a reading may lie above what its step could reach: each candidate is tried on the numbers,
// and only those that explain them are named.
#pragma once

#include <string>
#include <string_view>
#include <vector>

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
  model::Reading reading;
  bool total_stated = false;  ///< --devices says what the tokens/s are of
  Seconds observed;
  double of_ceiling = 0;
};
/// Likeliest first, those that explain it before the others.
[[nodiscard]] std::vector<ImpossibleCause> impossible_causes(const AboveRoof& reading,
                                                             const Deployment& deployment,
                                                             const DeploymentRoofs& roofs);

}  // namespace roofline::cli
