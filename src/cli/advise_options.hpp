// The options of roofline advise, and what they mean as values. Judges nothing itself.
#pragma once

#include <optional>
#include <string>

#include "cli/deployment.hpp"
#include "model/advice.hpp"

namespace CLI {
class App;
}

namespace roofline::cli {

struct AdviseOptions {
  std::string model;
  std::string config_dir;
  DeploymentOptions step;
  // Of these, one:
  std::string mfu;
  std::string tokens_per_s;
  std::string step_time;
  std::string scope_time;  ///< of the operation that is the scope
  std::string bandwidth_used;
  std::string utilisation;  ///< of nvidia-smi: refused

  std::string devices;  ///< tokens/s are the total of so many
  std::string scope = "step";
  std::string kernel_share;
  std::string kernel_of_roof;
  std::string kernel_bandwidth;
  std::string latency_budget;
  std::string max_batch;
  std::string prefix;
  std::string acceptance;  ///< 70 % where left out
  std::string draft;       ///< 4 where left out
  bool reconcile = false;
  bool json = false;
  bool strict = false;
};

void add_advise_options(CLI::App& app, AdviseOptions& options);

/// A rate of tokens as it was given: of one device, or of `devices` together.
struct GivenReading {
  model::Reading reading;  ///< tokens/s of the devices that share a step
  std::string text;        ///< `MFU 6 %`, for people
  std::string origin;      ///< the option
};
/// Throws InputError where none or several are given, for one that is not of the scope, and for a
/// utilisation.
[[nodiscard]] GivenReading given_reading(const AdviseOptions& options,
                                         std::uint64_t tensor_parallel);

struct KernelOptions {
  std::optional<double> share;             ///< of the step's time
  std::optional<model::Range> of_roof;     ///< of the kernel's own roof
  std::optional<model::Range> byte_per_s;  ///< the same as a rate
};
/// Refuses options of `app` that have no effect beside the scope, --reconcile or the phase that
/// `options` have, by name. Throws InputError.
void refuse_idle_advice(const CLI::App& app, const AdviseOptions& options);

/// Throws InputError.
[[nodiscard]] KernelOptions kernel_options(const AdviseOptions& options);

/// Tokens of a step as tokens/s count them: those that a decode step gives, or those of prompts
/// that pass through.
[[nodiscard]] double tokens_of_rate(Phase phase, const model::Step& step);

}  // namespace roofline::cli
