#include "report/workload_json.hpp"

namespace roofline::report {
namespace {

void put_fields(JsonOut& out, const Gemm& w) {
  out.put("m", w.m);
  out.put("n", w.n);
  out.put("k", w.k);
  out.put("batch", w.batch);
  out.put("input", name(w.input));
  out.put("accumulate", name(accumulate_dtype(w)));
  out.put("output", name(output_dtype(w)));
  out.put("transpose_a", w.transpose_a);
  out.put("transpose_b", w.transpose_b);
  out.put("alpha", w.alpha);
  out.put("beta", w.beta);
  out.put_name("convert_a_from", w.convert_a_from);
  out.put_name("convert_b_from", w.convert_b_from);
  out.put("data", name(w.data));
  out.put("duration", name(w.duration));
}

void put_fields(JsonOut& out, const Projection& w) {
  out.put("rows", w.rows);
  out.put("d_in", w.d_in);
  out.put("d_out", w.d_out);
  out.put("activation", name(w.activation));
  out.put("weight", name(w.weight.value_or(w.activation)));
  out.put("scale_group", w.scale_group);
  out.put("scale_bits", w.scale_bits);
  out.put("output", name(output_dtype(w)));
  out.put("level", name(w.level));
}

void put_fields(JsonOut& out, const Stream& w) {
  out.put("stream", name(w.kind));
  out.put("elements", w.elements);
  out.put("dtype", name(w.dtype));
  out.put("write_allocate", w.write_allocate);
  out.put("level", name(w.level));
}

void put_fields(JsonOut& out, const Elementwise& w) {
  out.put("elements", w.elements);
  out.put("ops", w.ops);
  out.put("ops_per_kernel", w.ops_per_kernel);
  out.put("inputs", w.inputs);
  out.put("dtype", name(w.dtype));
}

void put_fields(JsonOut& out, const Kernel& w) {
  out.put("work_flop", w.flops);
  out.put("read_byte", w.read_bytes);
  out.put("write_byte", w.write_bytes);
  out.put("intensity_flop_per_byte", w.intensity);
  out.put("dtype", name(w.dtype));
  out.put("accumulate", name(accumulate_dtype(w)));
  out.put("engine", name(engine(w)));
}

void put_fields(JsonOut& out, const PeakProbe& w) {
  out.put("dtype", name(w.dtype));
  out.put("work_flop", w.flops);
}

void put_fields(JsonOut& out, const Launch& w) { out.put("path", name(w.path)); }

void put_fields(JsonOut& out, const Transfer& w) {
  out.put("direction", name(w.direction));
  out.put("host_memory", name(w.host_memory));
  out.put("byte", w.bytes);
}

std::optional<DType> maybe_dtype(const Node& fields, std::string_view key) {
  const auto node = fields.find(key);
  if (!node) return std::nullopt;
  const std::string_view text = node->view();
  for (const DTypeInfo& known : dtypes()) {
    if (known.name == text) return known.dtype;
  }
  node->fail_with(text, "which is no dtype; take bf16, fp32 or another that roofline knows");
}

DType read_dtype(const Node& fields, std::string_view key) {
  const auto out = maybe_dtype(fields, key);
  if (!out) (void)fields.at(key);  // complains: missing or null
  return *out;
}

std::optional<Count> maybe_count(const Node& fields, std::string_view key) {
  const auto value = fields.maybe_count(key);
  if (!value) return std::nullopt;
  return Count{*value};
}

Gemm read_gemm(const Node& in) {
  Gemm w;
  w.m = in.at("m").count();
  w.n = in.at("n").count();
  w.k = in.at("k").count();
  w.batch = in.maybe_count("batch").value_or(w.batch);
  w.input = read_dtype(in, "input");
  w.accumulate = maybe_dtype(in, "accumulate");
  w.output = maybe_dtype(in, "output");
  w.transpose_a = in.flag_or("transpose_a", w.transpose_a);
  w.transpose_b = in.flag_or("transpose_b", w.transpose_b);
  w.alpha = in.maybe_number("alpha").value_or(w.alpha);
  w.beta = in.maybe_number("beta").value_or(w.beta);
  w.convert_a_from = maybe_dtype(in, "convert_a_from");
  w.convert_b_from = maybe_dtype(in, "convert_b_from");
  w.data = in.maybe_one_of("data", data_patterns()).value_or(w.data);
  w.duration = in.maybe_one_of("duration", load_durations()).value_or(w.duration);
  return w;
}

Projection read_projection(const Node& in) {
  Projection w;
  w.rows = in.at("rows").count();
  w.d_in = in.at("d_in").count();
  w.d_out = in.at("d_out").count();
  w.activation = read_dtype(in, "activation");
  w.weight = maybe_dtype(in, "weight");
  w.scale_group = in.maybe_count("scale_group").value_or(w.scale_group);
  const auto bits = in.find("scale_bits");
  if (bits) {
    const std::uint64_t value = bits->count();
    if (value > 1024) bits->fail("must be at most 1024");
    w.scale_bits = static_cast<unsigned>(value);
  }
  w.output = maybe_dtype(in, "output");
  w.level = in.maybe_one_of("level", boundaries()).value_or(w.level);
  return w;
}

Stream read_stream(const Node& in) {
  constexpr StreamKind kKinds[] = {StreamKind::read,  StreamKind::write, StreamKind::copy,
                                   StreamKind::scale, StreamKind::add,   StreamKind::triad,
                                   StreamKind::update};
  Stream w;
  w.kind = in.at("stream").one_of(kKinds);
  w.elements = in.at("elements").count();
  w.dtype = read_dtype(in, "dtype");
  w.write_allocate = in.flag_or("write_allocate", w.write_allocate);
  w.level = in.maybe_one_of("level", boundaries()).value_or(w.level);
  return w;
}

Elementwise read_elementwise(const Node& in) {
  Elementwise w;
  w.elements = in.at("elements").count();
  w.ops = in.at("ops").count();
  w.ops_per_kernel = in.at("ops_per_kernel").count();
  w.inputs = in.at("inputs").count();
  w.dtype = read_dtype(in, "dtype");
  return w;
}

Kernel read_kernel(const Node& in) {
  Kernel w;
  w.flops = maybe_count(in, "work_flop");
  w.read_bytes = maybe_count(in, "read_byte");
  w.write_bytes = maybe_count(in, "write_byte");
  w.intensity = in.maybe<Intensity>("intensity_flop_per_byte");
  w.dtype = read_dtype(in, "dtype");
  w.accumulate = maybe_dtype(in, "accumulate");
  constexpr Engine kEngines[] = {Engine::tensor, Engine::vector};
  w.engine = in.maybe_one_of("engine", kEngines);
  return w;
}

PeakProbe read_peak(const Node& in) {
  PeakProbe w;
  w.dtype = read_dtype(in, "dtype");
  w.flops = in.at("work_flop").count();
  return w;
}

Launch read_launch(const Node& in) { return {in.at("path").one_of(launch_paths())}; }

Transfer read_transfer(const Node& in) {
  return {in.at("direction").one_of(transfer_directions()),
          in.at("host_memory").one_of(host_memories()), in.at("byte").count()};
}

}  // namespace

void put_workload(JsonOut& out, const Workload& workload) {
  out.open_object("workload");
  std::visit([&](const auto& w) { put_fields(out, w); }, workload);
  out.close();
}

Workload read_workload(const Node& kind, const Node& fields) {
  const std::string_view text = kind.view();
  if (text == "gemm") return read_gemm(fields);
  if (text == "matvec") return read_projection(fields);
  if (text == "stream") return read_stream(fields);
  if (text == "elementwise") return read_elementwise(fields);
  if (text == "kernel") return read_kernel(fields);
  if (text == "peak") return read_peak(fields);
  if (text == "launch") return read_launch(fields);
  if (text == "transfer") return read_transfer(fields);
  kind.fail_with(text, "not one of " + kind_list());
}

}  // namespace roofline::report
