// The step of a reading as another command line would state it: what a cause recommends is tried by
// the very options that it names.
#pragma once

#include <optional>
#include <string>

#include "cli/advise_scope.hpp"
#include "cli/deployment.hpp"
#include "model/advice.hpp"

namespace roofline::cli {

struct Restated {
  Deployment deployment;
  DeploymentRoofs roofs;  ///< the rated ones, where there are such
};

/// The model of `d` with other options. Nothing where they are refused: a type that the device has
/// not, or weights of too many bits for their arithmetic.
[[nodiscard]] std::optional<Restated> restated(const Deployment& d,
                                               const DeploymentOptions& options,
                                               const std::string& config_dir);

/// Whether a step of these bounds and tokens, read so over that peak, is within its floor's reach.
[[nodiscard]] bool can_be(const model::Reading& reading, const model::StepBounds& bounds,
                          double tokens, Performance peak);
/// Whether the reading, of the same scope, is within the roofs of such a step.
[[nodiscard]] bool can_be(const model::Reading& reading, const Scope& scope,
                          const Restated& restated);

}  // namespace roofline::cli
