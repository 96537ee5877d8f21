#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/configs.hpp"
#include "cli/model_file.hpp"
#include "cli/model_sheet.hpp"
#include "model/config_reader.hpp"
#include "report/json_writer.hpp"
#include "roofline/error.hpp"
#include "roofline/quantity_text.hpp"

namespace roofline::cli {
namespace {

struct ModelOptions {
  std::string model;
  std::string weights;
  std::string kv;
  std::string context;
  std::string config_dir;
  bool json = false;
};

/// 16 bits, whatever the weights are stored in: fp32 files are served in 16 bits, too.
DType default_cache(const model::StoredWeights& weights) {
  return weights.type == DType::fp16 ? DType::fp16 : DType::bf16;
}

ModelSheet make_sheet(const ModelOptions& o) {
  const ModelFile file = find_model(o.model, o.config_dir);
  ModelSheet out;
  out.name = file.name;
  out.model = model::read_config(file.text, file.file);
  out.parameters = model::count_parameters(out.model);
  out.weights = out.model.weights;
  if (!o.weights.empty()) {
    out.weights = stored_as(out.weights, model::parse_weight_format(o.weights, "--weights"));
    std::erase(out.model.warnings, out.model.weights.unknown);
  }
  out.bytes = model::weight_bytes(out.model, out.weights);
  out.kv = o.kv.empty() ? default_cache(out.model.weights) : parse_dtype(o.kv);
  out.tokens = out.model.context;
  if (!o.context.empty()) {
    out.tokens = parse_shape(o.context, 1, "--context").front();
    out.tokens_chosen = true;
  }
  return out;
}

ExitStatus count_model(const ModelOptions& o, Io& io) {
  const ModelSheet sheet = make_sheet(o);
  const std::string text = o.json ? report::to_text(model_json(sheet)) : model_page(sheet);
  for (const std::string& warning : sheet.model.warnings)
    io.err << "roofline: warning: " << warning << '\n';
  io.out << text;
  return ExitStatus::ok;
}

/// A refusal is a result, too: who reads JSON finds it where the counts would be.
ExitStatus run_model(const ModelOptions& o, Io& io) {
  try {
    return count_model(o, io);
  } catch (const InputError& error) {
    if (o.json) io.out << report::to_text({{"refused", error.what()}});
    throw;
  }
}

}  // namespace

Action add_model(CLI::App& app, const Invocation&) {
  auto options = std::make_shared<ModelOptions>();
  app.add_option("model", options->model,
                 "a config.json, a folder that holds one, - for standard input, or the name of a "
                 "bundled model")
      ->required();
  app.add_option("--weights", options->weights,
                 "type of the weights in matrix products instead of the stated one: bf16, fp8, "
                 "int8, int4-g128, mxfp4, nvfp4 ...");
  app.add_option("--kv", options->kv, "type of the KV cache; bf16 or fp16 where left out");
  app.add_option(
      "--context", options->context,
      "tokens of the sequence whose cache is counted; the model's context where left out");
  app.add_flag("--json", options->json, "print JSON");
  add_config_option(app, options->config_dir);
  return [options](Io& io) { return run_model(*options, io); };
}

}  // namespace roofline::cli
