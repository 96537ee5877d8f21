// The roofs that a step of a model is held against: a peak for every type that it computes in, and
// one bandwidth. From a catalogue, the command line or a report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/roof_options.hpp"
#include "model/step_bounds.hpp"
#include "model/step_plan.hpp"
#include "roofline/roof.hpp"

namespace roofline::cli {

struct TypedPeak {
  DType type;
  ComputeRoof roof;
  RoofContext context = {};  ///< other peaks of the device; nothing of a measured one
};

/// Everything that a step is held against.
struct DeploymentRoofs {
  std::string device_id;
  std::string device_name;
  model::StepRoofs values;
  std::vector<TypedPeak> peaks;  ///< of every type that the step computes in
  MemoryRoof memory;
  std::optional<OverheadRoof> launch;
  std::vector<std::string> warnings;  ///< one sentence each, for stderr

  /// The first of them is that of the products. One that the step computes in.
  [[nodiscard]] const TypedPeak& peak_of(DType type) const;
};

/// Of a device as it is rated, or as the options state it. Also for other types than it is served
/// in: what a lever would be held against. Throws InputError, NotAvailable for an unknown device
/// and for arithmetic that a device has not, FileError.
[[nodiscard]] DeploymentRoofs choose_deployment_roofs(const RoofOptions& options,
                                                      const model::StepTypes& types,
                                                      const std::string& config_dir);
/// What a device has shown in `report`: its best products, its sustained bandwidth, its launch
/// floor. `device` is the one that it should be of; empty: any. Throws as above.
[[nodiscard]] DeploymentRoofs measured_deployment_roofs(const std::string& report,
                                                        const std::string& device,
                                                        const model::StepTypes& types,
                                                        const std::string& config_dir);

}  // namespace roofline::cli
