#include "report/json_reader.hpp"

#include "report/diagnosis_json.hpp"
#include "report/facts_json.hpp"
#include "report/json_points.hpp"
#include "report/time_model_report.hpp"
#include "report/vocabulary.hpp"
#include "report/workload_json.hpp"
#include "roofline/error.hpp"

namespace roofline::report {
namespace {

Seconds read_duration(const Node& node) {
  const double value = node.number();
  if (value < 0) node.fail("must not be negative");
  return second(value);
}

Facts read_facts(const Node& parent, std::string_view key) {
  const auto node = parent.find(key);
  return node ? read_facts(*node) : Facts{};
}

void read_traffic(const Node& node, Account& out) {
  const auto boundary = node.maybe_one_of("boundary", boundaries());
  out.boundary = boundary.value_or(Boundary::dram);
  const auto total = node.find("total");
  const auto by_tensor = node.find("by_tensor");
  if (!total || !by_tensor) return;
  Count sum;
  out.traffic.reserve(by_tensor->members().size());
  for (const auto& [tensor, entry] : by_tensor->members()) {
    const std::string_view direction = entry.at("direction").view();
    if (direction != "read" && direction != "write") {
      entry.at("direction").fail_with(direction, "not read or write");
    }
    const Count bytes{entry.at("byte").count()};
    try {
      sum += bytes;
    } catch (const InputError&) {
      entry.fail("makes a sum beyond 64 bits");
    }
    out.traffic.push_back(
        {entry.shared(tensor), direction == "read" ? Direction::read : Direction::write, bytes});
  }
  if (sum != Count{total->count()}) total->fail("is not the sum of by_tensor");
  const auto moved = node.find("moved");
  if (!moved) return;
  if (moved->count() < sum.value()) moved->fail("is less than total");
  out.write_allocate = Count{moved->count() - sum.value()};
}

Account read_account(const Node& point, const Workload& workload) {
  Account out;
  if (const auto work = point.maybe_count("work_flop")) out.work = Count{*work};
  read_traffic(point.at("traffic_byte"), out);
  if (const auto* kernel = std::get_if<Kernel>(&workload)) out.stated_intensity = kernel->intensity;
  return out;
}

ComputeRoof read_compute_roof(const Node& peak, const Node& in, std::string_view origin,
                              std::string_view source, std::string_view clock) {
  ComputeRoof out;
  out.peak = flop_per_s(peak.positive());
  out.key = in.at("peak_key").one_of(peak_keys());
  out.sparsity = in.at("peak_sparsity").one_of(kSparsities);
  out.origin = in.at(origin).one_of(kOrigins);
  out.source = in.shared_or_empty(source);
  out.clock = in.maybe<Frequency>(clock);
  return out;
}

MemoryRoof read_memory_roof(const Node& bandwidth, const Node& in, std::string_view boundary,
                            std::string_view origin, std::string_view source,
                            std::string_view placement) {
  MemoryRoof out;
  out.bandwidth = byte_per_s(bandwidth.positive());
  out.boundary = in.at(boundary).one_of(boundaries());
  out.origin = in.at(origin).one_of(kOrigins);
  out.source = in.shared_or_empty(source);
  out.placement = in.shared_or_empty(placement);
  return out;
}

OverheadRoof read_overhead(const Node& time, const Node& in, std::string_view path,
                           std::string_view origin, std::string_view source) {
  OverheadRoof out;
  out.time = read_duration(time);
  out.path = in.maybe_one_of(path, launch_paths()).value_or(LaunchPath::kernel);
  out.origin = in.maybe_one_of(origin, kOrigins).value_or(Origin::user);
  out.source = in.shared_or_empty(source);
  return out;
}

void read_placement_and_roofs(const Node& point, Placement& placement, Roofs& roofs) {
  placement.intensity = point.maybe<Intensity>("intensity_flop_per_byte");
  placement.ridge = point.maybe<Intensity>("ridge_flop_per_byte");
  placement.ridge_distance = point.maybe_number("ridge_distance");
  placement.bound = point.maybe_one_of("bound", kBounds);
  placement.near_ridge = point.flag_or("near_ridge", false);
  placement.ceiling = point.maybe<Performance>("ceiling_flop_per_s");
  placement.floor = point.maybe<Seconds>("floor_s");
  if (const auto time = point.find("overhead_s")) {
    roofs.overhead =
        read_overhead(*time, point, "overhead_path", "overhead_origin", "overhead_source");
  }
  roofs.overhead_reason = point.shared_or_empty("overhead_s_reason");
  placement.mfu_ceiling = point.maybe_number("mfu_ceiling");
  if (const auto peak = point.find("peak_flop_per_s")) {
    roofs.compute = read_compute_roof(*peak, point, "peak_origin", "peak_source", "peak_clock_hz");
  }
  roofs.compute_reason = point.shared_or_empty("peak_flop_per_s_reason");
  if (const auto bandwidth = point.find("bandwidth_byte_per_s")) {
    roofs.memory = read_memory_roof(*bandwidth, point, "bandwidth_boundary", "bandwidth_origin",
                                    "bandwidth_source", "bandwidth_placement");
  }
  roofs.memory_reason = point.shared_or_empty("bandwidth_byte_per_s_reason");
}

RowsToRidge read_rows(const Node& point) {
  const auto node = point.find("rows_to_ridge");
  if (!node) return {};
  return {node->maybe_number("rows"), node->maybe_count("first_integer"),
          node->shared_or_empty("reason")};
}

std::optional<Assessment> read_assessment(const Node& point) {
  Assessment out;
  out.time = point.maybe<Seconds>("time_s");
  out.achieved = point.maybe<Performance>("achieved_flop_per_s");
  out.achieved_bandwidth = point.maybe<Bandwidth>("achieved_byte_per_s");
  out.mfu = point.maybe_number("mfu");
  out.executed = point.maybe<Performance>("executed_flop_per_s");
  out.hfu = point.maybe_number("hfu");
  out.clock_adjusted_peak = point.maybe<Performance>("clock_adjusted_peak_flop_per_s");
  out.clock_adjusted_mfu = point.maybe_number("clock_adjusted_mfu");
  out.of_ceiling = point.maybe_number("of_ceiling");
  const auto verdict = point.maybe_one_of("verdict", kVerdicts);
  if (!verdict) return std::nullopt;
  out.verdict = *verdict;
  out.above_roof = point.flag_or("above_roof", false);
  out.impossible = point.flag_or("impossible", false);
  if (const auto causes = point.find("causes")) {
    for (const Node& cause : causes->elements()) {
      out.causes.push_back({cause.at("id").shared_text(), cause.at("text").shared_text()});
    }
  }
  return out;
}

Prediction read_prediction(const Node& point) {
  const auto node = point.find("prediction");
  if (!node) return {};
  Prediction out;
  out.side = node->maybe_one_of("side", kBounds);
  out.ridge = node->maybe<Intensity>("ridge_flop_per_byte");
  out.ridge_origin = node->maybe_one_of("ridge_origin", kOrigins);
  out.reason = node->shared_or_empty("reason");
  return out;
}

Verification read_verification(const Node& point) {
  const Node node = point.at("verification");
  return {node.at("state").one_of(kStates), node.shared_or_empty("detail")};
}

Telemetry read_telemetry(const Node& node) {
  Telemetry out;
  out.clock = node.maybe<Frequency>("reported_clock_hz");
  out.power_w = node.maybe_number("power_w");
  out.temperature_c = node.maybe_number("temperature_c");
  const auto events = node.find("clock_events");
  if (!events) return out;
  out.events = ClockEvents{};
  for (const Node& event : events->elements()) out.events->add(event.one_of(clock_events()));
  return out;
}

Sample read_sample(const Node& node) {
  Sample out;
  out.duration = read_duration(node.at("duration_s"));
  out.iterations = node.at("iterations").count();
  out.cpu_share = node.maybe_number("cpu_share");
  out.clock = node.maybe<Frequency>("clock_hz");
  out.placement = node.shared_or_empty("placement");
  const bool clean = node.flag_or("clean", true);
  out.disturbance = node.maybe_one_of("disturbance", kDisturbances);
  // Reports from before the cause was told apart knew only that something disturbed it.
  if (!clean && !out.disturbance) out.disturbance = Disturbance::contended;
  out.telemetry = read_telemetry(node);
  out.repetition = node.maybe_count("repetition").value_or(0);
  return out;
}

Measured read_measured(const Node& point, Reading keep) {
  Measured out;
  out.verification = read_verification(point);
  out.time_median = read_duration(point.at("time_median_s"));
  if (const auto interval = point.find("time_interval_s")) {
    out.time_interval = {interval->at("low").number(), interval->at("high").number(),
                         interval->at("coverage").number()};
  }
  out.time_min = read_duration(point.at("time_min_s"));
  out.noise = point.at("noise").number();
  out.clock = point.maybe<Frequency>("clock_hz");
  out.telemetry = read_telemetry(point);
  out.placement = point.shared_or_empty("thread_placement");
  out.end = point.at("end").one_of(kEnds);
  const auto samples = point.find("samples");
  if (!samples) return out;
  if (keep == Reading::all) out.samples.reserve(samples->elements().size());
  for (const Node& node : samples->elements()) {
    Sample sample = read_sample(node);
    if (keep == Reading::all) out.samples.push_back(std::move(sample));
  }
  return out;
}

Outcome read_outcome(const Node& point, Reading keep) {
  const Node node = point.at("outcome");
  const std::string_view text = node.view();
  if (text == "measured") return read_measured(point, keep);
  if (text == "skipped") return Skipped{point.shared_or_empty("reason")};
  if (text == "failed") return Failed{point.shared_or_empty("reason")};
  if (text == "incorrect") return Incorrect{read_verification(point)};
  node.fail_with(text, "not one of measured, skipped, failed, incorrect");
}

/// Other programs take the type from beside the workload; two that differ are no type.
void require_its_dtype(const Node& point, const Workload& workload) {
  const auto dtype = point.find("dtype");
  if (!dtype) return;
  const std::string_view own = name(compute_dtype(workload));
  if (dtype->view() != own)
    dtype->fail_with(dtype->view(), "and its workload computes in " + std::string(own));
}

/// In the order in which point_json() writes: a key is found at once behind the last one.
Record read_point(const Node& point, Reading keep) {
  Record out;
  out.id = point.at("id").text();
  const Node device = point.at("device");
  out.device_id = device.text_or_empty("id");
  out.device_name = device.text_or_empty("name");
  const Node kind = point.at("kind");
  out.workload = read_workload(kind, point.at("workload"));
  require_its_dtype(point, out.workload);
  out.account = read_account(point, out.workload);
  read_placement_and_roofs(point, out.placement, out.roofs);
  out.rows = read_rows(point);
  out.account.convention = point.shared_or_empty("convention");
  out.assessment = read_assessment(point);
  out.rooflines = read_rooflines(point);
  out.hypotheses = read_hypotheses(point);
  out.prediction = read_prediction(point);
  out.observed.side = point.maybe_one_of("observed_side", kBounds);
  out.observed.agreement =
      point.maybe_one_of("side_agreement", kAgreements).value_or(Agreement::undecided);
  out.outcome = read_outcome(point, keep);
  out.modelled_time = point.maybe<Seconds>("modelled_time_s");
  out.defines_roof = point.flag_or("defines_roof", false);
  out.implementation = read_facts(point, "implementation");
  return out;
}

RoofEntry read_roof(const Node& node) {
  RoofEntry out;
  out.name = node.at("name").text();
  const std::string kind = node.at("kind").text();
  if (kind == "compute") {
    out.roof = read_compute_roof(node.at("peak_flop_per_s"), node, "origin", "source", "clock_hz");
  } else if (kind == "memory") {
    out.roof = read_memory_roof(node.at("bandwidth_byte_per_s"), node, "boundary", "origin",
                                "source", "placement");
  } else if (kind == "overhead") {
    out.roof = read_overhead(node.at("overhead_s"), node, "path", "origin", "source");
  } else {
    node.at("kind").fail_with(kind, "not compute, memory or overhead");
  }
  out.point = node.text_or_empty("point");
  out.device = node.text_or_empty("device");
  return out;
}

std::vector<ReportedDevice> read_devices(const Node& root) {
  std::vector<ReportedDevice> out;
  const auto list = root.find("devices");
  if (!list) return out;
  for (const Node& node : list->elements()) {
    out.push_back(
        {node.text_or_empty("id"), node.text_or_empty("name"), read_facts(node, "facts")});
  }
  return out;
}

RunInfo read_run(const Node& node) {
  RunInfo out;
  out.id = node.text_or_empty("id");
  out.started = node.text_or_empty("started");
  out.duration = read_duration(node.at("duration_s"));
  out.command_line = node.text_or_empty("command_line");
  out.suite = node.text_or_empty("suite");
  out.interrupted = node.flag_or("interrupted", false);
  constexpr RunEnd kRunEnds[] = {RunEnd::completed, RunEnd::budget_spent, RunEnd::interrupted,
                                 RunEnd::hung};
  out.end = node.maybe_one_of("end", kRunEnds)
                .value_or(out.interrupted ? RunEnd::interrupted : RunEnd::completed);
  out.resumed_from = node.text_or_empty("resumed_from");
  out.seed = node.maybe_count("seed").value_or(0);
  return out;
}

std::vector<MergedRun> read_merged(const Node& root) {
  std::vector<MergedRun> out;
  const auto list = root.find("merged_from");
  if (!list) return out;
  for (const Node& node : list->elements()) {
    MergedRun one{node.text_or_empty("file"),
                  node.text_or_empty("tool_version"),
                  read_run(node.at("run")),
                  {}};
    for (const Node& device : node.at("devices").elements()) one.devices.push_back(device.text());
    out.push_back(std::move(one));
  }
  return out;
}

int read_schema_version(const Node& root) {
  const Node node = root.at("schema_version");
  const std::uint64_t version = node.count();
  constexpr std::uint64_t kNewest = Report::kSchemaVersion;
  if (version == 0) node.fail("is 0; the first schema version is 1");
  if (version > kNewest) {
    node.fail("is " + std::to_string(version) + ", but this roofline reads up to " +
              std::to_string(kNewest) + "; use the newer roofline that wrote it");
  }
  return static_cast<int>(version);
}

void read_head(const Node& root, Report& out) {
  out.schema_version = read_schema_version(root);
  const auto tool = root.find("tool");
  if (tool) out.tool_version = tool->text_or_empty("version");
  out.run = read_run(root.at("run"));
  out.merged_from = read_merged(root);
  const Node device = root.at("device");
  out.device_id = device.text_or_empty("id");
  out.device_name = device.text_or_empty("name");
  out.environment = read_facts(root, "environment");
  out.devices = read_devices(root);
  if (const auto roofs = root.find("roofs")) {
    for (const Node& node : roofs->elements()) out.roofs.push_back(read_roof(node));
  }
  out.time_model = read_time_model(root);
  out.findings = read_findings(root);
}

}  // namespace

Record read_record(std::string_view text, std::string_view name) {
  JsonTree tree;
  parse_json(text, name, tree);
  return read_point(Node(tree, TreeName{name}), Reading::all);
}

Report read_report(std::string_view text, std::string_view name, PointTaker& points,
                   const ReadOptions& options) {
  Report out;
  const TreeName called{name};
  JsonTree head;
  const Reading keep = options.keep;
  const PointsOptions how{.file = name,
                          .read = [keep](const Node& point) { return read_point(point, keep); },
                          .passed = options.passed,
                          .threads = options.threads,
                          .chunk = options.chunk};
  PointsVisitor visitor(how, points);
  std::size_t at = 0;
  if (head.parse(text, at, "points", visitor) && at == text.size()) {
    read_head(Node(head, called), out);
    (void)Node(head, called).at("points").elements();
    if (visitor.complaint()) std::rethrow_exception(visitor.complaint());
    return out;
  }
  check_json(text, name);
  // JSON, but of a kind that nobody writes: nothing of it is hurried.
  parse_json(text, name, head);
  const Node root(head, called);
  read_head(root, out);
  points.clear();
  for (const Node& node : root.at("points").elements()) points.take(read_point(node, keep), node);
  return out;
}

Report read_report(std::string_view text, std::string_view name, const ReadOptions& options) {
  PointList<WholePoint> points;
  Report out = read_report(text, name, points, options);
  out.points = points.take_all();
  return out;
}

}  // namespace roofline::report
