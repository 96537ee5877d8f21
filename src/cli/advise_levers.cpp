#include "cli/advise_levers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/advise_variants.hpp"
#include "cli/configs.hpp"
#include "cli/operation_options.hpp"
#include "report/format.hpp"
#include "roofline/error.hpp"
#include "roofline/placement.hpp"
#include "roofline/quantity_text.hpp"

namespace roofline::cli {
namespace {

using report::format_number;

constexpr const char* kAccuracy =
    "accuracy must be validated on your own tasks, for the weights as they will be stored";
constexpr const char* kCacheAccuracy =
    "accuracy must be validated at your own context lengths, where errors of the cache add up";

/// Cards from small to large that are often to be had. Of them, those that are faster here.
constexpr std::array<std::string_view, 6> kOtherDevices{
    "l40s", "a100-80gb-sxm", "h100-80gb-sxm", "h200-141gb-sxm", "b200-180gb-sxm", "b300-270gb-sxm"};
constexpr std::size_t kOthersShown = 2;
constexpr double kWorthNaming = 1.05;
constexpr std::uint64_t kRidingTokens = 512;
constexpr double kAcceptance = 0.7;
constexpr std::uint64_t kDrafted = 4;

/// Of a refusal the reason in its parentheses, where it has one.
std::string not_computed_in(const std::string& refusal) {
  const std::size_t open = refusal.find('(');
  const std::size_t close = refusal.find(')', open);
  if (open == std::string::npos || close == std::string::npos) return refusal;
  return refusal.substr(open + 1, close - open - 1);
}

class LeverMaker {
 public:
  LeverMaker(const AdviseOptions& options, const Deployment& deployment,
             const DeploymentRoofs& rated, Seconds observed)
      : o_(options),
        d_(deployment),
        rated_(rated),
        observed_(observed),
        base_(as_it_is(options, deployment, rated)) {
    const model::StepPlan plan(d_.model, base_.types, base_.plan);
    out_.batch = d_.batch;
    out_.base = model::yield_of(plan, base_.load, base_.roofs, d_.batch);
    out_.allowed = model::allowed_batch(plan, base_.load, base_.roofs, base_.room);
    out_.head_quantised = o_.step.head.empty();
    if (d_.phase != Phase::decode) {
      out_.capacity_reason = "only a decode step has a batch that memory or a deadline allows";
    } else if (!out_.allowed) {
      out_.capacity_reason = d_.memory_reason;
    }
  }

  LeverTable make() {
    if (d_.phase == Phase::decode) add_concurrency();
    for (const Quantisation& one : quantisations()) add_quantisation(one);
    if (d_.phase == Phase::decode) {
      add_prefix_caching();
      add_chunked_prefill();
      add_speculation();
    }
    add_graphs();
    add_more_devices();
    add_other_devices();
    std::stable_sort(out_.levers.begin(), out_.levers.end(), [](const Lever& a, const Lever& b) {
      if (a.group != b.group) return a.group < b.group;
      return fixed_gain(a) > fixed_gain(b);
    });
    return std::move(out_);
  }

 private:
  static double fixed_gain(const Lever& lever) {
    return lever.gain.fixed ? lever.gain.fixed->gain : 0;
  }

  [[nodiscard]] LeverYield yield(const model::StepPlan& plan, const Variant& variant,
                                 std::uint64_t batch) const {
    const model::Yield found = model::yield_of(plan, variant.load, variant.roofs, batch);
    const Performance peak = variant.roofs.peaks.of(variant.types.linear);
    const auto& deadline = variant.room.deadline;
    return {batch,
            found.time_per_token,
            found.tokens_per_s,
            model::mfu_ceiling(found.bounds, peak),
            found.tokens_per_s / out_.base.tokens_per_s,
            deadline && found.time_per_token > *deadline};
  }

  /// Throws InputError where the model cannot be laid out so.
  [[nodiscard]] LeverForm form(const Variant& variant) const {
    const model::StepPlan plan(d_.model, variant.types, variant.plan);
    LeverForm out;
    out.fixed = yield(plan, variant, d_.batch);
    if (!out_.allowed) return out;
    const auto allowed = model::allowed_batch(plan, variant.load, variant.roofs, variant.room);
    if (allowed && allowed->batch > 0) out.capacity = yield(plan, variant, allowed->batch);
    return out;
  }

  /// Whether the caches of the batch have room where another device's memory is the limit.
  [[nodiscard]] bool holds_batch(const Variant& variant) const {
    if (!variant.room.memory) return true;
    model::Room room;
    room.memory = variant.room.memory;
    const model::StepPlan plan(d_.model, variant.types, variant.plan);
    return model::allowed_batch(plan, variant.load, variant.roofs, room)->batch >= d_.batch;
  }

  void add(Lever lever) { out_.levers.push_back(std::move(lever)); }

  static std::string most_text(const model::AllowedBatch& allowed) {
    switch (allowed.by) {
      case model::BatchLimit::memory:
        return fmt::format("no more than {} fit", allowed.batch);
      case model::BatchLimit::deadline:
        return fmt::format("the deadline allows no more than {}", allowed.batch);
      case model::BatchLimit::demand:
        break;
    }
    return fmt::format("there are requests for no more than {}", allowed.batch);
  }

  void add_concurrency() {
    Lever lever;
    lever.name = "more concurrency";
    lever.counted = true;
    lever.cost = "each sequence waits longer for its tokens, and requests must be there to fill it";
    lever.needs = "memory for the caches, and admission that lets sequences in as long as they fit";
    lever.gain = form(base_);
    lever.gain.fixed.reset();
    if (!out_.allowed) {
      lever.unavailable = out_.capacity_reason;
    } else if (!lever.gain.capacity) {
      lever.unavailable = "not one sequence fits";
    } else if (lever.gain.capacity->batch <= d_.batch) {
      // Fewer sequences are not more of them, whatever they come to.
      lever.unavailable = most_text(*out_.allowed);
      lever.gain.capacity.reset();
      lever.counted = false;
    } else {
      lever.brief = "TPOT, enough requests";
    }
    add(std::move(lever));
  }

  [[nodiscard]] model::StepRoofs roofs_for(const model::StepTypes& types) const {
    const RoofOptions options = rated_roof_options(o_.step.roofs);
    if (options.device.empty() && options.peaks.empty())
      throw NotAvailable("no peak for arithmetic in " + std::string(name(types.linear)) +
                         " is known; --device or --peak-flops states one");
    return choose_deployment_roofs(options, types, o_.config_dir).values;
  }

  void add_quantisation(const Quantisation& change) {
    const Variant plain = quantised(base_, change, out_.head_quantised);
    if (!changes_something(base_, change, plain, d_.model)) return;
    Lever lever;
    lever.name = change.name;
    lever.counted = true;
    describe(change, lever);
    try {
      std::array<LeverForm, 2> forms;
      for (const bool with_head : {false, true}) {
        Variant variant = quantised(base_, change, with_head);
        if (change.arithmetic) variant.roofs = roofs_for(variant.types);
        forms[with_head ? 1 : 0] = form(variant);
      }
      lever.gain = forms[out_.head_quantised ? 1 : 0];
      if (change.weight_bits != 0) lever.other_head = forms[out_.head_quantised ? 0 : 1];
    } catch (const NotAvailable& error) {
      // Without the cache it is a lever of its own, which says why.
      if (change.cache) return;
      lever.unavailable = error.what();
      lever.brief = "not on this device: " + not_computed_in(lever.unavailable);
      lever.on_device = false;
      lever.counted = false;
    }
    add(std::move(lever));
  }

  static void describe(const Quantisation& change, Lever& lever) {
    lever.brief = "accuracy to validate";
    if (change.weight_bits == 0) {
      lever.cost = kCacheAccuracy;
      lever.needs =
          "attention that reads fp8 or int8 and computes in 16 bits: storage alone, which "
          "any device has; scales are not counted";
      return;
    }
    lever.cost = kAccuracy;
    if (change.arithmetic) {
      lever.cost += "; activations too, which are quantised at every product";
      lever.brief = "accuracy, activations";
      lever.needs = fmt::format("matrix units that multiply {}", name(*change.arithmetic));
    } else {
      lever.needs = "products that dequantise as they read; arithmetic stays in 16 bits";
    }
    if (change.weight_bits == 4) lever.needs += "; int4, groups of 128: 4.25 bits a weight";
    if (change.cache) lever.cost += "; and at your own context lengths for the cache";
  }

  void add_prefix_caching() {
    Lever lever;
    lever.name = "prefix caching";
    lever.group = LeverGroup::conditional;
    lever.brief = "memory for the prefixes";
    lever.cost =
        "memory for the prefixes that are kept; TTFT falls, too, where prompts begin alike";
    lever.needs = "attention that reads a common prefix once (cascade) for the gain at this batch";
    if (o_.prefix.empty()) {
      lever.unavailable = "how many tokens prompts have in common is not known: --prefix states it";
      lever.brief = "--prefix states what prompts share";
    } else {
      const std::uint64_t tokens = whole_option(o_.prefix, "--prefix");
      if (tokens > d_.context)
        throw InputError("--prefix is part of the --context of each sequence, and longer than " +
                         std::to_string(d_.context) + " tokens");
      lever.assumption = fmt::format("all sequences have {} tokens in common", tokens);
      lever.counted = true;
      lever.gain = form(sharing_prefix(base_, tokens));
    }
    add(std::move(lever));
  }

  /// A chunk of a prompt in the decode step instead of a step of its own.
  void add_chunked_prefill() {
    if (d_.riding > 0) return;
    Lever lever;
    lever.name = "chunked prefill";
    lever.group = LeverGroup::conditional;
    lever.brief = "TPOT, TTFT, scheduler";
    lever.cost =
        "TPOT grows while a chunk rides along, TTFT is to be tuned against it, and the "
        "scheduler must mix both";
    lever.assumption = fmt::format("{} tokens of a prompt ride along", kRidingTokens);
    lever.relative_to = "a decode step and the chunk one after the other";
    const model::Requests chunk = model::chunk(1, d_.context / 2, kRidingTokens, false);
    const model::StepPlan plan(d_.model, base_.types, base_.plan);
    const Seconds alone = model::bound(plan, std::vector{chunk}, base_.roofs).floor();
    const Variant mixed = with_chunk(base_, chunk);
    const auto together = [&](std::uint64_t batch) {
      LeverYield out = yield(plan, mixed, batch);
      const Seconds apart =
          model::yield_of(plan, base_.load, base_.roofs, batch).bounds.floor() + alone;
      out.gain = apart / out.time_per_token;
      return out;
    };
    lever.gain.fixed = together(d_.batch);
    const auto allowed = model::allowed_batch(plan, mixed.load, mixed.roofs, mixed.room);
    if (allowed && allowed->batch > 0) lever.gain.capacity = together(allowed->batch);
    add(std::move(lever));
  }

  void add_speculation() {
    const double acceptance =
        o_.acceptance.empty() ? kAcceptance : part_option(o_.acceptance, "--acceptance");
    const std::uint64_t drafted = o_.draft.empty() ? kDrafted : whole_option(o_.draft, "--draft");
    Lever lever;
    lever.name = "speculative decoding";
    lever.group = LeverGroup::conditional;
    lever.brief = "a draft to keep";
    lever.cost = "a draft model or head to keep, and arithmetic for tokens that are rejected";
    lever.counted = !o_.acceptance.empty();
    const Variant variant = speculating(base_, drafted, acceptance);
    lever.assumption = fmt::format(
        "{} tokens are drafted and each is accepted with {}{}: {} tokens a step; the draft's own "
        "time is left out",
        drafted, report::format_percent(acceptance), lever.counted ? "" : " (assumed)",
        format_number(variant.load.tokens_each));
    lever.gain = form(variant);
    add(std::move(lever));
  }

  [[nodiscard]] const OverheadRoof* launch_floor() const {
    if (d_.measured && d_.measured->launch) return &*d_.measured->launch;
    return rated_.launch ? &*rated_.launch : nullptr;
  }

  /// Only launches that take longer than what they launch are worth leaving out.
  void add_graphs() {
    Lever lever;
    lever.name = "graphs, fusing";
    lever.group = LeverGroup::conditional;
    lever.brief = "fixed shapes";
    lever.cost = "graphs want shapes that stay: a graph for each batch size, and memory for them";
    const OverheadRoof* launch = launch_floor();
    if (launch == nullptr) {
      lever.unavailable = "no launch floor is known: --overhead 5us or --measured REPORT state one";
      lever.brief = "--overhead states a launch floor";
      return add(std::move(lever));
    }
    const double launches = out_.base.bounds.launches;
    const Seconds all = launch->time * launches;
    const Seconds floor = out_.base.bounds.floor();
    const std::string sum = fmt::format("{} launches of {} are {}", format_number(launches),
                                        report::format(launch->time), report::format(all));
    if (all <= floor) {
      lever.unavailable = sum + ", which the " + report::format(floor) + " of the step can hide";
      lever.brief.clear();
      return add(std::move(lever));
    }
    if (all > observed_) {
      lever.unavailable = sum + ", longer than the " + report::format(observed_) +
                          " that the step took: fewer are made, or they overlap";
      lever.brief.clear();
      return add(std::move(lever));
    }
    lever.assumption = sum + "; the gain is down to the floor of the step";
    lever.gain.fixed = yield(model::StepPlan(d_.model, base_.types, base_.plan), base_, d_.batch);
    lever.gain.fixed->gain = all / floor;
    lever.counted = true;
    add(std::move(lever));
  }

  void add_more_devices() {
    const Variant variant = on_twice_the_devices(base_);
    Lever lever;
    lever.name = fmt::format("tensor parallel {}", variant.plan.tensor_parallel);
    lever.group = LeverGroup::hardware;
    lever.brief = "twice the devices";
    lever.cost = "twice the devices; a link between them that keeps up";
    lever.assumption = "collectives are left out, so the gain is an upper bound";
    try {
      lever.gain = form(variant);
    } catch (const InputError& error) {
      lever.unavailable = error.what();
    }
    add(std::move(lever));
  }

  void add_other_devices() {
    std::size_t shown = 0;
    const machine::Catalogue catalogue = load_catalogue(o_.config_dir);
    for (const std::string_view id : kOtherDevices) {
      if (shown == kOthersShown) return;
      const machine::Accelerator* device = catalogue.find(id);
      if (device == nullptr || id == rated_.device_id) continue;
      if (add_device(*device)) ++shown;
    }
  }

  bool add_device(const machine::Accelerator& device) {
    const auto variant = on_device(base_, device, o_.config_dir);
    if (!variant) return false;
    const auto memory = machine::memory_size(device);
    Lever lever;
    lever.name = device.id;
    lever.group = LeverGroup::hardware;
    lever.brief = report::format(variant->roofs.bandwidth);
    if (memory)
      lever.brief +=
          ", " + report::format_capacity(static_cast<std::uint64_t>(in_byte(memory->size)));
    lever.cost = "another device to rent or buy: " + lever.brief;
    lever.gain = form(*variant);
    if (lever.gain.fixed->gain < kWorthNaming) return false;
    if (!holds_batch(*variant)) {
      lever.gain.fixed.reset();
      lever.unavailable = fmt::format("the {} sequences do not fit into its memory", d_.batch);
    }
    add(std::move(lever));
    return true;
  }

  const AdviseOptions& o_;
  const Deployment& d_;
  const DeploymentRoofs& rated_;
  Seconds observed_;
  Variant base_;
  LeverTable out_;
};

}  // namespace

std::string_view name(LeverGroup group) {
  switch (group) {
    case LeverGroup::configuration:
      return "configuration";
    case LeverGroup::conditional:
      return "conditional";
    case LeverGroup::hardware:
      break;
  }
  return "hardware";
}

RoofOptions rated_roof_options(const RoofOptions& options) {
  RoofOptions out = options;
  if (!options.device.empty()) out.bandwidth.clear();
  return out;
}

std::vector<const Lever*> ranked(const LeverTable& table,
                                 std::optional<LeverYield> LeverForm::*regime) {
  std::vector<const Lever*> out;
  for (const Lever& lever : table.levers) {
    const auto& yield = lever.gain.*regime;
    const bool loses = yield && yield->gain < 1 - kRounding;
    if (yield && !yield->late && !loses && lever.relative_to.empty()) out.push_back(&lever);
  }
  std::stable_sort(out.begin(), out.end(), [&](const Lever* a, const Lever* b) {
    return (a->gain.*regime)->gain > (b->gain.*regime)->gain;
  });
  return out;
}

LeverTable make_levers(const AdviseOptions& options, const Deployment& deployment,
                       const DeploymentRoofs& rated, Seconds observed) {
  return LeverMaker(options, deployment, rated, observed).make();
}

}  // namespace roofline::cli
