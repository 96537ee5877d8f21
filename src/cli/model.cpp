#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/configs.hpp"
#include "cli/deployment.hpp"
#include "cli/model_file.hpp"
#include "cli/model_sheet.hpp"
#include "cli/model_train.hpp"
#include "cli/refusal.hpp"
#include "cli/step_sheet.hpp"
#include "cli/step_sweep.hpp"
#include "cli/warnings.hpp"
#include "model/config_reader.hpp"
#include "report/json_writer.hpp"
#include "roofline/quantity_text.hpp"

namespace roofline::cli {
namespace {

struct ModelOptions {
  std::string model;
  std::string config_dir;
  DeploymentOptions step;  ///< its types of weights and cache and its context hold for counts, too
  SweepOptions sweep;
  TrainOptions train;
  bool json = false;
};

ModelSheet make_sheet(const ModelOptions& o) {
  const ModelFile file = find_model(o.model, o.config_dir);
  ModelSheet out;
  out.name = file.name;
  out.model = model::read_config(file.text, file.file);
  out.parameters = model::count_parameters(out.model);
  out.weights = chosen_weights(out.model, o.step.weights, o.step.head);
  if (!o.step.weights.empty()) std::erase(out.model.warnings, out.model.weights.unknown);
  out.bytes = model::weight_bytes(out.model, out.weights);
  out.kv = o.step.kv.empty() ? default_cache(out.model.weights) : dtype_option(o.step.kv, "--kv");
  out.tokens = out.model.context;
  if (!o.step.context.empty()) {
    out.tokens = parse_shape(o.step.context, 1, "--context").front();
    out.tokens_chosen = true;
  }
  return out;
}

ExitStatus count_model(const ModelOptions& o, const ModelSheet& sheet, Io& io) {
  const std::string text = o.json ? report::to_text(model_json(sheet)) : model_page(sheet);
  warn_each(io, sheet.model.warnings);
  io.out << text;
  return ExitStatus::ok;
}

ExitStatus place_step(const CLI::App& app, const ModelOptions& o, const ModelSheet& sheet, Io& io) {
  const Deployment deployment = make_deployment(o.step, sheet.name, sheet.model, o.config_dir);
  refuse_idle_options(app, deployment);
  warn_each(io, warnings_of(deployment));
  if (sweeps(o.sweep)) {
    sweep_steps(deployment, o.sweep, o.json, io);
    return ExitStatus::ok;
  }
  const StepFigures figures(deployment);
  if (!o.json) {
    io.out << step_page(figures);
    return ExitStatus::ok;
  }
  nlohmann::ordered_json out = model_json(sheet);
  add_step_json(out, figures);
  io.out << report::to_text(out);
  return ExitStatus::ok;
}

TrainRequest train_request(const ModelOptions& o) {
  return {
      o.train, o.step.convention, o.step.attention, o.step.without_head, o.step.roofs, o.config_dir,
      o.json};
}

ExitStatus run_model(const CLI::App& app, const ModelOptions& o, Io& io) {
  const ModelSheet sheet = make_sheet(o);
  if (o.step.phase == "train") return train_model(app, train_request(o), sheet, io);
  refuse_train_options(app);
  refuse_sweep_contradictions(app, o.sweep);
  const bool step = states_deployment(app) || sweeps(o.sweep);
  return step ? place_step(app, o, sheet, io) : count_model(o, sheet, io);
}

}  // namespace

Action add_model(CLI::App& app, const Invocation&) {
  auto options = std::make_shared<ModelOptions>();
  app.add_option("model", options->model,
                 "a config.json, a folder that holds one, - for standard input, or the name of a "
                 "bundled model")
      ->required();
  app.add_option("--weights", options->step.weights,
                 "type of the weights in matrix products instead of the stated one: bf16, fp8, "
                 "int8, int4-g128, mxfp4, nvfp4 ...");
  app.add_option("--kv", options->step.kv, "type of the KV cache; bf16 or fp16 where left out");
  app.add_option(
      "--context", options->step.context,
      "tokens of a sequence: cached ones, or those of a prompt; the model's context where "
      "left out, and at most 4096 of a step");
  add_phase_option(app, options->step);
  add_deployment_options(app, options->step);
  add_sweep_options(app, options->sweep);
  app.add_flag("--json", options->json, "print JSON");
  add_train_options(app, options->train);
  add_config_option(app, options->config_dir);
  return [options, &app](Io& io) {
    return with_refusal_as_json(options->json, io, [&] { return run_model(app, *options, io); });
  };
}

}  // namespace roofline::cli
