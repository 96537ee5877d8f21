// matvec: few rows against one weight matrix, as in decoding.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/families.hpp"
#include "cli/operation_options.hpp"
#include "roofline/error.hpp"
#include "roofline/quantity_text.hpp"

namespace roofline::cli {
namespace {

/// D_IN x D_OUT, from --shape or from the two axes in the words of gemm.
std::vector<std::vector<std::uint64_t>> weight_shapes(const MatvecOptions& o) {
  std::vector<std::vector<std::uint64_t>> out;
  if (o.d_in.empty() != o.d_out.empty())
    throw InputError("--k (D_IN) and --n (D_OUT) name a shape together; give both, or --shape");
  if (o.d_in.empty()) {
    for (const std::string& text : split_list(o.shape, "--shape"))
      out.push_back(parse_shape(text, 2, "--shape"));
    return out;
  }
  for (const std::uint64_t d_out : parse_axis(o.d_out, "--n")) {
    for (const std::uint64_t d_in : parse_axis(o.d_in, "--k")) {
      out.push_back({d_in, d_out});
      if (out.size() > kMaxPoints)
        throw InputError("--k and --n ask for more than " + std::to_string(kMaxPoints) +
                         " shapes; narrow them");
    }
  }
  return out;
}

}  // namespace

std::vector<Workload> matvec_points(const MatvecOptions& o) {
  std::vector<Workload> points;
  for (const DType weight : dtype_list(o.weights, "--weights")) {
    const DType activation = o.activations.empty() ? (weight == DType::int8 ? DType::fp32 : weight)
                                                   : dtype_option(o.activations, "--activations");
    for (const auto& shape : weight_shapes(o)) {
      for (const std::uint64_t rows : parse_axis(o.rows, "--rows")) {
        points.emplace_back(Projection{.rows = rows,
                                       .d_in = shape[0],
                                       .d_out = shape[1],
                                       .activation = activation,
                                       .weight = weight});
      }
    }
  }
  return points;
}

Action add_matvec(CLI::App& app, const Invocation& invocation) {
  auto options = std::make_shared<MatvecOptions>();
  app.add_option("--weights,--dtype", options->weights,
                 "types the weights are stored in, e.g. bf16,int8")
      ->capture_default_str();
  app.add_option("--activations", options->activations,
                 "type of the activations (default: that of the weights; fp32 for int8)");
  app.add_option("--rows,--m", options->rows, "token rows: 1,8,32 or 1:16:x2")
      ->capture_default_str();
  auto* shape =
      app.add_option("--shape", options->shape, "weight shapes D_INxD_OUT")->capture_default_str();
  app.add_option("--k", options->d_in, "D_IN, with --n instead of --shape: 4096 or 1024:8192:x2")
      ->excludes(shape);
  app.add_option("--n", options->d_out, "D_OUT, likewise")->excludes(shape);
  add_session_options(app, options->session);
  return [options, invocation](Io& io) {
    return run_family("matvec", options->session, matvec_points(*options), true, invocation, io);
  };
}

}  // namespace roofline::cli
