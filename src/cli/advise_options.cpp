#include "cli/advise_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <initializer_list>
#include <vector>

#include "cli/configs.hpp"
#include "cli/operation_options.hpp"
#include "report/asked.hpp"
#include "report/format.hpp"
#include "roofline/error.hpp"
#include "roofline/quantity_text.hpp"

namespace roofline::cli {
namespace {

constexpr const char* kReading = "Reading, one of";
constexpr const char* kKernel = "The proposed kernel";
constexpr const char* kLevers = "Levers";

/// `1090`, `1090 tok/s`, `1090tokens/s`.
double token_rate(const std::string& text, std::string_view what) {
  std::string number = text;
  for (const std::string_view unit : {"tokens/s", "token/s", "tok/s"}) {
    if (!number.ends_with(unit)) continue;
    number.resize(number.size() - unit.size());
    break;
  }
  const double out = parse_number(report::trimmed(number), what);
  if (out <= 0) throw InputError(std::string(what) + ": a rate above 0 is needed, as in 1090");
  return out;
}

/// `LOW:HIGH` in any order, or one value for both.
template <class Parse>
model::Range range_of(const std::string& text, const Parse& parse) {
  const std::size_t colon = text.find(':');
  const double first = parse(text.substr(0, colon));
  const double second = colon == std::string::npos ? first : parse(text.substr(colon + 1));
  return {std::min(first, second), std::max(first, second)};
}

[[noreturn]] void refuse_utilisation(const std::string& text) {
  throw InputError("the utilisation that nvidia-smi shows (" + text.substr(0, 20) +
                   ") is no figure of work: it says for how much of the time a kernel was "
                   "resident, and one that waits for memory shows 100 %; give --tokens-per-s or "
                   "--step-time of the engine's own log, or --mfu with its peak");
}

[[noreturn]] void refuse_reading_of_step(std::string_view option, const std::string& scope) {
  throw InputError(std::string(option) + " is of a whole step, and --scope " + scope +
                   " one operation of it; give --scope-time, which is what all its launches take "
                   "in one step, --mfu or --bandwidth-used of the operation, or leave out --scope");
}

}  // namespace

GivenReading given_reading(const AdviseOptions& o, std::uint64_t tensor_parallel) {
  if (!o.utilisation.empty()) refuse_utilisation(o.utilisation);
  std::vector<GivenReading> given;
  using Kind = model::Reading::Kind;
  const auto add = [&](Kind kind, double value, std::string text, std::string origin) {
    given.push_back({{kind, value}, std::move(text), std::move(origin)});
  };
  if (!o.mfu.empty()) {
    const double value = ratio_option(o.mfu, "--mfu");
    add(Kind::mfu, value, "MFU " + report::format_percent(value), "--mfu");
  }
  const bool whole = o.scope == "step";
  if (!o.tokens_per_s.empty() && !whole) refuse_reading_of_step("--tokens-per-s", o.scope);
  if (!o.step_time.empty() && !whole) refuse_reading_of_step("--step-time", o.scope);
  if (!o.scope_time.empty() && whole)
    throw InputError(
        "--scope-time is of the operation that --scope names; name one, or give --step-time of the "
        "whole step");
  if (!o.tokens_per_s.empty()) {
    const double rate = token_rate(o.tokens_per_s, "--tokens-per-s");
    // An engine counts the tokens of all devices that share the layers.
    const std::uint64_t devices =
        o.devices.empty() ? tensor_parallel : whole_option(o.devices, "--devices");
    if (devices % tensor_parallel != 0)
      throw InputError("--devices " + o.devices + " cannot be groups of --tensor-parallel " +
                       std::to_string(tensor_parallel) + "; give a multiple of it");
    const double each = rate / static_cast<double>(devices);
    add(Kind::tokens_per_s, each * static_cast<double>(tensor_parallel),
        report::format_number(rate) + " tokens/s" +
            (devices == 1 ? " of one device" : " of " + std::to_string(devices) + " devices"),
        "--tokens-per-s");
  }
  if (!o.step_time.empty()) {
    const Seconds time = parse_seconds(o.step_time, "--step-time");
    add(Kind::step_time, in_second(time), report::format(time) + " a step", "--step-time");
  }
  if (!o.scope_time.empty()) {
    const Seconds time = parse_seconds(o.scope_time, "--scope-time");
    add(Kind::step_time, in_second(time), report::format(time) + " in " + o.scope, "--scope-time");
  }
  if (!o.bandwidth_used.empty()) {
    const Bandwidth rate = parse_bandwidth(o.bandwidth_used, "--bandwidth-used");
    add(Kind::bandwidth, in_byte_per_s(rate), report::format(rate), "--bandwidth-used");
  }
  if (given.size() != 1)
    throw InputError(
        std::string(given.empty() ? "no reading is given"
                                  : "several readings are "
                                    "given") +
        "; give one of --mfu, --tokens-per-s, --step-time, --scope-time, --bandwidth-used");
  if (!o.devices.empty() && o.tokens_per_s.empty())
    throw InputError("--devices says what --tokens-per-s is the total of; " + given.front().origin +
                     " is of one device");
  return given.front();
}

double tokens_of_rate(Phase phase, const model::Step& step) {
  const TokensPassed tokens = tokens_passed(phase, step);
  return phase == Phase::decode ? tokens.decoded : tokens.of_prompts;
}

KernelOptions kernel_options(const AdviseOptions& o) {
  KernelOptions out;
  if (!o.kernel_share.empty()) out.share = part_option(o.kernel_share, "--kernel-share");
  if (!o.kernel_of_roof.empty() && !o.kernel_bandwidth.empty())
    throw InputError(
        "--kernel-of-roof and --kernel-bandwidth both say how near its roof the kernel is; give "
        "one");
  if (!out.share && !(o.kernel_of_roof + o.kernel_bandwidth).empty())
    throw InputError(
        std::string(o.kernel_of_roof.empty() ? "--kernel-bandwidth" : "--kernel-of-roof") +
        " is of one kernel, and needs --kernel-share, the share of the step's time that it takes");
  if (!o.kernel_of_roof.empty())
    out.of_roof = range_of(o.kernel_of_roof, [](const std::string& text) {
      return part_option(text, "--kernel-of-roof");
    });
  if (!o.kernel_bandwidth.empty())
    out.byte_per_s = range_of(o.kernel_bandwidth, [](const std::string& text) {
      return in_byte_per_s(parse_bandwidth(text, "--kernel-bandwidth"));
    });
  return out;
}

void refuse_idle_advice(const CLI::App& app, const AdviseOptions& o) {
  const auto refuse = [&](std::initializer_list<const char*> options, const std::string& why) {
    for (const char* option : options)
      if (app.count(option) > 0) throw InputError(option + (" " + why));
  };
  const auto refuse_all = [&](const std::string& why) {
    refuse({"--kernel-share", "--kernel-of-roof", "--kernel-bandwidth", "--latency-budget",
            "--tpot", "--max-batch", "--prefix", "--acceptance", "--draft", "--overhead"},
           why);
  };
  if (o.scope != "step") {
    const std::string why = "is of a whole step, and --scope " + o.scope.substr(0, 60) +
                            " of one operation of it, beside which neither a kernel nor a lever is "
                            "judged; leave out one of them";
    refuse_all(why);
    refuse({"--reconcile"}, why);
  }
  if (o.reconcile)
    refuse_all(
        "has no effect beside --reconcile, which holds the reading against every convention and "
        "judges neither a kernel nor a lever; leave out one of them");
  if (o.step.phase != "decode")
    refuse({"--latency-budget", "--max-batch", "--prefix", "--acceptance", "--draft"},
           "is for a decode batch; leave it out");
  if (!o.step.riding.empty())
    refuse({"--latency-budget"}, "is for a decode batch without --riding-chunk; leave it out");
}

void add_advise_options(CLI::App& app, AdviseOptions& o) {
  app.add_option("model", o.model,
                 "a config.json, a folder that holds one, - for standard input, or the name of a "
                 "bundled model")
      ->required();
  const auto add = [&](const char* group, const char* option, std::string& to,
                       const std::string& help) {
    return app.add_option(option, to, help)->group(group);
  };
  add(kReading, "--mfu", o.mfu, "share of the peak that the dashboard shows, e.g. 6%");
  add(kReading, "--tokens-per-s", o.tokens_per_s,
      "of the --tensor-parallel devices together, or the total of --devices; of prompts in a "
      "prefill");
  add(kReading, "--step-time", o.step_time, "of one step, e.g. 22ms");
  add(kReading, "--scope-time", o.scope_time,
      "of the --scope: what all its launches take in one step, e.g. 1.9ms");
  add(kReading, "--bandwidth-used", o.bandwidth_used, "memory traffic of one device");
  add(kReading, "--gpu-util,--utilisation,--utilization", o.utilisation,
      "of nvidia-smi: refused, with the reason");
  app.add_option("--devices", o.devices, "--tokens-per-s is the total of so many devices");
  app.add_option("--scope", o.scope,
                 "what the reading is of: step (end to end), or an operation of it that does "
                 "arithmetic: qkv, attention, gate_up, lm_head ...")
      ->capture_default_str();
  add(kKernel, "--kernel-share", o.kernel_share, "share of the step's time that it takes now");
  add(kKernel, "--kernel-of-roof", o.kernel_of_roof,
      "how near its own roof it runs now: 62%, or 15.6%:62%; needs --kernel-share");
  add(kKernel, "--kernel-bandwidth", o.kernel_bandwidth, "the same as a rate: 1.1TB/s, or a range");
  add(kLevers, "--latency-budget", o.latency_budget, "the same as --tpot");
  add(kLevers, "--max-batch", o.max_batch, "sequences that there are at once, at most");
  add(kLevers, "--prefix", o.prefix, "tokens that all prompts have in common, for prefix caching");
  add(kLevers, "--acceptance", o.acceptance,
      "chance that a drafted token is accepted; 70% is assumed where left out");
  add(kLevers, "--draft", o.draft, "tokens drafted for each verification; 4 where left out");
  app.add_option("--weights", o.step.weights, "type of the weights in matrix products, as stored");
  app.add_option("--kv", o.step.kv, "type of the KV cache; bf16 or fp16 where left out");
  app.add_option("--context", o.step.context,
                 "cached tokens of a sequence, on average, or those of a prompt");
  add_phase_option(app, o.step);
  add_deployment_options(app, o.step);
  app.add_flag("--reconcile", o.reconcile, "the reading under every convention, account and roof");
  app.add_flag("--json", o.json, "print JSON");
  app.add_flag("--strict", o.strict, "exit with 1 when the reading cannot be");
  add_config_option(app, o.config_dir);
}

}  // namespace roofline::cli
