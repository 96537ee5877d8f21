#include "measure/suite.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "measure/gemm_sweep.hpp"
#include "measure/suite_entry.hpp"
#include "roofline/account.hpp"
#include "roofline/error.hpp"

namespace roofline::measure {
namespace {

using nlohmann::json;

/// The words of `key`, of each of which `find` knows the meaning; `fallback` without the key.
template <class Value, class Find>
std::vector<Value> values(const Entry& entry, const char* key, Value fallback, Find&& find,
                          const char* known) {
  if (!entry.has(key)) return {fallback};
  std::vector<Value> out;
  for (const std::string& word : entry.texts(key)) {
    const auto value = find(word);
    if (!value)
      entry.fail("has the unknown " + std::string(key) + " '" + word + "'; known are " + known);
    out.push_back(*value);
  }
  return out;
}

bool flag(const Entry& entry, const char* key) {
  if (!entry.has(key)) return false;
  const json& value = entry.at(key);
  if (!value.is_boolean()) entry.fail("key '" + std::string(key) + "' must be true or false");
  return value.get<bool>();
}

void add_gemm(const Entry& entry, std::vector<Workload>& out) {
  entry.only({"kind", "devices", "dtype", "shape", "batch", "accumulate", "output", "transpose_a",
              "transpose_b", "alpha", "beta", "data", "duration"});
  constexpr double kMost = 1e6;
  Gemm common{.batch = entry.count("batch", 1),
              .transpose_a = flag(entry, "transpose_a"),
              .transpose_b = flag(entry, "transpose_b"),
              .alpha = entry.number("alpha", 1, -kMost, kMost),
              .beta = entry.number("beta", 0, -kMost, kMost)};
  if (entry.has("accumulate")) common.accumulate = entry.dtypes("accumulate", DType::fp32).front();
  if (entry.has("output")) common.output = entry.dtypes("output", DType::fp32).front();
  const std::vector<Workload> points =
      points_of({common, entry.dtypes("dtype", DType::bf16), entry.shapes(3),
                 values(entry, "data", DataPattern::random, find_data_pattern,
                        "random, zeros, ones, integers"),
                 values(entry, "duration", LoadDuration::turns, find_load_duration,
                        "turns, burst, sustained")});
  out.insert(out.end(), points.begin(), points.end());
}

std::vector<Boundary> levels(const Entry& entry) {
  if (!entry.has("level")) return {Boundary::dram};
  std::vector<Boundary> out;
  for (const std::string& word : entry.texts("level")) {
    const auto level = find_boundary(word);
    if (!level || *level == Boundary::link)
      entry.fail("has the unknown level '" + word + "'; known are dram, l3, l2, l1");
    out.push_back(*level);
  }
  return out;
}

void add_matvec(const Entry& entry, std::vector<Workload>& out) {
  entry.only(
      {"kind", "devices", "weights", "activations", "rows", "shape", "scale_group", "level"});
  for (const DType weight : entry.dtypes("weights", DType::bf16)) {
    const DType activation = entry.dtypes("activations", weight).front();
    for (const auto& shape : entry.shapes(2)) {
      for (const std::uint64_t rows : entry.counts("rows")) {
        for (const Boundary level : levels(entry)) {
          out.emplace_back(Projection{.rows = rows,
                                      .d_in = shape[0],
                                      .d_out = shape[1],
                                      .activation = activation,
                                      .weight = weight,
                                      .scale_group = entry.count("scale_group", 0),
                                      .level = level});
        }
      }
    }
  }
}

/// Whether the stores read their line first, for each point of a mix; false leaves it to the
/// device.
std::vector<bool> stores(const Entry& entry) {
  if (!entry.has("stores")) return {false};
  std::vector<bool> out;
  for (const std::string& word : entry.texts("stores")) {
    if (word != "best" && word != "regular")
      entry.fail("has the unknown stores '" + word + "'; known are best, regular");
    out.push_back(word == "regular");
  }
  return out;
}

StreamKind stream_kind(const Entry& entry, const std::string& word) {
  const auto kind = find_stream_kind(word);
  if (!kind) entry.fail("has the unknown stream '" + word + "'; known are " + stream_kind_list());
  return *kind;
}

void add_stream(const Entry& entry, std::vector<Workload>& out) {
  entry.only({"kind", "devices", "stream", "dtype", "elements", "level", "stores"});
  for (const DType dtype : entry.dtypes("dtype", DType::fp64)) {
    for (const Boundary level : levels(entry)) {
      for (const std::string& word : entry.texts("stream")) {
        for (const bool regular : stores(entry)) {
          out.emplace_back(Stream{.kind = stream_kind(entry, word),
                                  .elements = entry.count("elements", 0),
                                  .dtype = dtype,
                                  .write_allocate = regular,
                                  .level = level});
        }
      }
    }
  }
}

void add_launch(const Entry& entry, std::vector<Workload>& out) {
  entry.only({"kind", "devices", "path"});
  for (const std::string& word : entry.texts("path")) {
    const auto path = find_launch_path(word);
    if (!path) entry.fail("has the unknown path '" + word + "'; known are " + launch_path_list());
    out.emplace_back(Launch{*path});
  }
}

void add_transfer(const Entry& entry, std::vector<Workload>& out) {
  entry.only({"kind", "devices", "direction", "host_memory", "bytes"});
  const std::vector<std::uint64_t> sizes =
      entry.has("bytes") ? entry.counts("bytes") : std::vector<std::uint64_t>{0};
  for (const TransferDirection direction : values(entry, "direction", TransferDirection::to_device,
                                                  find_transfer_direction, "to_device, to_host")) {
    for (const HostMemory memory :
         values(entry, "host_memory", HostMemory::pinned, find_host_memory, "pinned, pageable")) {
      for (const std::uint64_t bytes : sizes)
        out.emplace_back(Transfer{.direction = direction, .host_memory = memory, .bytes = bytes});
    }
  }
}

void add_elementwise(const Entry& entry, std::vector<Workload>& out) {
  entry.only({"kind", "devices", "dtype", "elements", "ops", "fused", "inputs"});
  const std::vector<std::uint64_t> fused =
      entry.has("fused") ? entry.counts("fused") : std::vector<std::uint64_t>{1};
  for (const DType dtype : entry.dtypes("dtype", DType::fp32)) {
    for (const std::uint64_t ops_per_kernel : fused) {
      out.emplace_back(Elementwise{.elements = entry.count("elements", 0),
                                   .ops = entry.count("ops", 1),
                                   .ops_per_kernel = ops_per_kernel,
                                   .inputs = entry.count("inputs", 1),
                                   .dtype = dtype});
    }
  }
}

void add_peak(const Entry& entry, std::vector<Workload>& out) {
  entry.only({"kind", "devices", "dtype"});
  for (const DType dtype : entry.dtypes("dtype", DType::fp32))
    out.emplace_back(PeakProbe{.dtype = dtype});
}

void add_points(const Entry& entry, std::vector<Workload>& out) {
  const std::string kind = entry.text("kind");
  if (kind == "gemm") return add_gemm(entry, out);
  if (kind == "matvec") return add_matvec(entry, out);
  if (kind == "stream") return add_stream(entry, out);
  if (kind == "elementwise") return add_elementwise(entry, out);
  if (kind == "peak") return add_peak(entry, out);
  if (kind == "launch") return add_launch(entry, out);
  if (kind == "transfer") return add_transfer(entry, out);
  entry.fail("has the unknown kind '" + kind +
             "'; known are gemm, matvec, stream, elementwise, peak, launch, transfer");
}

/// What an entry is for; both where it doesn't say.
std::vector<backend::DeviceKind> devices_of(const Entry& entry) {
  using backend::DeviceKind;
  if (!entry.has("devices")) return {DeviceKind::cpu, DeviceKind::gpu};
  std::vector<DeviceKind> out;
  for (const std::string& word : entry.texts("devices")) {
    if (word != "cpu" && word != "gpu")
      entry.fail("has the unknown device '" + word + "'; known are cpu, gpu");
    out.push_back(word == "gpu" ? DeviceKind::gpu : DeviceKind::cpu);
  }
  return out;
}

SamplingPlan parse_plan(const Entry& entry) {
  entry.only({"warm_up_s", "sample_s", "budget_s", "min_samples", "target", "rest_s", "burst_s",
              "settle_s", "settle_most_s", "sustained_s"});
  SamplingPlan plan;
  plan.warm_up = second(entry.number("warm_up_s", in_second(plan.warm_up), 0, 600));
  plan.sample = second(entry.number("sample_s", in_second(plan.sample), 0, 600));
  plan.budget = second(entry.number("budget_s", in_second(plan.budget), 0, 86400));
  plan.min_samples = entry.count("min_samples", plan.min_samples);
  plan.target = entry.number("target", plan.target, 0, 1);
  LoadPlan& load = plan.load;
  load.rest = second(entry.number("rest_s", in_second(load.rest), 0, 600));
  load.burst = second(entry.number("burst_s", in_second(load.burst), 0.01, 600));
  load.settle = second(entry.number("settle_s", in_second(load.settle), 0, 600));
  load.settle_most = second(entry.number("settle_most_s", in_second(load.settle_most), 0, 3600));
  load.sustained = second(entry.number("sustained_s", in_second(load.sustained), 0.01, 3600));
  if (load.settle_most < load.settle)
    entry.fail("has a settle_most_s below its settle_s; settling takes at least settle_s");
  return plan;
}

/// A stream or elementwise chain of 0 elements and a transfer of 0 bytes are sized by the backend;
/// everything else must stand as it is.
void check(const Workload& workload, const Entry& entry) {
  const auto* stream = std::get_if<Stream>(&workload);
  const auto* chain = std::get_if<Elementwise>(&workload);
  Workload sized = workload;
  if (stream != nullptr && stream->elements == 0) std::get<Stream>(sized).elements = 1;
  if (chain != nullptr && chain->elements == 0) std::get<Elementwise>(sized).elements = 1;
  const auto* transfer = std::get_if<Transfer>(&workload);
  if (transfer != nullptr && transfer->bytes == 0) std::get<Transfer>(sized).bytes = 1;
  try {
    (void)account(sized);
  } catch (const InputError& error) {
    entry.fail(std::string("is impossible: ") + error.what());
  }
}

json parse_json(std::string_view text, std::string_view origin) {
  const std::string where = "suite " + std::string(origin);
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(text.size(), error.byte));
    const auto line = 1 + std::count(text.begin(), end, '\n');
    throw InputError(where + " is not valid JSON near line " + std::to_string(line) +
                     "; configs/suites/quick.json shows the form");
  } catch (const json::exception&) {
    throw InputError(where + " holds a number beyond 1.8e308; use a smaller one");
  }
}

}  // namespace

Suite parse_suite(std::string_view text, std::string_view origin) {
  const std::string where = "suite " + std::string(origin);
  const json root = parse_json(text, origin);
  const Entry top(root, where);
  top.only({"schema_version", "name", "description", "source", "sampling", "points"});
  if (top.count("schema_version", 1) != 1)
    top.fail("has a schema_version this program does not know; it reads 1");
  Suite out;
  out.name = top.text("name");
  if (top.has("description")) out.description = top.text("description");
  if (top.has("sampling")) out.plan = parse_plan(Entry(top.at("sampling"), where + " sampling"));
  const json& points = top.at("points");
  if (!points.is_array() || points.empty())
    top.fail("key 'points' must be a list with at least one entry");
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Entry entry(points[i], where + " points[" + std::to_string(i) + "]");
    std::vector<Workload> asked;
    add_points(entry, asked);
    for (const Workload& point : asked) check(point, entry);
    for (const backend::DeviceKind kind : devices_of(entry)) {
      auto& of = kind == backend::DeviceKind::gpu ? out.gpu_points : out.points;
      of.insert(of.end(), asked.begin(), asked.end());
    }
  }
  return out;
}

}  // namespace roofline::measure
