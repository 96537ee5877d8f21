#include "cli/model_train.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>

#include "cli/configs.hpp"
#include "cli/operation_options.hpp"
#include "cli/terminal.hpp"
#include "cli/train_sheet.hpp"
#include "cli/warnings.hpp"
#include "model/training_causes.hpp"
#include "report/format.hpp"
#include "report/json_writer.hpp"
#include "roofline/error.hpp"
#include "roofline/quantity_text.hpp"

namespace roofline::cli {
namespace {

constexpr const char* kGroup = "Training (--phase train)";
/// What else means something in training. Neither a bandwidth nor an overhead does, and MFU is over
/// the dense peak.
constexpr std::array<std::string_view, 12> kCommon{
    "model",  "--phase", "--json", "--config-dir", "--device",    "--peak-flops",
    "--peak", "--clock", "--help", "--convention", "--attention", "--without-head"};

void refuse_other_options(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string given = option->get_name();
    const bool common = std::find(kCommon.begin(), kCommon.end(), given) != kCommon.end();
    if (option->count() == 0 || common || option->get_group() == kGroup) continue;
    const char* const instead = given == "--context" ? "; the tokens of a sequence are --sequence"
                                : given == "--arithmetic" ? "; the type is --dtype"
                                : given == "--sparse"     ? "; MFU is over the dense peak"
                                                          : "";
    throw InputError(given + " says nothing of --phase train" + instead + "; leave it out");
  }
}

/// The value that `text` names among `all`.
template <class T>
T choice(const std::string& text, std::string_view option, std::span<const T> all) {
  std::string known;
  for (const T value : all) {
    if (text == name(value)) return value;
    known += (known.empty() ? "" : ", ") + std::string(name(value));
  }
  throw InputError(std::string(option) + ": '" + text + "' is not known; use " + known);
}

model::TrainingSetup make_setup(const CLI::App& app, const TrainRequest& request) {
  const TrainOptions& o = request.options;
  model::TrainingSetup out;
  if (!o.sequence.empty()) out.sequence = whole_option(o.sequence, "--sequence");
  out.convention = choice(request.convention, "--convention", model::training_conventions());
  if (app.count("--attention") > 0)
    out.attention = choice(request.attention, "--attention", model::training_attentions());
  out.recompute = choice(o.recompute, "--recompute", model::recomputes());
  out.head = !request.without_head;
  out.embedding = !o.without_embedding;
  out.flash_attention = o.flash_attention;
  return out;
}

/// A table of positions has no row for a token beyond it; a model without one runs there, but was
/// not made for it.
void check_sequence(std::uint64_t sequence, TrainSheet& sheet) {
  const model::Architecture& model = sheet.model.model;
  if (!model.context || sequence <= *model.context) return;
  const std::string asked =
      "--sequence: " + std::to_string(sequence) + " tokens are more than the ";
  const std::string there = std::to_string(*model.context);
  if (model.learned_positions > 0)
    throw InputError(asked + there + " positions that " + sheet.model.name +
                     " has learned; give at most " + there);
  sheet.warnings.push_back(asked + there + " of the context that " + sheet.model.name + " states");
}

double above_zero(const std::string& text, std::string_view option) {
  const double out = parse_number(text, option);
  if (out > 0) return out;
  throw InputError(std::string(option) + ": " + text + " must be above 0");
}

struct Given {
  const char* option;
  const std::string& text;
};

/// The one figure that says how fast it was; nothing where there is none.
std::optional<Given> given_reading(const TrainOptions& o) {
  const std::array<Given, 7> all{{{"--tokens-per-s", o.tokens_per_s},
                                  {"--step-time", o.step_time},
                                  {"--device-hours", o.device_hours},
                                  {"--achieved", o.achieved},
                                  {"--executed", o.executed},
                                  {"--mfu", o.mfu},
                                  {"--hfu", o.hfu}}};
  const Given* out = nullptr;
  for (const Given& one : all) {
    if (one.text.empty()) continue;
    if (out != nullptr)
      throw InputError(std::string(out->option) + " and " + one.option +
                       " both say how fast it was; give one of them");
    out = &one;
  }
  if (out == nullptr) return std::nullopt;
  return Given{out->option, out->text};
}

[[noreturn]] void refuse_without(const Given& given, const char* needed) {
  throw InputError(std::string(given.option) + " needs " + needed);
}

std::uint64_t passes_of(const TrainOptions& o) {
  return o.accumulation.empty() ? 1 : whole_option(o.accumulation, "--accumulation");
}

/// All sequences of an iteration: as stated, or those of a pass, the passes whose gradients are
/// accumulated, and the devices, each of which has passes of its own.
std::optional<std::uint64_t> global_batch_of(const TrainOptions& o, std::uint64_t devices) {
  if (o.micro_batch.empty()) {
    if (!o.accumulation.empty())
      throw InputError("--accumulation needs --micro-batch, the sequences of a pass of one device");
    if (o.global_batch.empty()) return std::nullopt;
    return whole_option(o.global_batch, "--global-batch");
  }
  if (!o.global_batch.empty())
    throw InputError(
        "--global-batch and --micro-batch both say how many sequences a step takes; give one");
  return (Count{whole_option(o.micro_batch, "--micro-batch")} * Count{passes_of(o)} *
          Count{devices})
      .value();
}

double tokens_of_step(const TrainSheet& sheet, const Given& given) {
  if (!sheet.global_batch)
    refuse_without(given, "--global-batch or --micro-batch, the sequences of a step");
  if (sheet.work.setup.sequence == 0) refuse_without(given, "--sequence, the tokens of each");
  return static_cast<double>(*sheet.global_batch) * static_cast<double>(sheet.work.setup.sequence);
}

Performance peak_for(const TrainSheet& sheet, const Given& given) {
  if (!sheet.roofs) refuse_without(given, "a peak; add --device or --peak-flops");
  if (!sheet.roofs->roofs.compute)
    throw NotAvailable(std::string(given.option) + " needs a peak, and there is none: " +
                       sheet.roofs->roofs.compute_reason.str());
  return sheet.roofs->roofs.compute->peak;
}

model::TokenRate rate_of(const TrainSheet& sheet, const Given& given) {
  const std::string_view option = given.option;
  const std::string& text = given.text;
  if (option == "--tokens-per-s")
    return model::tokens_per_s(above_zero(text, option) / static_cast<double>(sheet.devices));
  if (option == "--step-time")
    return model::rate_of_step(tokens_of_step(sheet, given), sheet.devices,
                               parse_seconds(text, option));
  if (option == "--device-hours") {
    if (!sheet.train_tokens) refuse_without(given, "--train-tokens, what they were spent on");
    return model::rate_of_budget(*sheet.train_tokens, second(above_zero(text, option) * 3600));
  }
  if (option == "--achieved")
    return model::rate_achieving(sheet.work, parse_performance(text, option));
  if (option == "--executed")
    return model::rate_executing(sheet.work, parse_performance(text, option));
  const Performance rate = ratio_option(text, option) * peak_for(sheet, given);
  return option == "--mfu" ? model::rate_achieving(sheet.work, rate)
                           : model::rate_executing(sheet.work, rate);
}

/// What the peak is asked for: products in a type, of no shape in particular.
Workload product_in(const std::string& dtype) {
  return Gemm{.m = 1, .n = 1, .k = 1, .input = dtype_option(dtype, "--dtype")};
}

model::TrainingFigure figure_of(std::string_view option) {
  if (option == "--tokens-per-s") return model::TrainingFigure::tokens;
  if (option == "--step-time") return model::TrainingFigure::step_time;
  if (option == "--device-hours") return model::TrainingFigure::hours;
  return model::TrainingFigure::of_peak;
}

/// What is known of the peak says of a figure that a clock gave: no peak went into it.
Cause of_a_clock(const Cause& cause) {
  if (cause.id.str() != "sparse_peak") return cause;
  return {cause.id, "sparse kernels would reach it: it fits under the 2:4 sparse peak"};
}

/// Training never outruns a rated peak; a measured one is only the best that was demonstrated.
void judge(TrainReading& reading, const TrainSheet& sheet, const Workload& product) {
  const Roofs& all = sheet.roofs->roofs;
  Roofs roofs;
  roofs.compute = all.compute;
  const Performance peak = all.compute->peak;
  reading.mfu = reading.speed.achieved / peak;
  reading.hfu = reading.speed.executed / peak;
  const Account bare = account(product);
  const Assessment found = assess(bare, roofs, place(bare, roofs),
                                  {.achieved = reading.speed.executed}, sheet.roofs->context);
  const bool measured = all.compute->origin == Origin::measured;
  reading.above_roof = found.above_roof;
  reading.impossible = found.impossible || (found.above_roof && !measured);
  if (!found.above_roof) return;
  const model::TrainingFigure figure = figure_of(reading.option);
  reading.causes = model::training_causes(
      sheet.model.model, sheet.work,
      {reading.rate, peak, figure, sheet.devices, sheet.global_batch.value_or(0), sheet.passes});
  const bool of_peak = figure == model::TrainingFigure::of_peak;
  for (const Cause& cause : found.causes)
    reading.causes.push_back(of_peak ? cause : of_a_clock(cause));
}

ChosenRoofs choose_peak(const TrainRequest& request) {
  const Operation bare{product_in(request.options.dtype), Boundary::dram, {}};
  return choose_roofs(request.roofs, bare, account(bare.workload),
                      load_catalogue(request.config_dir));
}

TrainSheet make_sheet(const CLI::App& app, const TrainRequest& request, const ModelSheet& model) {
  const TrainOptions& o = request.options;
  TrainSheet out{.model = model,
                 .work = model::training_work(model.model, make_setup(app, request)),
                 .warnings = model.model.warnings};
  check_sequence(out.work.setup.sequence, out);
  out.devices = whole_option(o.devices, "--devices");
  out.global_batch = global_batch_of(o, out.devices);
  if (!o.micro_batch.empty()) out.passes = passes_of(o);
  if (!o.train_tokens.empty()) out.train_tokens = above_zero(o.train_tokens, "--train-tokens");
  const auto given = given_reading(o);
  if (!request.roofs.device.empty() || !request.roofs.peaks.empty()) {
    out.roofs = choose_peak(request);
    add_once(out.warnings, out.roofs->warnings);
  }
  if (!given) return out;
  TrainReading reading{given->option, given->text, rate_of(out, *given), {}, {}, {}};
  reading.speed = model::training_speed(out.work, reading.rate);
  if (out.roofs && out.roofs->roofs.compute) judge(reading, out, product_in(o.dtype));
  out.reading = std::move(reading);
  return out;
}

}  // namespace

void add_train_options(CLI::App& app, TrainOptions& o) {
  const auto add = [&](const char* option, std::string& value, const char* what) {
    return app.add_option(option, value, what)->group(kGroup);
  };
  add("--sequence", o.sequence, "tokens of a sequence");
  add("--recompute", o.recompute, "what of the forward pass runs again: none, selective, full")
      ->capture_default_str();
  app.add_flag("--flash-attention", o.flash_attention,
               "HFU counts attention's backward pass as 2.5 forward passes instead of 2")
      ->group(kGroup);
  app.add_flag("--without-embedding", o.without_embedding,
               "leave the input embedding out of N (--convention 6n, palm)")
      ->group(kGroup);
  add("--dtype", o.dtype, "type that products are computed in")->capture_default_str();
  add("--devices", o.devices, "devices that train together")->capture_default_str();
  add("--tokens-per-s", o.tokens_per_s, "reading: tokens a second of all --devices together");
  add("--step-time", o.step_time,
      "reading: time of an iteration, e.g. 1.1s; needs --global-batch or --micro-batch");
  add("--global-batch", o.global_batch, "sequences of an iteration, on all devices together");
  add("--micro-batch", o.micro_batch,
      "instead: sequences of a pass of one device, where each has passes of its own (data "
      "parallel)");
  add("--accumulation", o.accumulation,
      "passes of each device whose gradients make one iteration; 1 where left out");
  add("--device-hours", o.device_hours, "reading: hours of all devices for --train-tokens");
  add("--achieved", o.achieved, "reading: the model's FLOP/s of one device, e.g. 400TFLOP/s");
  add("--executed", o.executed, "reading: FLOP/s of one device, recomputation included");
  add("--mfu", o.mfu, "reading: 45% or 0.45 of the peak, recomputation left out");
  add("--hfu", o.hfu, "reading: the same, recomputation included");
  add("--train-tokens", o.train_tokens, "tokens in all, e.g. 15e12: how long they take");
  app.add_flag("--strict", o.strict, "exit with 1 when the reading cannot be")->group(kGroup);
}

void refuse_train_options(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || option->get_group() != kGroup) continue;
    throw InputError(option->get_name() + " is for --phase train; add it, or leave " +
                     option->get_name() + " out");
  }
}

ExitStatus train_model(const CLI::App& app, const TrainRequest& request, const ModelSheet& sheet,
                       Io& io) {
  refuse_other_options(app);
  const TrainSheet out = make_sheet(app, request, sheet);
  warn_each(io, out.warnings);
  io.out << (request.json ? report::to_text(train_json(out)) : train_page(out, stdout_style()));
  if (!out.reading || !out.reading->impossible) return ExitStatus::ok;
  const TrainReading& reading = *out.reading;
  const bool both = *reading.mfu > 1;
  warn(io, "the reading is " + report::format_percent(both ? *reading.mfu : *reading.hfu) +
               " of its peak (" + (both ? "MFU" : "HFU") + "), which cannot be" +
               (reading.causes.empty() ? "" : "; likeliest: " + reading.causes.front().text.str()));
  return request.options.strict ? ExitStatus::failed : ExitStatus::ok;
}

}  // namespace roofline::cli
