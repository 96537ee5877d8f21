// A model on a device as the command line states it: what is stored and computed in which type,
// which tokens one step takes, and the roofs above it. Counts nothing itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/deployment_roofs.hpp"
#include "cli/roof_options.hpp"
#include "model/decode_limits.hpp"
#include "model/step_plan.hpp"

namespace roofline::cli {

enum class Phase { decode, prefill, chunk };
[[nodiscard]] std::string_view name(Phase phase);

struct DeploymentOptions {
  std::string phase = "decode";
  std::string batch;
  std::string context;
  std::string tokens;  ///< of a chunk
  std::string riding;  ///< tokens of a prompt that ride along with a decode batch
  std::string shared_prefix;
  std::string weights;
  std::string head;
  std::string kv;
  std::string arithmetic;
  std::string account;
  std::string fusion = "blocks";
  std::string convention = "exact";
  std::string attention = "causal";
  std::string latent = "cheapest";
  std::string tensor_parallel = "1";
  bool input_embedding = false;
  bool without_head = false;
  bool replicated_head = false;
  std::string memory;
  std::string usable = "0.9";
  std::string reserve = "2GB";
  std::string deadline;
  std::string measured;
  RoofOptions roofs;
};

void add_phase_option(CLI::App& app, DeploymentOptions& options);
/// Adds what a deployment is stated by, but the phase, the types of weights and
/// cache and the context.
void add_deployment_options(CLI::App& app, DeploymentOptions& options);
/// Whether any of them was given, so that a step is asked for.
[[nodiscard]] bool states_deployment(const CLI::App& app);

struct Deployment {
  std::string name;
  model::Architecture model;
  model::StepTypes types;
  model::PlanOptions plan;
  Phase phase = Phase::decode;
  std::uint64_t batch = 1;
  bool batch_chosen = false;  ///< else a default
  std::uint64_t context = 0;
  bool context_chosen = false;  ///< else a default
  std::uint64_t tokens = 0;     ///< of a chunk
  bool tokens_chosen = false;   ///< else a default
  std::uint64_t riding = 0;
  std::uint64_t shared_prefix = 0;
  std::optional<DeploymentRoofs> roofs;     ///< none: no device and no roof is given
  std::optional<DeploymentRoofs> measured;  ///< of --measured
  std::optional<model::MemoryBudget> memory;
  std::string memory_reason;          ///< why there is none
  std::vector<std::string> warnings;  ///< of the deployment itself, one sentence each
  std::string memory_source;
  std::optional<Seconds> deadline;
};

/// `model` is read already, `file` how it is called. Throws InputError naming the option,
/// NotAvailable for an unknown device and for arithmetic that a device has not, FileError.
[[nodiscard]] Deployment make_deployment(const DeploymentOptions& options, std::string name,
                                         model::Architecture model, const std::string& config_dir);

/// As the configuration states it, else 16 bits, whatever the weights are stored in: fp32 files are
/// served in 16 bits, too.
[[nodiscard]] DType default_cache(const model::StoredWeights& weights);
/// The weights as --weights and --head state them.
[[nodiscard]] model::StoredWeights chosen_weights(const model::Architecture& model,
                                                  const std::string& weights,
                                                  const std::string& head);

/// What was assumed of model, deployment and roofs, one sentence each.
[[nodiscard]] std::vector<std::string> warnings_of(const Deployment& deployment);
/// The step for a batch and a context, riding chunk and shared prefix included. A chunk phase ends
/// its prompts, whose first tokens it gives; what rides along is from the middle of one. Throws
/// InputError.
[[nodiscard]] model::Step step_of(const Deployment& deployment, std::uint64_t batch,
                                  std::uint64_t context);
/// Refuses options of `app` that have no effect on this deployment, by name. Throws InputError.
void refuse_idle_options(const CLI::App& app, const Deployment& deployment);
/// Sequences of the step that fit into memory with such a context; nothing where its size is not
/// known.
[[nodiscard]] std::optional<std::uint64_t> batch_capacity(const Deployment& deployment,
                                                          const model::StepPlan& plan,
                                                          std::uint64_t context);
/// What a sequence of the step holds when it is over, for such a context.
[[nodiscard]] std::uint64_t tokens_held(const Deployment& deployment, std::uint64_t context);
/// A sentence where that is more than the model was made for, which is counted all the same.
[[nodiscard]] std::optional<std::string> outgrows(const Deployment& deployment,
                                                  std::uint64_t context);
/// Tokens that pass through the model in one step.
struct TokensPassed {
  double decoded = 0;     ///< one for each sequence that decodes
  double of_prompts = 0;  ///< whole ones, chunks, and what rides along
};
[[nodiscard]] TokensPassed tokens_passed(Phase phase, std::span<const model::Requests> step);

}  // namespace roofline::cli
