// bandwidth, gemm and matvec: one family of workloads each, with sweeps over shapes and types.
#include <CLI/CLI.hpp>
#include <memory>
#include <set>

#include "cli/command.hpp"
#include "cli/operation_options.hpp"
#include "cli/session.hpp"
#include "roofline/error.hpp"
#include "roofline/quantity_text.hpp"

namespace roofline::cli {
namespace {

/// More points than this are a mistake in a range.
constexpr std::size_t kMaxPoints = 20000;

std::vector<DType> dtype_list(const std::string& text, std::string_view what) {
  std::vector<DType> out;
  for (const std::string& word : split_list(text, what)) out.push_back(dtype_option(word, what));
  return out;
}

/// The roofs that points of these types are held against, measured first.
std::vector<Workload> roof_points(const std::vector<Workload>& points) {
  std::vector<Workload> out{Stream{.kind = StreamKind::read}, Stream{.kind = StreamKind::copy},
                            Stream{.kind = StreamKind::triad}};
  std::set<DType> seen;
  for (const Workload& point : points) {
    if (seen.insert(compute_dtype(point)).second)
      out.emplace_back(PeakProbe{.dtype = compute_dtype(point)});
  }
  return out;
}

ExitStatus run_family(std::string_view command, const SessionOptions& session,
                      std::vector<Workload> points, const Invocation& invocation, Io& io) {
  if (points.size() > kMaxPoints) {
    throw InputError(std::string(command) + ": " + std::to_string(points.size()) +
                     " points are asked for; narrow a range or a list to at most " +
                     std::to_string(kMaxPoints));
  }
  for (const Workload& point : points) {
    const auto* stream = std::get_if<Stream>(&point);
    if (stream == nullptr || stream->elements != 0) (void)account(point);
  }
  const std::string_view kind = kind_name(points.back());  // roofs come first
  return run_session(session, {std::string(command), std::move(points), {}, kind}, invocation, io);
}

struct GemmOptions {
  SessionOptions session;
  std::string dtype = "bf16";
  std::string shape;
  std::string m = "4096";
  std::string n = "4096";
  std::string k = "4096";
  std::string batch = "1";
  std::string output;
  bool axes_given = false;
};

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

ExitStatus gemm(const GemmOptions& o, const Invocation& invocation, Io& io) {
  if (!o.shape.empty() && o.axes_given)
    throw InputError("--shape and --m, --n, --k both name shapes; give one of them");
  std::vector<Workload> points;
  for (const DType dtype : dtype_list(o.dtype, "--dtype")) {
    for (const auto& shape : gemm_shapes(o)) {
      Gemm point{.m = shape[0],
                 .n = shape[1],
                 .k = shape[2],
                 .batch = whole_option(o.batch, "--batch"),
                 .input = dtype};
      if (!o.output.empty()) point.output = dtype_option(o.output, "--output-type");
      points.emplace_back(point);
    }
  }
  auto all = roof_points(points);
  all.insert(all.end(), points.begin(), points.end());
  return run_family("gemm", o.session, std::move(all), invocation, io);
}

struct MatvecOptions {
  SessionOptions session;
  std::string weights = "bf16";
  std::string activations;
  std::string rows = "1,8,32";
  std::string shape = "4096x14336";
};

ExitStatus matvec(const MatvecOptions& o, const Invocation& invocation, Io& io) {
  std::vector<Workload> points;
  for (const DType weight : dtype_list(o.weights, "--weights")) {
    const DType activation = o.activations.empty() ? (weight == DType::int8 ? DType::fp32 : weight)
                                                   : dtype_option(o.activations, "--activations");
    for (const std::string& text : split_list(o.shape, "--shape")) {
      const auto shape = parse_shape(text, 2, "--shape");
      for (const std::uint64_t rows : parse_axis(o.rows, "--rows")) {
        points.emplace_back(Projection{.rows = rows,
                                       .d_in = shape[0],
                                       .d_out = shape[1],
                                       .activation = activation,
                                       .weight = weight});
      }
    }
  }
  auto all = roof_points(points);
  all.insert(all.end(), points.begin(), points.end());
  return run_family("matvec", o.session, std::move(all), invocation, io);
}

struct BandwidthOptions {
  SessionOptions session;
  std::string stream = "read,write,copy,scale,add,triad";
  std::string dtype = "fp64";
  std::string elements;
};

ExitStatus bandwidth(const BandwidthOptions& o, const Invocation& invocation, Io& io) {
  std::vector<Workload> points;
  for (const DType dtype : dtype_list(o.dtype, "--dtype")) {
    for (const std::string& word : split_list(o.stream, "--stream")) {
      const auto kind = find_stream_kind(word);
      if (!kind)
        throw InputError("--stream: '" + word +
                         "' is not known; use read, write, copy, scale, add, triad");
      Stream point{.kind = *kind, .elements = 0, .dtype = dtype};
      if (!o.elements.empty()) point.elements = whole_option(o.elements, "--elements");
      points.emplace_back(point);
    }
  }
  return run_family("bandwidth", o.session, std::move(points), invocation, io);
}

}  // namespace

Action add_gemm(CLI::App& app, const Invocation& invocation) {
  auto options = std::make_shared<GemmOptions>();
  app.add_option("--dtype", options->dtype, "input types, e.g. fp32,bf16")->capture_default_str();
  app.add_option("--shape", options->shape, "shapes MxNxK, e.g. 4096x14336x4096,512x512x512");
  auto* m = app.add_option("--m", options->m, "rows: 4096, 1,8,32, 1:8192:x2 or 512:2048:+512")
                ->capture_default_str();
  auto* n = app.add_option("--n", options->n, "columns, likewise")->capture_default_str();
  auto* k = app.add_option("--k", options->k, "inner size, likewise")->capture_default_str();
  app.add_option("--batch", options->batch, "independent products")->capture_default_str();
  app.add_option("--output-type", options->output, "type of the result");
  add_session_options(app, options->session);
  return [options, m, n, k, invocation](Io& io) {
    options->axes_given = m->count() + n->count() + k->count() > 0;
    return gemm(*options, invocation, io);
  };
}

Action add_matvec(CLI::App& app, const Invocation& invocation) {
  auto options = std::make_shared<MatvecOptions>();
  app.add_option("--weights,--dtype", options->weights,
                 "types the weights are stored in, e.g. bf16,int8")
      ->capture_default_str();
  app.add_option("--activations", options->activations,
                 "type of the activations (default: that of the weights; fp32 for int8)");
  app.add_option("--rows", options->rows, "token rows: 1,8,32 or 1:16:x2")->capture_default_str();
  app.add_option("--shape", options->shape, "weight shapes D_INxD_OUT")->capture_default_str();
  add_session_options(app, options->session);
  return [options, invocation](Io& io) { return matvec(*options, invocation, io); };
}

Action add_bandwidth(CLI::App& app, const Invocation& invocation) {
  auto options = std::make_shared<BandwidthOptions>();
  app.add_option("--stream", options->stream, "read, write, copy, scale, add, triad")
      ->capture_default_str();
  app.add_option("--dtype", options->dtype, "element types")->capture_default_str();
  app.add_option("--elements", options->elements,
                 "elements of each array (default: as many as reach DRAM)");
  add_session_options(app, options->session);
  return [options, invocation](Io& io) { return bandwidth(*options, invocation, io); };
}

}  // namespace roofline::cli
