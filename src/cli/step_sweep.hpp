// The walk along the roof: the same step for one batch after another, one context after another.
#pragma once

#include <string>

#include "cli/command.hpp"
#include "cli/deployment.hpp"

namespace roofline::cli {

struct SweepOptions {
  std::string batch;    ///< an axis
  std::string context;  ///< an axis
  bool json_lines = false;
};

void add_sweep_options(CLI::App& app, SweepOptions& options);
[[nodiscard]] bool sweeps(const SweepOptions& options);

/// Throws InputError for options of `app` that a sweep makes idle or that need one.
void refuse_sweep_contradictions(const CLI::App& app, const SweepOptions& options);

/// Writes a table, one JSON text, or a line of JSON for each step as it is worked out, however many
/// they are. Throws InputError naming the option; needs roofs.
void sweep_steps(const Deployment& deployment, const SweepOptions& options, bool json, Io& io);

}  // namespace roofline::cli
