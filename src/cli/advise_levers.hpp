// What could be changed about a step besides its kernels, what each change comes to in two regimes,
// and what it costs. Bounds are held against bounds: an engine that is as near its roof as before.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/advise_options.hpp"
#include "cli/deployment.hpp"
#include "model/advice_regime.hpp"

namespace roofline::cli {

enum class LeverGroup {
  configuration,  ///< a setting: counts against a kernel
  conditional,    ///< a setting whose gain hangs on something that is assumed, or is of other work
  hardware,       ///< more or other devices
};
[[nodiscard]] std::string_view name(LeverGroup group);

/// What a lever comes to in one regime.
struct LeverYield {
  std::uint64_t batch = 0;
  Seconds time_per_token;
  double tokens_per_s = 0;
  double mfu_ceiling = 0;
  double gain = 0;    ///< tokens/s over those of the step as it is, at its batch
  bool late = false;  ///< a sequence waits longer for a token than the deadline allows
};

/// One way of doing it; of weights there are two, by what the vocabulary head is stored in.
struct LeverForm {
  std::optional<LeverYield> fixed;
  std::optional<LeverYield> capacity;
};

struct Lever {
  std::string name;
  LeverGroup group = LeverGroup::configuration;
  std::string brief;        ///< cost, in a few words
  std::string cost;         ///< in a sentence
  std::string needs;        ///< of the hardware or the engine; empty: nothing
  std::string assumption;   ///< that the gain stands on; empty: none
  std::string relative_to;  ///< what the gain is over; empty: the step as it is, as of the others
  std::string unavailable;  ///< why it is not to be had, or has no figure
  bool on_device = true;    ///< false: this device cannot
  bool counted = false;     ///< against a kernel
  LeverForm gain;
  std::optional<LeverForm> other_head;  ///< with the head stored the other way
};

struct LeverTable {
  std::uint64_t batch = 0;
  model::Yield base;                           ///< at the batch of the step
  std::optional<model::AllowedBatch> allowed;  ///< for the step as it is
  std::string capacity_reason;                 ///< why no batch is known that fits
  bool head_quantised = true;                  ///< in `gain`; `other_head` is the other way
  std::vector<Lever> levers;                   ///< by group, the highest gain at this batch first
};

/// Those whose gain in a regime can be compared and keeps the deadline, the highest first.
[[nodiscard]] std::vector<const Lever*> ranked(const LeverTable& table,
                                               std::optional<LeverYield> LeverForm::*regime);

/// `rated`: the roofs that the gains are worked out under; `observed`: how long the step took,
/// which nothing in it takes longer than. Throws InputError for malformed options.
[[nodiscard]] LeverTable make_levers(const AdviseOptions& options, const Deployment& deployment,
                                     const DeploymentRoofs& rated, Seconds observed);

/// Roofs that a catalogue or the command line rates a device by: without a bandwidth that was
/// sustained, where the catalogue has one.
[[nodiscard]] RoofOptions rated_roof_options(const RoofOptions& options);

}  // namespace roofline::cli
