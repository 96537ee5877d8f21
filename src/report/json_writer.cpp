#include "report/json_writer.hpp"

#include "report/diagnosis_json.hpp"
#include "report/json_text.hpp"
#include "report/time_model_report.hpp"
#include "report/unknown.hpp"
#include "report/workload_json.hpp"

namespace roofline::report {
namespace {

using Json = nlohmann::ordered_json;

template <int F, int B, int S>
Json number(Quantity<F, B, S> value) {
  return value.si();
}
Json number(double value) { return value; }

template <class T>
Json maybe(const std::optional<T>& value) {
  return value ? number(*value) : Json(nullptr);
}

template <class Enum>
Json maybe_name(const std::optional<Enum>& value) {
  return value ? Json(name(*value)) : Json(nullptr);
}

Json maybe_text(std::string_view text) { return text.empty() ? Json(nullptr) : Json(text); }

/// `<key>_reason` beside a key that is null, where a reason is known.
void add_reason(Json& out, const std::string& key, std::string_view reason) {
  if (out[key].is_null() && !reason.empty()) out[key + "_reason"] = reason;
}

struct FactToJson {
  Json operator()(const Unknown&) const { return nullptr; }
  template <class T>
  Json operator()(const T& value) const {
    return value;
  }
};

Json by_tensor_json(const Account& account) {
  Json out = Json::object();
  for (const TensorTraffic& entry : account.traffic) {
    std::string key = entry.tensor;
    for (int n = 2; out.contains(key); ++n) key = entry.tensor + " (" + std::to_string(n) + ")";
    out[key] = {{"byte", entry.bytes.value()},
                {"direction", entry.direction == Direction::read ? "read" : "write"}};
  }
  return out;
}

Json traffic_json(const Account& account) {
  const bool known = traffic_is_known(account);
  Json out;
  out["total"] = known ? Json(total_traffic(account).value()) : Json(nullptr);
  add_reason(out, "total", unknown_counts_reason(account));
  out["by_tensor"] = known ? by_tensor_json(account) : Json(nullptr);
  out["moved"] = known ? Json(moved_traffic(account).value()) : Json(nullptr);
  out["boundary"] = name(account.boundary);
  return out;
}

void add_compute_roof(Json& out, const std::optional<ComputeRoof>& roof, std::string_view reason) {
  out["peak_flop_per_s"] = roof ? number(roof->peak) : Json(nullptr);
  add_reason(out, "peak_flop_per_s", reason);
  out["peak_key"] = roof ? Json(name(roof->key)) : Json(nullptr);
  out["peak_sparsity"] = roof ? Json(name(roof->sparsity)) : Json(nullptr);
  out["peak_origin"] = roof ? Json(name(roof->origin)) : Json(nullptr);
  out["peak_source"] = roof ? maybe_text(roof->source) : Json(nullptr);
  out["peak_clock_hz"] = roof ? maybe(roof->clock) : Json(nullptr);
}

void add_memory_roof(Json& out, const std::optional<MemoryRoof>& roof, std::string_view reason) {
  out["bandwidth_byte_per_s"] = roof ? number(roof->bandwidth) : Json(nullptr);
  add_reason(out, "bandwidth_byte_per_s", reason);
  out["bandwidth_boundary"] = roof ? Json(name(roof->boundary)) : Json(nullptr);
  out["bandwidth_origin"] = roof ? Json(name(roof->origin)) : Json(nullptr);
  out["bandwidth_source"] = roof ? maybe_text(roof->source) : Json(nullptr);
  out["bandwidth_placement"] = roof ? maybe_text(roof->placement) : Json(nullptr);
}

void add_placement(Json& out, const Explanation& in) {
  const Placement& at = in.placement;
  out["intensity_flop_per_byte"] = maybe(at.intensity);
  const bool no_bytes = traffic_is_known(in.account) && in.account.traffic.empty();
  add_reason(out, "intensity_flop_per_byte",
             no_bytes ? "no byte crosses the boundary" : unknown_counts_reason(in.account));
  out["ridge_flop_per_byte"] = maybe(at.ridge);
  out["ridge_distance"] = maybe(at.ridge_distance);
  out["bound"] = maybe_name(at.bound);
  out["near_ridge"] = at.ridge_distance ? Json(at.near_ridge) : Json(nullptr);
  out["ceiling_flop_per_s"] = maybe(at.ceiling);
  out["floor_s"] = maybe(at.floor);
  const auto& overhead = in.roofs.overhead;
  out["overhead_s"] = overhead ? number(overhead->time) : Json(nullptr);
  out["overhead_path"] = overhead ? Json(name(overhead->path)) : Json(nullptr);
  out["overhead_origin"] = overhead ? Json(name(overhead->origin)) : Json(nullptr);
  out["overhead_source"] = overhead ? maybe_text(overhead->source) : Json(nullptr);
  out["mfu_ceiling"] = maybe(at.mfu_ceiling);
}

Json causes_json(const std::vector<Cause>& causes) {
  Json out = Json::array();
  for (const Cause& cause : causes) out.push_back({{"id", cause.id}, {"text", cause.text}});
  return out;
}

/// Without an assessment every value is unknown.
void add_assessment(Json& out, const std::optional<Assessment>& assessment) {
  const Assessment found = assessment.value_or(Assessment{});
  const bool judged = is_judged(found);
  out["time_s"] = maybe(found.time);
  out["achieved_flop_per_s"] = maybe(found.achieved);
  out["achieved_byte_per_s"] = maybe(found.achieved_bandwidth);
  out["mfu"] = maybe(found.mfu);
  out["executed_flop_per_s"] = maybe(found.executed);
  out["hfu"] = maybe(found.hfu);
  out["clock_adjusted_peak_flop_per_s"] = maybe(found.clock_adjusted_peak);
  out["clock_adjusted_mfu"] = maybe(found.clock_adjusted_mfu);
  out["of_ceiling"] = maybe(found.of_ceiling);
  out["verdict"] = assessment ? Json(name(found.verdict)) : Json(nullptr);
  out["above_roof"] = judged ? Json(found.above_roof) : Json(nullptr);
  out["impossible"] = judged ? Json(found.impossible) : Json(nullptr);
  out["causes"] = causes_json(found.causes);
}

Json explanation_tree(const Explanation& in) {
  Json out;
  out["device"] = {{"id", maybe_text(in.device_id)}, {"name", maybe_text(in.device_name)}};
  out["kind"] = kind_name(in.workload);
  out["shape"] = shape_label(in.workload);
  out["workload"] = workload_json(in.workload);
  out["dtype"] = name(compute_dtype(in.workload));
  out["accumulate"] = name(accumulate_dtype(in.workload));
  out["work_flop"] = in.account.work ? Json(in.account.work->value()) : Json(nullptr);
  add_reason(out, "work_flop", unknown_counts_reason(in.account));
  out["traffic_byte"] = traffic_json(in.account);
  add_placement(out, in);
  add_compute_roof(out, in.roofs.compute, in.roofs.compute_reason);
  add_memory_roof(out, in.roofs.memory, in.roofs.memory_reason);
  out["rows_to_ridge"] = {
      {"rows", maybe(in.rows.rows)},
      {"first_integer", in.rows.integer ? Json(*in.rows.integer) : Json(nullptr)},
      {"reason", maybe_text(in.rows.reason)}};
  out["lever"] = maybe_text(lever(in));
  out["convention"] = maybe_text(in.account.convention);
  return out;
}

Json prediction_json(const Prediction& in) {
  return {{"side", maybe_name(in.side)},
          {"ridge_flop_per_byte", maybe(in.ridge)},
          {"ridge_origin", maybe_name(in.ridge_origin)},
          {"reason", maybe_text(in.reason)}};
}

Json verification_json(const Verification& in) {
  return {{"state", name(in.state)}, {"detail", maybe_text(in.detail)}};
}

Json events_json(const std::optional<ClockEvents>& events) {
  if (!events) return nullptr;
  Json out = Json::array();
  for (const ClockEvent event : events->list()) out.push_back(name(event));
  return out;
}

void add_telemetry(Json& out, const Telemetry& telemetry) {
  out["reported_clock_hz"] = maybe(telemetry.clock);
  out["power_w"] = maybe(telemetry.power_w);
  out["temperature_c"] = maybe(telemetry.temperature_c);
  out["clock_events"] = events_json(telemetry.events);
}

Json samples_json(const std::vector<Sample>& samples) {
  Json out = Json::array();
  for (const Sample& sample : samples) {
    Json entry = {{"duration_s", number(sample.duration)},        {"iterations", sample.iterations},
                  {"cpu_share", maybe(sample.cpu_share)},         {"clock_hz", maybe(sample.clock)},
                  {"placement", maybe_text(sample.placement)},    {"clean", sample.clean()},
                  {"disturbance", maybe_name(sample.disturbance)}};
    if (sample.telemetry != Telemetry{}) add_telemetry(entry, sample.telemetry);
    if (sample.repetition != 0) entry["repetition"] = sample.repetition;
    out.push_back(std::move(entry));
  }
  return out;
}

Json interval_json(const std::optional<Interval>& in) {
  if (!in) return nullptr;
  return {{"low", in->low}, {"high", in->high}, {"coverage", in->coverage}};
}

void add_outcome(Json& out, const Outcome& outcome) {
  const auto* measured = std::get_if<Measured>(&outcome);
  const Verification* checked = verification(outcome);
  out["outcome"] = outcome_name(outcome);
  out["reason"] = maybe_text(reason(outcome));
  out["verification"] = checked ? verification_json(*checked) : Json(nullptr);
  out["time_median_s"] = measured ? number(measured->time_median) : Json(nullptr);
  out["time_interval_s"] = measured ? interval_json(measured->time_interval) : Json(nullptr);
  out["time_min_s"] = measured ? number(measured->time_min) : Json(nullptr);
  out["noise"] = measured ? number(measured->noise) : Json(nullptr);
  out["clock_hz"] = measured ? maybe(measured->clock) : Json(nullptr);
  add_telemetry(out, measured ? measured->telemetry : Telemetry{});
  out["thread_placement"] = measured ? maybe_text(measured->placement) : Json(nullptr);
  out["end"] = measured ? Json(name(measured->end)) : Json(nullptr);
  out["samples"] = measured ? samples_json(measured->samples) : Json::array();
}

Json point_tree(const Record& record) {
  const bool measured = std::holds_alternative<Measured>(record.outcome);
  Json out;
  out["id"] = record.id;
  out.update(explanation_tree(record));
  add_assessment(out, record.assessment);
  add_rooflines(out, record.rooflines);
  out["hypotheses"] = hypotheses_json(record.hypotheses);
  out["prediction"] = prediction_json(record.prediction);
  out["observed_side"] = maybe_name(record.observed.side);
  out["side_agreement"] = measured ? Json(name(record.observed.agreement)) : Json(nullptr);
  add_outcome(out, record.outcome);
  out["modelled_time_s"] = maybe(record.modelled_time);
  out["defines_roof"] = record.defines_roof;
  out["implementation"] = facts_json(record.implementation);
  return out;
}

Json roof_json(const RoofEntry& entry) {
  Json out;
  out["name"] = entry.name;
  if (const auto* compute = std::get_if<ComputeRoof>(&entry.roof)) {
    out["kind"] = "compute";
    out["peak_flop_per_s"] = number(compute->peak);
    out["peak_key"] = name(compute->key);
    out["peak_sparsity"] = name(compute->sparsity);
    out["origin"] = name(compute->origin);
    out["source"] = maybe_text(compute->source);
    out["clock_hz"] = maybe(compute->clock);
  } else if (const auto* overhead = std::get_if<OverheadRoof>(&entry.roof)) {
    out["kind"] = "overhead";
    out["overhead_s"] = number(overhead->time);
    out["path"] = name(overhead->path);
    out["origin"] = name(overhead->origin);
    out["source"] = maybe_text(overhead->source);
  } else {
    const auto& memory = std::get<MemoryRoof>(entry.roof);
    out["kind"] = "memory";
    out["bandwidth_byte_per_s"] = number(memory.bandwidth);
    out["boundary"] = name(memory.boundary);
    out["origin"] = name(memory.origin);
    out["source"] = maybe_text(memory.source);
    out["placement"] = maybe_text(memory.placement);
  }
  out["point"] = maybe_text(entry.point);
  if (!entry.device.empty()) out["device"] = entry.device;
  return out;
}

Json devices_json(const std::vector<ReportedDevice>& devices) {
  Json out = Json::array();
  for (const ReportedDevice& device : devices) {
    out.push_back({{"id", maybe_text(device.id)},
                   {"name", maybe_text(device.name)},
                   {"facts", facts_json(device.facts)}});
  }
  return out;
}

Json run_json(const RunInfo& run) {
  return {{"id", maybe_text(run.id)},
          {"started", maybe_text(run.started)},
          {"duration_s", number(run.duration)},
          {"command_line", maybe_text(run.command_line)},
          {"suite", maybe_text(run.suite)},
          {"interrupted", run.interrupted},
          {"end", name(run.end)},
          {"resumed_from", maybe_text(run.resumed_from)},
          {"seed", run.seed}};
}

Json merged_json(const std::vector<MergedRun>& runs) {
  Json out = Json::array();
  for (const MergedRun& one : runs) {
    out.push_back({{"file", maybe_text(one.file)},
                   {"tool_version", maybe_text(one.tool_version)},
                   {"devices", one.devices},
                   {"run", run_json(one.run)}});
  }
  return out;
}

Json report_tree(const Report& report) {
  Json out;
  out["schema_version"] = report.schema_version;
  out["tool"] = {{"name", "roofline"}, {"version", maybe_text(report.tool_version)}};
  out["run"] = run_json(report.run);
  if (!report.merged_from.empty()) out["merged_from"] = merged_json(report.merged_from);
  out["device"] = {{"id", maybe_text(report.device_id)}, {"name", maybe_text(report.device_name)}};
  out["environment"] = facts_json(report.environment);
  // Left out where the environment says all that is known of the one device.
  if (!report.devices.empty()) out["devices"] = devices_json(report.devices);
  out["roofs"] = roofs_json(report.roofs);
  out["time_model"] = time_model_json(report.time_model);
  out["findings"] = findings_json(report.findings);
  out["points"] = Json::array();
  for (const Record& record : report.points) out["points"].push_back(point_tree(record));
  return out;
}

Json finite(Json tree) {
  drop_non_finite(tree);
  return tree;
}

}  // namespace

Json facts_json(const Facts& facts) {
  Json out = Json::object();
  Json unknown = Json::object();
  for (const Fact& fact : facts) {
    out[fact.key] = std::visit(FactToJson{}, fact.value);
    const auto* missing = std::get_if<Unknown>(&fact.value);
    if (missing != nullptr && !missing->reason.empty()) unknown[fact.key] = missing->reason;
  }
  out["unknown"] = std::move(unknown);
  return out;
}

Json roofs_json(const std::vector<RoofEntry>& roofs) {
  Json out = Json::array();
  for (const RoofEntry& entry : roofs) out.push_back(roof_json(entry));
  return out;
}

Json explanation_json(const Explanation& explanation) {
  Json out = explanation_tree(explanation);
  if (explanation.assessment) add_assessment(out, explanation.assessment);
  return finite(std::move(out));
}

Json point_json(const Record& record) { return finite(point_tree(record)); }

Json report_json(const Report& report) { return finite(report_tree(report)); }

std::string to_json(const Report& report) { return to_text(report_json(report)); }

std::string explain_json(const Explanation& explanation) {
  return to_text(explanation_json(explanation));
}

std::vector<std::string> non_finite_values(const Report& report) {
  return find_non_finite(report_tree(report));
}

}  // namespace roofline::report
