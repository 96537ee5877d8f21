#include "cli/deployment.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <initializer_list>
#include <utility>

#include "cli/configs.hpp"
#include "cli/operation_options.hpp"
#include "cli/warnings.hpp"
#include "roofline/error.hpp"
#include "roofline/quantity_text.hpp"
#include "roofline/roof_book.hpp"

namespace roofline::cli {
namespace {

constexpr const char* kGroup = "A step on a device";
constexpr std::uint64_t kDefaultContext = 4096;
constexpr std::uint64_t kDefaultChunk = 512;

/// Of several words, the one that was given.
template <class T>
T one_of(std::initializer_list<std::pair<std::string_view, T>> words, const std::string& text,
         std::string_view option) {
  std::string known;
  for (const auto& [word, value] : words) {
    if (word == text) return value;
    known += (known.empty() ? "" : ", ") + std::string(word);
  }
  throw InputError(std::string(option) + ": '" + text + "' is not known; choose from: " + known);
}

Phase parse_phase(const std::string& text) {
  if (text == "train")
    throw InputError(
        "--phase train is a matter of roofline model; here it is decode, prefill or chunk");
  if (text == "decode") return Phase::decode;
  if (text == "prefill") return Phase::prefill;
  if (text == "chunk") return Phase::chunk;
  throw InputError("--phase: '" + text +
                   "' is not known; choose from: decode, prefill, chunk, and of roofline model "
                   "train");
}

model::WorkCounting parse_counting(const DeploymentOptions& o) {
  using model::WorkConvention;
  model::WorkCounting out;
  if (o.convention == "6n" || o.convention == "korthikanti")
    throw InputError(
        "--convention " + o.convention +
        " counts a trained token: it is for --phase train of roofline model; of a step "
        "choose from: exact, 2n, palm");
  out.convention = one_of<WorkConvention>({{"exact", WorkConvention::exact},
                                           {"2n", WorkConvention::two_n},
                                           {"palm", WorkConvention::palm}},
                                          o.convention, "--convention");
  out.attention = o.attention != "none";
  if (out.attention)
    out.attended =
        one_of<model::Pairs>({{"causal", model::Pairs::causal}, {"full", model::Pairs::full}},
                             o.attention, "--attention");
  out.input_embedding = o.input_embedding;
  out.lm_head = !o.without_head;
  const bool altered = out != model::WorkCounting{.convention = out.convention};
  if (altered && out.convention != WorkConvention::exact)
    throw InputError(
        "--attention, --count-embedding and --without-head alter the exact count; --convention " +
        o.convention + " leaves no such choice");
  return out;
}

model::TrafficAccount parse_account(const DeploymentOptions& o) {
  using model::TrafficAccount;
  if (o.account.empty())
    return o.convention == "2n" ? TrafficAccount::all_weights : TrafficAccount::minimal;
  return one_of<TrafficAccount>({{"minimal", TrafficAccount::minimal},
                                 {"full", TrafficAccount::full},
                                 {"all-weights", TrafficAccount::all_weights}},
                                o.account, "--account");
}

model::PlanOptions parse_plan(const DeploymentOptions& o) {
  model::PlanOptions out;
  out.account = parse_account(o);
  out.fusion = one_of<model::Fusion>(
      {{"blocks", model::Fusion::blocks}, {"products", model::Fusion::products}}, o.fusion,
      "--fusion");
  out.latent = one_of<model::LatentForm>({{"cheapest", model::LatentForm::cheapest},
                                          {"absorbed", model::LatentForm::absorbed},
                                          {"expanded", model::LatentForm::expanded}},
                                         o.latent, "--latent");
  out.counting = parse_counting(o);
  out.tensor_parallel = whole_option(o.tensor_parallel, "--tensor-parallel");
  out.head_replicated = o.replicated_head;
  return out;
}

/// Of what lies between operations.
DType default_activation(const model::StoredWeights& weights) {
  return weights.type == DType::fp16 ? DType::fp16 : DType::bf16;
}

/// Quantised weights are computed on in 16 bits unless --arithmetic says otherwise.
model::StepTypes parse_types(const DeploymentOptions& o, const model::Architecture& model) {
  model::StepTypes out;
  out.weights = chosen_weights(model, o.weights, o.head);
  out.kv = o.kv.empty() ? default_cache(model.weights) : dtype_option(o.kv, "--kv");
  out.activation = default_activation(model.weights);
  out.linear = o.arithmetic.empty() ? out.weights.arithmetic.value_or(out.activation)
                                    : dtype_option(o.arithmetic, "--arithmetic");
  // Operands of 8 bits and less are made of activations that stay in 16.
  if (storage_bits(out.linear) >= 16) out.activation = out.linear;
  if (storage_bits(out.linear) < 16 && !out.weights.quantised &&
      storage_bits(out.weights.type) > storage_bits(out.linear))
    throw InputError("--arithmetic " + o.arithmetic +
                     " needs weights of as few bits; add --weights " + o.arithmetic);
  const bool head_quantised = model::is_quantised(out.weights, model::TensorClass::lm_head);
  out.head = head_quantised ? out.linear : out.activation;
  return out;
}

/// Of memory, where a bare number would be bytes that nobody means; nothing at all needs no unit.
Bytes bytes_option(const std::string& text, std::string_view option) {
  const Bytes out = byte(parse_count(text, "B", option).as_double());
  if (out > Bytes{} && text.find('B') == std::string::npos)
    throw InputError(std::string(option) + ": '" + text +
                     "' needs a unit; write for example 80GiB or 2GB");
  return out;
}

/// What the device holds, from the option or the catalogue.
void find_memory(const DeploymentOptions& o, const std::string& config_dir, Deployment& out) {
  model::MemoryBudget budget;
  budget.usable = part_option(o.usable, "--usable");
  budget.reserve = bytes_option(o.reserve, "--reserve");
  if (!o.memory.empty()) {
    budget.memory = bytes_option(o.memory, "--memory");
    out.memory_source = "--memory";
  } else if (!o.roofs.device.empty()) {
    const machine::Catalogue catalogue = load_catalogue(config_dir);
    const machine::Match match = find_device(catalogue, o.roofs.device);
    if (match.accelerator == nullptr || match.status != machine::MatchStatus::found) {
      out.memory_reason = "the catalogue has no memory size of this part of a device";
      return;
    }
    const auto size = machine::memory_size(*match.accelerator);
    if (!size) {
      out.memory_reason = "the catalogue has no memory size of " + match.accelerator->id;
      return;
    }
    budget.memory = size->size;
    out.memory_source = size->basis;
  } else {
    out.memory_reason = "no device and no --memory were given";
    return;
  }
  out.memory = budget;
}

/// Tokens that a pass of the phase adds to each sequence.
std::uint64_t tokens_added(const Deployment& d) {
  switch (d.phase) {
    case Phase::decode:
      return 1;
    case Phase::prefill:
      break;
    case Phase::chunk:
      return d.tokens;
  }
  return 0;
}

/// Where none is stated: as long as the model can hold with what the step adds.
std::uint64_t default_context(const Deployment& d, const model::Architecture& model) {
  const std::uint64_t most = model.context.value_or(kDefaultContext + tokens_added(d));
  // A chunk may be the first of its prompt, a token that is decoded has one before it.
  const std::uint64_t least = d.phase == Phase::chunk ? 0 : 1;
  const std::uint64_t left = most > tokens_added(d) ? most - tokens_added(d) : least;
  return std::min(kDefaultContext, left);
}

/// Whether there are peaks and bandwidth for a step that computes in `type` alone.
bool computes_in(DType type, const DeploymentOptions& o, model::StepTypes types,
                 const std::string& config_dir) {
  types.linear = types.head = types.activation = type;
  try {
    static_cast<void>(choose_deployment_roofs(o.roofs, types, config_dir));
  } catch (const NotAvailable&) {
    return false;
  }
  return true;
}

/// What a configuration states of its products need not be what a device can compute in; what the
/// user states must.
DeploymentRoofs roofs_with_what_is_there(const DeploymentOptions& o, const std::string& config_dir,
                                         Deployment& d) {
  const bool stated_by_file = o.arithmetic.empty() && d.types.linear != d.types.activation;
  try {
    return choose_deployment_roofs(o.roofs, d.types, config_dir);
  } catch (const NotAvailable& reason) {
    if (!stated_by_file && o.arithmetic.empty() && computes_in(DType::fp16, o, d.types, config_dir))
      throw NotAvailable(std::string(reason.what()) + "; it can in fp16: add --arithmetic fp16");
    if (!stated_by_file) throw;
    d.warnings.push_back(
        "the configuration has its products in " + std::string(name(d.types.linear)) + "; " +
        std::string(name(d.types.activation)) + " is taken (" + reason.what() + ")");
    d.types.linear = d.types.head = d.types.activation;
    return choose_deployment_roofs(o.roofs, d.types, config_dir);
  }
}

}  // namespace

std::string_view name(Phase phase) {
  switch (phase) {
    case Phase::decode:
      return "decode";
    case Phase::prefill:
      return "prefill";
    case Phase::chunk:
      break;
  }
  return "chunk";
}

void add_phase_option(CLI::App& app, DeploymentOptions& o) {
  app.add_option(
         "--phase", o.phase,
         "decode (a further token each), prefill (whole prompts), chunk (part of them), or train")
      ->group(kGroup);
}

void add_deployment_options(CLI::App& app, DeploymentOptions& o) {
  const auto add = [&](const char* option, std::string& to, const std::string& help) {
    return app.add_option(option, to, help)->group(kGroup);
  };
  add("--batch", o.batch, "sequences, or prompts of a prefill; 1 where left out");
  add("--tokens", o.tokens,
      "of a chunk: tokens of each prompt that pass through the model; 512 where left out");
  add("--riding-chunk", o.riding,
      "decode: tokens of one prompt that ride along (chunked prefill), in the middle of it: half "
      "of --context is cached, and no logits are asked for");
  add("--shared-prefix", o.shared_prefix,
      "cached tokens that all sequences share and that are stored and read once");
  add("--head", o.head, "type of the vocabulary head where it differs from --weights, e.g. bf16");
  add("--arithmetic", o.arithmetic,
      "type that products are computed in: int8 or fp8 where activations are quantised too; "
      "where left out 16 bits, or what the configuration states");
  add("--account", o.account,
      "bytes: minimal (matrices and the cache that is read), full, all-weights");
  add("--fusion", o.fusion,
      "full account: blocks (a layer reads and writes its stream once) or products (each of them)");
  add("--convention", o.convention,
      "FLOP: exact, 2n (with all-weights), palm; of train exact, 6n, palm, korthikanti");
  add("--attention", o.attention, "exact FLOP: causal pairs, full ones, or none");
  app.add_flag("--count-embedding", o.input_embedding,
               "exact FLOP: count the input embedding as if it were a product")
      ->group(kGroup);
  app.add_flag("--without-head", o.without_head, "exact FLOP: leave out the vocabulary head")
      ->group(kGroup);
  add("--latent", o.latent,
      "MLA: absorbed (on latents), expanded (on keys and values made of them), or the cheapest of "
      "both for each request");
  add("--tensor-parallel", o.tensor_parallel, "devices that share each layer");
  app.add_flag("--replicated-head", o.replicated_head,
               "each of those devices holds the whole vocabulary head")
      ->group(kGroup);
  add("--memory", o.memory, "of one device, e.g. 80GiB; the catalogue's where left out");
  add("--usable", o.usable, "part of it that the engine takes, e.g. 90% or 0.9");
  add("--reserve", o.reserve, "of that, for activations and workspaces");
  add("--tpot", o.deadline, "time per output token that must be kept, e.g. 50ms");
  add("--measured", o.measured,
      "REPORT[@DEVICE] whose measured roofs and launch floor give the upper bracket");
  add_roof_options(app, o.roofs);
}

bool states_deployment(const CLI::App& app) {
  const auto options = app.get_options();
  return std::any_of(options.begin(), options.end(), [](const CLI::Option* option) {
    const std::string& group = option->get_group();
    return (group == kGroup || group == "Roofs") && option->count() > 0;
  });
}

DType default_cache(const model::StoredWeights& weights) {
  return weights.cache.value_or(default_activation(weights));
}

model::StoredWeights chosen_weights(const model::Architecture& model, const std::string& weights,
                                    const std::string& head) {
  model::StoredWeights out = model.weights;
  if (!weights.empty()) out = stored_as(out, model::parse_weight_format(weights, "--weights"));
  if (head.empty()) return out;
  const DType type = dtype_option(head, "--head");
  if (type == out.type) {
    std::erase(out.classes, model::TensorClass::lm_head);
  } else if (!out.quantised ||
             model::parse_weight_format(head, "--head").name != out.quantised->name) {
    throw InputError("--head: the head is stored like the other matrices or in " +
                     std::string(name(out.type)) + ", the type of what is not quantised");
  }
  return out;
}

Deployment make_deployment(const DeploymentOptions& o, std::string name, model::Architecture model,
                           const std::string& config_dir) {
  Deployment out;
  out.name = std::move(name);
  out.phase = parse_phase(o.phase);
  out.plan = parse_plan(o);
  out.types = parse_types(o, model);
  // That they cannot be told is no matter of those that are stated.
  if (!o.weights.empty()) std::erase(model.warnings, model.weights.unknown);
  if (!out.types.weights.unknown.empty()) throw InputError(out.types.weights.unknown);
  out.batch_chosen = !o.batch.empty();
  if (out.batch_chosen) out.batch = whole_option(o.batch, "--batch");
  out.tokens_chosen = !o.tokens.empty();
  out.tokens = out.tokens_chosen ? whole_option(o.tokens, "--tokens") : kDefaultChunk;
  out.context_chosen = !o.context.empty();
  out.context =
      out.context_chosen ? whole_option(o.context, "--context") : default_context(out, model);
  if (!o.riding.empty()) out.riding = whole_option(o.riding, "--riding-chunk");
  if (out.riding > 0 && out.phase != Phase::decode)
    throw InputError("--riding-chunk rides along with a decode batch; leave it out of --phase " +
                     o.phase);
  if (!o.shared_prefix.empty()) {
    out.shared_prefix = whole_option(o.shared_prefix, "--shared-prefix");
    if (out.shared_prefix > out.context && out.phase != Phase::prefill)
      throw InputError(
          "--shared-prefix is part of the --context of each sequence, and longer than " +
          std::to_string(out.context) + " tokens");
    if (out.phase == Phase::prefill)
      throw InputError(
          "--shared-prefix is cached, and a prefill begins with nothing cached; use "
          "--phase chunk");
  }
  if (!o.deadline.empty()) out.deadline = parse_seconds(o.deadline, "--tpot");
  find_memory(o, config_dir, out);
  if (!o.roofs.device.empty() || !o.roofs.peaks.empty() || !o.roofs.bandwidth.empty())
    out.roofs = roofs_with_what_is_there(o, config_dir, out);
  if (!o.measured.empty())
    out.measured = measured_deployment_roofs(o.measured, o.roofs.device, out.types, config_dir);
  out.model = std::move(model);
  if (auto outgrown = outgrows(out, out.context)) out.warnings.push_back(*std::move(outgrown));
  model::validate(step_of(out, out.batch, out.context));
  return out;
}

std::vector<std::string> warnings_of(const Deployment& d) {
  std::vector<std::string> out = d.model.warnings;
  add_once(out, d.warnings);
  if (d.roofs) add_once(out, d.roofs->warnings);
  if (d.measured) add_once(out, d.measured->warnings);
  return out;
}

model::Step step_of(const Deployment& d, std::uint64_t batch, std::uint64_t context) {
  model::Step out;
  switch (d.phase) {
    case Phase::decode:
      out.push_back(model::decode(batch, context));
      break;
    case Phase::prefill:
      out.push_back(model::prefill(batch, context));
      break;
    case Phase::chunk:
      out.push_back(model::chunk(batch, context, d.tokens, true));
      break;
  }
  out.front().shared = std::min(d.shared_prefix, out.front().cached);
  if (d.riding > 0) out.push_back(model::chunk(1, context / 2, d.riding, false));
  return out;
}

std::optional<std::string> outgrows(const Deployment& d, std::uint64_t context) {
  // The token that a decode step adds has a position, too, and what rides along a prompt of its
  // own.
  std::uint64_t tokens = context + tokens_added(d);
  if (d.riding > 0) tokens = std::max(tokens, context / 2 + d.riding);
  const std::string has = "a sequence of " + std::to_string(tokens) + " tokens is longer than the ";
  if (d.model.learned_positions > 0 && tokens > d.model.learned_positions)
    return has + std::to_string(d.model.learned_positions) +
           " learned positions of the model, which has none for the others";
  if (d.model.context && tokens > *d.model.context)
    return has + std::to_string(*d.model.context) + " tokens that the model states";
  return std::nullopt;
}

std::uint64_t tokens_held(const Deployment& d, std::uint64_t context) {
  return context + (d.phase == Phase::chunk ? d.tokens : 0);
}

std::optional<std::uint64_t> batch_capacity(const Deployment& d, const model::StepPlan& plan,
                                            std::uint64_t context) {
  if (!d.memory) return std::nullopt;
  return model::capacity_batch(plan, tokens_held(d, context), std::min(d.shared_prefix, context),
                               model::CacheLayout::in_windows, *d.memory);
}

void refuse_idle_options(const CLI::App& app, const Deployment& d) {
  const auto refuse = [&](const char* option, bool idle, const char* why) {
    if (idle && app.count(option) > 0)
      throw InputError(std::string(option) + " " + why + "; leave it out");
  };
  const bool latent = model::attention_name(d.model).find("MLA") != std::string::npos;
  refuse("--tokens", d.phase != Phase::chunk, "is for --phase chunk");
  refuse("--tpot", d.phase != Phase::decode || d.riding > 0, "is for a decode batch");
  refuse("--tpot", !d.roofs, "needs roofs (--device, or --peak-flops and --bandwidth)");
  refuse("--fusion", d.plan.account != model::TrafficAccount::full, "is for --account full");
  refuse("--replicated-head", d.plan.tensor_parallel == 1, "is for --tensor-parallel");
  refuse("--latent", !latent, "is for attention over latents (MLA), which this model has not");
  refuse("--clock", app.count("--peak") == 0, "is for --peak clock");
}

TokensPassed tokens_passed(Phase phase, std::span<const model::Requests> step) {
  const double all = model::rows_of(step).fresh;
  const double decoded = phase == Phase::decode ? model::as_double(step.front().count) : 0;
  return {decoded, all - decoded};
}

}  // namespace roofline::cli
