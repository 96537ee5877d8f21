// matvec: few rows against one weight matrix, as in decoding.
#include <CLI/CLI.hpp>
#include <algorithm>
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

bool is_narrow_integer(DType dtype) { return dtype == DType::int8 || dtype == DType::int4; }

/// What integer weights are multiplied in: a GPU's matrix units take bf16, the CPU's loops fp32.
DType activation_for(const MatvecOptions& o, DType weight, backend::DeviceKind kind) {
  if (!o.activations.empty()) return dtype_option(o.activations, "--activations");
  if (!is_narrow_integer(weight)) return weight;
  return kind == backend::DeviceKind::gpu ? DType::bf16 : DType::fp32;
}

/// 0: no scales. Weights in parts of a byte, or of one, are of no use on a GPU without.
std::uint64_t scale_group_for(const MatvecOptions& o, DType weight, std::uint64_t d_in,
                              backend::DeviceKind kind) {
  constexpr std::uint64_t kUsual = 128;
  const bool scaled = is_narrow_integer(weight);
  if (!o.scale_group.empty()) {
    if (!scaled) return 0;
    return o.scale_group == "0" ? 0 : whole_option(o.scale_group, "--scale-group");
  }
  return scaled && kind == backend::DeviceKind::gpu ? std::min(kUsual, d_in) : 0;
}

std::vector<Boundary> weight_levels(const MatvecOptions& o) {
  if (o.hot && !o.level.empty())
    throw InputError("--hot and --level both say where the weights lie; give one of them");
  if (o.hot) return {Boundary::l2};
  std::vector<Boundary> out;
  for (const std::string& word : split_list(o.level.empty() ? "dram" : o.level, "--level")) {
    const auto level = find_boundary(word);
    if (!level || *level == Boundary::link)
      throw InputError("--level: '" + word + "' is not known; use dram, l3, l2 or l1");
    out.push_back(*level);
  }
  return out;
}

}  // namespace

std::vector<Workload> matvec_points(const MatvecOptions& o, backend::DeviceKind kind) {
  std::vector<Workload> points;
  const std::vector<DType> weights = dtype_list(o.weights, "--weights");
  if (!o.scale_group.empty() && std::none_of(weights.begin(), weights.end(), is_narrow_integer)) {
    throw InputError("--scale-group is for int8 and int4 weights; leave it out");
  }
  for (const DType weight : weights) {
    for (const Boundary level : weight_levels(o)) {
      for (const auto& shape : weight_shapes(o)) {
        for (const std::uint64_t rows : parse_axis(o.rows, "--rows")) {
          points.emplace_back(Projection{.rows = rows,
                                         .d_in = shape[0],
                                         .d_out = shape[1],
                                         .activation = activation_for(o, weight, kind),
                                         .weight = weight,
                                         .scale_group = scale_group_for(o, weight, shape[0], kind),
                                         .level = level});
        }
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
                 "type of the activations (default: that of the weights; for int8 and int4 fp32, "
                 "on a GPU bf16)");
  app.add_option(
      "--scale-group", options->scale_group,
      "int8 and int4 weights along D_IN that share a scale; 0 is none (default: none; on "
      "a GPU 128)");
  app.add_option("--level", options->level,
                 "where the weights lie: dram (cold, another copy at each call), or l3, l2, l1 "
                 "(hot) (default: dram)");
  app.add_flag("--hot", options->hot, "the same as --level l2");
  app.add_option("--rows,--m", options->rows, "token rows: 1,8,32 or 1:16:x2")
      ->capture_default_str();
  auto* shape =
      app.add_option("--shape", options->shape, "weight shapes D_INxD_OUT")->capture_default_str();
  app.add_option("--k", options->d_in, "D_IN, with --n instead of --shape: 4096 or 1024:8192:x2")
      ->excludes(shape);
  app.add_option("--n", options->d_out, "D_OUT, likewise")->excludes(shape);
  add_session_options(app, options->session);
  return [options, invocation](Io& io) {
    const PointsFor points = [&](backend::DeviceKind kind) {
      return matvec_points(*options, kind);
    };
    return run_family("matvec", options->session, points, true, invocation, io);
  };
}

}  // namespace roofline::cli
