#include "report/json_writer.hpp"

#include <nlohmann/json.hpp>

#include "report/diagnosis_json.hpp"
#include "report/facts_json.hpp"
#include "report/json_out.hpp"
#include "report/point_json.hpp"
#include "report/time_model_report.hpp"

namespace roofline::report {
namespace {

using Json = nlohmann::ordered_json;

void put_roof(JsonOut& out, const RoofEntry& entry) {
  out.open_object();
  out.put("name", entry.name);
  if (const auto* compute = std::get_if<ComputeRoof>(&entry.roof)) {
    out.put("kind", "compute");
    out.put("peak_flop_per_s", compute->peak);
    out.put("peak_key", name(compute->key));
    out.put("peak_sparsity", name(compute->sparsity));
    out.put("origin", name(compute->origin));
    out.put_text("source", compute->source);
    out.put("clock_hz", compute->clock);
  } else if (const auto* overhead = std::get_if<OverheadRoof>(&entry.roof)) {
    out.put("kind", "overhead");
    out.put("overhead_s", overhead->time);
    out.put("path", name(overhead->path));
    out.put("origin", name(overhead->origin));
    out.put_text("source", overhead->source);
  } else {
    const auto& memory = std::get<MemoryRoof>(entry.roof);
    out.put("kind", "memory");
    out.put("bandwidth_byte_per_s", memory.bandwidth);
    out.put("boundary", name(memory.boundary));
    out.put("origin", name(memory.origin));
    out.put_text("source", memory.source);
    out.put_text("placement", memory.placement);
  }
  out.put_text("point", entry.point);
  if (!entry.device.empty()) out.put("device", entry.device);
  out.close();
}

void put_devices(JsonOut& out, const std::vector<ReportedDevice>& devices) {
  out.open_list("devices");
  for (const ReportedDevice& device : devices) {
    out.open_object();
    out.put_text("id", device.id);
    out.put_text("name", device.name);
    out.open_object("facts");
    put_facts(out, device.facts);
    out.close();
    out.close();
  }
  out.close();
}

void put_run(JsonOut& out, const RunInfo& run) {
  out.open_object("run");
  out.put_text("id", run.id);
  out.put_text("started", run.started);
  out.put("duration_s", run.duration);
  out.put_text("command_line", run.command_line);
  out.put_text("suite", run.suite);
  out.put("interrupted", run.interrupted);
  out.put("end", name(run.end));
  out.put_text("resumed_from", run.resumed_from);
  out.put("seed", run.seed);
  out.close();
}

void put_merged(JsonOut& out, const std::vector<MergedRun>& runs) {
  out.open_list("merged_from");
  for (const MergedRun& one : runs) {
    out.open_object();
    out.put_text("file", one.file);
    out.put_text("tool_version", one.tool_version);
    out.open_list("devices");
    for (const std::string& device : one.devices) out.item(device);
    out.close();
    put_run(out, one.run);
    out.close();
  }
  out.close();
}

/// All of a report but its points.
void put_head(JsonOut& out, const Report& report) {
  out.put("schema_version", report.schema_version);
  out.open_object("tool");
  out.put("name", "roofline");
  out.put_text("version", report.tool_version);
  out.close();
  put_run(out, report.run);
  if (!report.merged_from.empty()) put_merged(out, report.merged_from);
  put_device(out, report.device_id, report.device_name);
  out.open_object("environment");
  put_facts(out, report.environment);
  out.close();
  // Left out where the environment says all that is known of the one device.
  if (!report.devices.empty()) put_devices(out, report.devices);
  out.open_list("roofs");
  for (const RoofEntry& entry : report.roofs) put_roof(out, entry);
  out.close();
  put_time_model(out, report.time_model);
  put_findings(out, report.findings);
}

Json tree_of(const JsonOut& out) {
  std::string text;
  out.append_line(text);
  return Json::parse(text);
}

/// The whole explanation, or point where it is one.
JsonOut written(const Explanation& explanation) {
  JsonOut out;
  out.open_object();
  put_explanation(out, explanation);
  if (explanation.assessment) put_assessment(out, explanation.assessment);
  out.close();
  return out;
}

JsonOut written(const Record& record) {
  JsonOut out;
  put_point(out, record);
  return out;
}

JsonOut written(const Report& report) {
  JsonOut out;
  out.open_object();
  put_head(out, report);
  out.open_list("points");
  for (const Record& record : report.points) put_point(out, record);
  out.close();
  out.close();
  return out;
}

}  // namespace

Json facts_json(const Facts& facts) {
  JsonOut out;
  out.open_object();
  put_facts(out, facts);
  out.close();
  return tree_of(out);
}

Json roofs_json(const std::vector<RoofEntry>& roofs) {
  JsonOut out;
  out.open_list();
  for (const RoofEntry& entry : roofs) put_roof(out, entry);
  out.close();
  return tree_of(out);
}

Json explanation_json(const Explanation& explanation) { return tree_of(written(explanation)); }

Json point_json(const Record& record) { return tree_of(written(record)); }

Json report_json(const Report& report) { return tree_of(written(report)); }

std::string point_line(const Record& record) {
  std::string out;
  written(record).append_line(out);
  return out;
}

std::string report_line(const Report& report) {
  std::string out;
  written(report).append_line(out);
  return out;
}

void write_json(const Report& report, const TextSink& out) {
  JsonOut head;
  head.open_object();
  put_head(head, report);
  head.close();
  out(opened_list(head, "points"));
  const Record* const first = report.points.data();
  write_records(report.points, out, [&](const Record& record, std::string& to) {
    thread_local JsonOut point;
    point.clear();
    put_point(point, record);
    append_part(to, point, &record == first);
  });
  out(end_of_list(report.points.empty()));
}

std::string to_json(const Report& report) {
  std::string out;
  write_json(report, [&](std::string_view text) { out += text; });
  return out;
}

std::string explain_json(const Explanation& explanation) {
  std::string out;
  written(explanation).append_text(out);
  return out += '\n';
}

std::vector<std::string> non_finite_values(const Report& report) {
  return written(report).non_finite();
}

}  // namespace roofline::report
