// A deployment as a lever leaves it: in other types, for another load, on more or other devices.
// Knows neither what a lever costs nor what it gains.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "cli/advise_options.hpp"
#include "cli/deployment.hpp"
#include "machine/accelerator.hpp"
#include "model/advice_regime.hpp"

namespace roofline::cli {

struct Variant {
  model::StepTypes types;
  model::PlanOptions plan;
  model::Load load;
  model::StepRoofs roofs;
  model::Room room;
};

/// Throws InputError for a --max-batch below the batch.
[[nodiscard]] Variant as_it_is(const AdviseOptions& options, const Deployment& deployment,
                               const DeploymentRoofs& rated);

/// A change of what weights and cache are stored in, and weights are multiplied in.
struct Quantisation {
  std::string_view name;
  unsigned weight_bits = 0;         ///< 0: as they are
  std::optional<DType> arithmetic;  ///< else 16 bits
  bool cache = false;
};
[[nodiscard]] std::span<const Quantisation> quantisations();

[[nodiscard]] Variant quantised(const Variant& base, const Quantisation& change, bool with_head);
/// Whether `changed`, which is `base` quantised so, stores anything in fewer bits, or computes in
/// another type, than is done already.
[[nodiscard]] bool changes_something(const Variant& base, const Quantisation& change,
                                     const Variant& changed, const model::Architecture& model);

/// All sequences begin with the same tokens.
[[nodiscard]] Variant sharing_prefix(const Variant& base, std::uint64_t tokens);
[[nodiscard]] Variant with_chunk(const Variant& base, const model::Requests& chunk);
/// Each step verifies `drafted` tokens, each accepted with the same chance.
[[nodiscard]] Variant speculating(const Variant& base, std::uint64_t drafted, double acceptance);
[[nodiscard]] Variant on_twice_the_devices(const Variant& base);
/// Nothing where it cannot compute so.
[[nodiscard]] std::optional<Variant> on_device(const Variant& base,
                                               const machine::Accelerator& device,
                                               const std::string& config_dir);

}  // namespace roofline::cli
