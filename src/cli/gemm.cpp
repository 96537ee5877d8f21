// gemm: matrix products, with sweeps over shapes and types.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/families.hpp"
#include "cli/model_products.hpp"
#include "cli/operation_options.hpp"
#include "measure/gemm_sweep.hpp"
#include "roofline/error.hpp"
#include "roofline/point_id.hpp"
#include "roofline/quantity_text.hpp"

namespace roofline::cli {
namespace {

struct GemmOptions {
  SessionOptions session;
  std::string dtype = "bf16";
  std::string shape;
  std::string shapes_from;
  std::string tokens = "1,32,512,2048";
  std::string m = "4096";
  std::string n = "4096";
  std::string k = "4096";
  std::string batch = "1";
  std::string accumulate;
  std::string output;
  bool transpose_a = false;
  bool transpose_b = false;
  std::string alpha = "1";
  std::string beta = "0";
  std::string data = "random";
  std::string duration = "turns";
  bool axes_given = false;
  bool tokens_given = false;
};

void refuse_contradictions(const GemmOptions& o) {
  if (!o.shape.empty() && o.axes_given)
    throw InputError("--shape and --m, --n, --k both name shapes; give one of them");
  if (o.shapes_from.empty() && o.tokens_given) {
    throw InputError(
        "--tokens is for the products of a model; add --shapes-from MODEL, or give the rows by "
        "--m");
  }
  if (o.shapes_from.empty() || (o.shape.empty() && !o.axes_given)) return;
  throw InputError("--shapes-from and " + std::string(o.axes_given ? "--m, --n, --k" : "--shape") +
                   " both name shapes; give one of them");
}

std::vector<std::vector<std::uint64_t>> gemm_shapes(const GemmOptions& o) {
  std::vector<std::vector<std::uint64_t>> out;
  if (!o.shape.empty()) {
    for (const std::string& text : split_list(o.shape, "--shape"))
      out.push_back(parse_shape(text, 3, "--shape"));
    return out;
  }
  const auto ms = parse_axis(o.m, "--m");
  const auto ns = parse_axis(o.n, "--n");
  const auto ks = parse_axis(o.k, "--k");
  const Count asked = Count{ms.size()} * Count{ns.size()} * Count{ks.size()};
  if (asked > Count{kMaxPoints}) {
    throw InputError("--m, --n and --k ask for " + std::to_string(asked.value()) +
                     " shapes; narrow them to at most " + std::to_string(kMaxPoints));
  }
  for (const auto n : ns) {
    for (const auto k : ks) {
      for (const auto m : ms) out.push_back({m, n, k});
    }
  }
  return out;
}

/// The words of a list, of each of which `find` knows the meaning.
template <class Find>
auto word_list(const std::string& text, const char* option, Find&& find, const char* known) {
  std::vector<typename decltype(find(text))::value_type> out;
  for (const std::string& word : split_list(text, option)) {
    const auto value = find(word);
    if (!value) {
      throw InputError(std::string(option) + ": " + "'" + word + "' is not known; use " + known);
    }
    out.push_back(*value);
  }
  return out;
}

/// Which of the model's products each point is.
PointNames names_of(const std::vector<Workload>& points, const ModelShapes& of_model) {
  PointNames out;
  for (const Workload& point : points) {
    const Gemm& product = std::get<Gemm>(point);
    const auto found = of_model.names.find({product.m, product.n, product.k});
    if (found != of_model.names.end()) out[point_id(point)] = found->second;
  }
  return out;
}

ExitStatus gemm(const GemmOptions& o, const Invocation& invocation, Io& io) {
  refuse_contradictions(o);
  Gemm common{.batch = whole_option(o.batch, "--batch"),
              .transpose_a = o.transpose_a,
              .transpose_b = o.transpose_b,
              .alpha = signed_number(o.alpha, "--alpha"),
              .beta = signed_number(o.beta, "--beta")};
  if (!o.accumulate.empty()) common.accumulate = dtype_option(o.accumulate, "--accumulate");
  if (!o.output.empty()) common.output = dtype_option(o.output, "--output-type");
  const ModelShapes of_model =
      o.shapes_from.empty() ? ModelShapes{} : model_shapes(o.shapes_from, o.tokens, io);
  std::vector<Workload> points = measure::points_of(
      {common, dtype_list(o.dtype, "--dtype"),
       o.shapes_from.empty() ? gemm_shapes(o) : of_model.shapes,
       word_list(o.data, "--data", find_data_pattern, "random, zeros, ones or integers"),
       word_list(o.duration, "--duration", find_load_duration, "turns, burst or sustained")});
  const PointNames names = names_of(points, of_model);
  return run_family("gemm", o.session, on_any_device(std::move(points)), true, invocation, io,
                    names);
}

}  // namespace

Action add_gemm(CLI::App& app, const Invocation& invocation) {
  auto options = std::make_shared<GemmOptions>();
  app.add_option("--dtype", options->dtype, "input types, e.g. fp32,bf16")->capture_default_str();
  app.add_option("--shape", options->shape, "shapes MxNxK, e.g. 4096x14336x4096,512x512x512");
  app.add_option("--shapes-from", options->shapes_from,
                 "the products of a model: a config.json, a folder that holds one, or a bundled "
                 "name (see roofline model)");
  auto* tokens = app.add_option("--tokens", options->tokens,
                                "with --shapes-from: rows, likewise; an expert gets its share")
                     ->capture_default_str();
  auto* m = app.add_option("--m", options->m, "rows: 4096, 1,8,32, 1:8192:x2 or 512:2048:+512")
                ->capture_default_str();
  auto* n = app.add_option("--n", options->n, "columns, likewise")->capture_default_str();
  auto* k = app.add_option("--k", options->k, "inner size, likewise")->capture_default_str();
  app.add_option("--batch", options->batch, "independent products")->capture_default_str();
  app.add_option("--accumulate", options->accumulate,
                 "type that products are summed in (fp16 or fp32)");
  app.add_option("--output-type", options->output, "type of the result");
  app.add_flag("--transpose-a", options->transpose_a, "A is stored KxM");
  app.add_flag("--transpose-b", options->transpose_b, "B is stored NxK");
  app.add_option("--alpha", options->alpha, "factor of A B")->capture_default_str();
  app.add_option("--beta", options->beta, "factor of C; other than 0 it is read")
      ->capture_default_str();
  app.add_option("--data", options->data,
                 "what the operands hold: random, zeros, ones, integers; a list gives each")
      ->capture_default_str();
  app.add_option("--duration", options->duration,
                 "when it is timed: in turns with other points, after a rest (burst), or once "
                 "the clock has settled under load (sustained); a list gives each")
      ->capture_default_str();
  add_session_options(app, options->session);
  return [options, m, n, k, tokens, invocation](Io& io) {
    options->tokens_given = tokens->count() > 0;
    options->axes_given = m->count() + n->count() + k->count() > 0;
    return gemm(*options, invocation, io);
  };
}

}  // namespace roofline::cli
