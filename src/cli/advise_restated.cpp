#include "cli/advise_restated.hpp"

#include "cli/advise_levers.hpp"
#include "cli/advise_options.hpp"
#include "roofline/error.hpp"
#include "roofline/placement.hpp"

namespace roofline::cli {
namespace {

/// As the first roofs of a sheet: a sustained bandwidth beside a device is no limit of it.
DeploymentRoofs limits_of(const Deployment& d, const DeploymentOptions& o,
                          const std::string& config_dir) {
  if (!o.roofs.device.empty() && !o.roofs.bandwidth.empty()) {
    try {
      return choose_deployment_roofs(rated_roof_options(o.roofs), d.types, config_dir);
    } catch (const NotAvailable&) {
      return *d.roofs;
    }
  }
  return d.roofs ? *d.roofs : *d.measured;
}

}  // namespace

std::optional<Restated> restated(const Deployment& d, const DeploymentOptions& options,
                                 const std::string& config_dir) {
  try {
    Restated out{make_deployment(options, d.name, d.model, config_dir), {}};
    out.roofs = limits_of(out.deployment, options, config_dir);
    return out;
  } catch (const InputError&) {
    return std::nullopt;
  } catch (const NotAvailable&) {
    return std::nullopt;
  }
}

bool can_be(const model::Reading& reading, const model::StepBounds& bounds, double tokens,
            Performance peak) {
  const model::ReadStep read{bounds.work, bounds.traffic, tokens, peak};
  return bounds.floor() <= kImpossible * model::observed_time(reading, read);
}

bool can_be(const model::Reading& reading, const Scope& scope, const Restated& restated) {
  const Deployment& d = restated.deployment;
  const model::StepPlan plan(d.model, d.types, d.plan);
  const model::Step step = step_of(d, d.batch, d.context);
  const model::StepRoofs& roofs = restated.roofs.values;
  const model::StepBounds bounds = bounds_of(scope, plan, step, roofs);
  return can_be(reading, bounds, tokens_of_rate(d.phase, step),
                roofs.peaks.of(arithmetic_of(scope, plan)));
}

}  // namespace roofline::cli
