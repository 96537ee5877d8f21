#include "cli/operation_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "roofline/error.hpp"
#include "roofline/quantity_text.hpp"

namespace roofline::cli {
namespace {

std::optional<DType> optional_dtype(const std::string& text, std::string_view what) {
  if (text.empty()) return std::nullopt;
  return dtype_option(text, what);
}

Gemm make_gemm(const OperationOptions& o) {
  const auto shape = parse_shape(o.gemm, 3, "--gemm");
  Gemm out{.m = shape[0], .n = shape[1], .k = shape[2], .batch = whole_option(o.batch, "--batch")};
  out.input = optional_dtype(o.dtype, "--dtype").value_or(DType::bf16);
  out.accumulate = optional_dtype(o.accumulate, "--accumulate");
  out.output = optional_dtype(o.output, "--output-type");
  out.transpose_a = o.transpose_a;
  out.transpose_b = o.transpose_b;
  out.alpha = signed_number(o.alpha, "--alpha");
  out.beta = signed_number(o.beta, "--beta");
  out.convert_a_from = optional_dtype(o.convert_a, "--convert-a-from");
  out.convert_b_from = optional_dtype(o.convert_b, "--convert-b-from");
  return out;
}

Projection make_projection(const OperationOptions& o) {
  const auto shape = parse_shape(o.matvec, 2, "--matvec");
  Projection out{.rows = whole_option(o.rows, "--rows"), .d_in = shape[0], .d_out = shape[1]};
  out.activation = optional_dtype(o.dtype, "--dtype").value_or(DType::bf16);
  out.weight = optional_dtype(o.weights, "--weights");
  out.output = optional_dtype(o.output, "--output-type");
  if (!o.scale_group.empty()) out.scale_group = whole_option(o.scale_group, "--scale-group");
  const std::uint64_t bits = whole_option(o.scale_bits, "--scale-bits");
  if (bits > 256)
    throw InputError("--scale-bits: " + o.scale_bits +
                     " is more than 256; give the bits of one scale");
  out.scale_bits = static_cast<unsigned>(bits);
  return out;
}

Stream make_stream(const OperationOptions& o) {
  const auto kind = find_stream_kind(o.stream);
  if (!kind) {
    throw InputError("--stream: '" + o.stream + "' is not known; use " + stream_kind_list());
  }
  return {.kind = *kind,
          .elements = whole_option(o.elements, "--elements"),
          .dtype = optional_dtype(o.dtype, "--dtype").value_or(DType::fp64),
          .write_allocate = o.write_allocate};
}

Elementwise make_elementwise(const OperationOptions& o) {
  return {.elements = whole_option(o.elementwise, "--elementwise"),
          .ops = whole_option(o.ops, "--ops"),
          .ops_per_kernel = whole_option(o.fused, "--fused"),
          .inputs = whole_option(o.inputs, "--inputs"),
          .dtype = optional_dtype(o.dtype, "--dtype").value_or(DType::bf16)};
}

Kernel make_kernel(const OperationOptions& o) {
  Kernel out;
  if (!o.flops.empty()) out.flops = parse_count(o.flops, "FLOP", "--flop");
  if (!o.read.empty()) out.read_bytes = parse_count(o.read, "B", "--read");
  if (!o.write.empty()) out.write_bytes = parse_count(o.write, "B", "--write");
  if (!o.intensity.empty()) out.intensity = parse_intensity(o.intensity, "--intensity");
  if (o.dtype.empty())
    throw InputError(
        "--dtype is needed to choose the peak of a bare kernel; add for example --dtype bf16");
  out.dtype = dtype_option(o.dtype, "--dtype");
  out.accumulate = optional_dtype(o.accumulate, "--accumulate");
  if (!o.engine.empty()) {
    if (o.engine != "tensor" && o.engine != "vector") {
      throw InputError("--engine: '" + o.engine + "' is not known; use tensor or vector");
    }
    out.engine = o.engine == "tensor" ? Engine::tensor : Engine::vector;
  }
  return out;
}

Workload make_workload(const OperationOptions& o, bool rate_given) {
  const bool counts = !o.flops.empty() || !o.read.empty() || !o.write.empty();
  const int given = !o.gemm.empty() + !o.matvec.empty() + !o.stream.empty() +
                    !o.elementwise.empty() + (counts || !o.intensity.empty());
  constexpr const char* kinds =
      "--gemm MxNxK, --matvec D_INxD_OUT, --stream KIND, --elementwise N, --flop N with --read and "
      "--write, or "
      "--intensity X";
  if (given > 1)
    throw InputError(std::string("several operations are named; give one of ") + kinds);
  if (given == 0 && !rate_given)
    throw InputError(std::string("no operation is named; give one of ") + kinds);
  if (!o.gemm.empty()) return make_gemm(o);
  if (!o.matvec.empty()) return make_projection(o);
  if (!o.stream.empty()) return make_stream(o);
  if (!o.elementwise.empty()) return make_elementwise(o);
  return make_kernel(o);
}

/// Which operations an option means anything to; elsewhere it would be ignored and the answer be
/// another one's.
struct Fit {
  const char* option;
  std::string_view kinds[2];  ///< kind_name; the second may be empty
};

constexpr Fit kFits[] = {
    {"--accumulate", {"gemm", "kernel"}},
    {"--output-type", {"gemm", "matvec"}},
    {"--weights", {"matvec", ""}},
    {"--scale-group", {"matvec", ""}},
    {"--scale-bits", {"matvec", ""}},
    {"--rows", {"matvec", ""}},
    {"--batch", {"gemm", ""}},
    {"--alpha", {"gemm", ""}},
    {"--beta", {"gemm", ""}},
    {"--transpose-a", {"gemm", ""}},
    {"--transpose-b", {"gemm", ""}},
    {"--convert-a-from", {"gemm", ""}},
    {"--convert-b-from", {"gemm", ""}},
    {"--tile", {"gemm", ""}},
    {"--elements", {"stream", ""}},
    {"--write-allocate", {"stream", ""}},
    {"--ops", {"elementwise", ""}},
    {"--fused", {"elementwise", ""}},
    {"--inputs", {"elementwise", ""}},
    {"--engine", {"kernel", ""}},
};

std::string spoken(std::string_view kind) {
  return kind == "kernel" ? "a bare kernel" : "--" + std::string(kind);
}

}  // namespace

void refuse_unfit_options(const CLI::App& app, const Operation& operation) {
  const std::string_view kind = kind_name(operation.workload);
  for (const Fit& fit : kFits) {
    if (app.count(fit.option) == 0 || kind == fit.kinds[0] || kind == fit.kinds[1]) continue;
    throw InputError(std::string(fit.option) + " is for " + spoken(fit.kinds[0]) +
                     (fit.kinds[1].empty() ? "" : " or " + spoken(fit.kinds[1])) +
                     " and says nothing of " + spoken(kind) + "; leave it out");
  }
  if (app.count("--scale-bits") > 0 && app.count("--scale-group") == 0) {
    throw InputError("--scale-bits needs --scale-group; add for example --scale-group 128");
  }
  if (app.count("--tile") > 0 && operation.boundary == Boundary::dram) {
    throw InputError(
        "--tile changes nothing across DRAM; add --boundary l2 and the --bandwidth of that level");
  }
}

void add_operation_options(CLI::App& app, OperationOptions& o) {
  constexpr const char* operation = "Operation (one of)";
  app.add_option("--gemm", o.gemm, "matrix product, MxNxK")->group(operation);
  app.add_option("--matvec", o.matvec, "projection of --rows rows through D_INxD_OUT weights")
      ->group(operation);
  app.add_option("--stream", o.stream, stream_kind_list() + " over --elements")->group(operation);
  app.add_option("--elementwise", o.elementwise, "a chain of --ops operations over N elements")
      ->group(operation);
  app.add_option("--flop", o.flops,
                 "a bare kernel: its FLOP count (FMA = 2), with --read and --write")
      ->group(operation);
  app.add_option("--read", o.read, "bytes the bare kernel reads, e.g. 800 or 2GiB")
      ->group(operation);
  app.add_option("--write", o.write, "bytes the bare kernel writes")->group(operation);
  app.add_option("--intensity", o.intensity, "a bare kernel known by its FLOP/byte alone")
      ->group(operation);
  constexpr const char* types = "Types and shape";
  app.add_option("--dtype", o.dtype,
                 "type that is computed in (fp64 fp32 tf32 fp16 bf16 fp8 fp6 fp4 int8 int4)")
      ->group(types);
  app.add_option("--accumulate", o.accumulate, "type products are summed in (fp16 or fp32)")
      ->group(types);
  app.add_option("--output-type", o.output, "type of the result")->group(types);
  app.add_option("--weights", o.weights, "type the weights of --matvec are stored in")
      ->group(types);
  app.add_option("--scale-group", o.scale_group, "weights that share a scale")->group(types);
  app.add_option("--scale-bits", o.scale_bits, "bits of scale and zero point per group")
      ->group(types)
      ->capture_default_str();
  app.add_option("--rows", o.rows, "rows of --matvec")->group(types)->capture_default_str();
  app.add_option("--batch", o.batch, "independent products of --gemm")
      ->group(types)
      ->capture_default_str();
  app.add_option("--alpha", o.alpha, "factor of A B")->group(types)->capture_default_str();
  app.add_option("--beta", o.beta, "factor of C; other than 0 it is read")
      ->group(types)
      ->capture_default_str();
  app.add_flag("--transpose-a", o.transpose_a, "A is stored KxM")->group(types);
  app.add_flag("--transpose-b", o.transpose_b, "B is stored NxK")->group(types);
  app.add_option("--convert-a-from", o.convert_a, "A is converted from this type through a buffer")
      ->group(types);
  app.add_option("--convert-b-from", o.convert_b, "B is converted from this type through a buffer")
      ->group(types);
  app.add_option("--elements", o.elements, "elements of each --stream array")
      ->group(types)
      ->capture_default_str();
  app.add_flag("--write-allocate", o.write_allocate, "stores of --stream read their line first")
      ->group(types);
  app.add_option("--ops", o.ops, "operations in the --elementwise chain")
      ->group(types)
      ->capture_default_str();
  app.add_option("--fused", o.fused, "operations fused into each kernel")
      ->group(types)
      ->capture_default_str();
  app.add_option("--inputs", o.inputs, "tensors the chain reads")
      ->group(types)
      ->capture_default_str();
  app.add_option("--engine", o.engine, "units a bare kernel runs on: tensor or vector")
      ->group(types);
  app.add_option("--boundary", o.boundary, "where bytes are counted: dram, l3, l2, l1")
      ->group(types)
      ->capture_default_str();
  app.add_option("--tile", o.tile, "output tile of a GEMM, for --boundary other than dram")
      ->group(types)
      ->capture_default_str();
}

Operation make_operation(const OperationOptions& options, bool rate_given) {
  Operation out;
  out.workload = make_workload(options, rate_given);
  const auto boundary = find_boundary(options.boundary);
  if (!boundary || *boundary == Boundary::link) {
    throw InputError("--boundary: '" + options.boundary + "' is not known; use dram, l3, l2 or l1");
  }
  out.boundary = *boundary;
  const auto tile = parse_shape(options.tile, 2, "--tile");
  out.tile = {tile[0], tile[1]};
  return out;
}

std::vector<std::string> split_list(const std::string& text, std::string_view what) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    if (out.back().empty()) {
      throw InputError(std::string(what) + ": '" + text +
                       "' has an empty entry; separate entries with one comma");
    }
    begin = end + 1;
  }
  return out;
}

DType dtype_option(const std::string& text, std::string_view what) {
  try {
    return parse_dtype(text);
  } catch (const InputError& error) {
    throw InputError(std::string(what) + ": " + error.what());
  }
}

double signed_number(const std::string& text, std::string_view what) {
  const bool negative = text.starts_with('-');
  const double value = parse_number(negative ? text.substr(1) : text, what);
  return negative ? -value : value;
}

std::uint64_t whole_option(const std::string& text, std::string_view what) {
  return parse_shape(text, 1, what).front();
}

double ratio_option(const std::string& text, std::string_view what) {
  const bool percent = text.ends_with('%');
  std::string number = text.substr(0, text.size() - (percent ? 1 : 0));
  while (percent && number.ends_with(' ')) number.pop_back();
  const double value = parse_number(number, what);
  if (value <= 0)
    throw InputError(std::string(what) + ": a part above 0 is needed, as in 6% or 0.06");
  if (!percent && value > 1)
    throw InputError(std::string(what) + ": '" + text + "' may be a ratio or a percentage; write " +
                     text + "% or " + fmt::format("{}", value / 100));
  return percent ? value / 100 : value;
}

double part_option(const std::string& text, std::string_view what) {
  const double out = ratio_option(text, what);
  if (out > 1) throw InputError(std::string(what) + ": a part is at most 100 %");
  return out;
}

}  // namespace roofline::cli
