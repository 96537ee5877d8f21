#include "report/point_json.hpp"

#include <algorithm>

#include "report/diagnosis_json.hpp"
#include "report/facts_json.hpp"
#include "report/unknown.hpp"
#include "report/workload_json.hpp"

namespace roofline::report {
namespace {

void put_events(JsonOut& out, const std::optional<ClockEvents>& events) {
  if (!events) {
    out.put("clock_events", nullptr);
    return;
  }
  out.open_list("clock_events");
  for (const ClockEvent event : events->list()) out.item(name(event));
  out.close();
}

/// Two tensors of one name get keys of their own.
void put_by_tensor(JsonOut& out, const Account& account) {
  out.open_object("by_tensor");
  std::vector<std::string> keys;
  for (const TensorTraffic& entry : account.traffic) {
    std::string key = entry.tensor;
    for (int n = 2; std::find(keys.begin(), keys.end(), key) != keys.end(); ++n)
      key = entry.tensor + " (" + std::to_string(n) + ")";
    out.open_object(key);
    out.put("byte", entry.bytes);
    out.put("direction", entry.direction == Direction::read ? "read" : "write");
    out.close();
    keys.push_back(std::move(key));
  }
  out.close();
}

void put_traffic(JsonOut& out, const Account& account) {
  const bool known = traffic_is_known(account);
  std::optional<Count> total;
  std::optional<Count> moved;
  if (known) total = total_traffic(account);
  if (known) moved = moved_traffic(account);
  out.open_object("traffic_byte");
  out.put_or_reason("total", total, unknown_counts_reason(account));
  if (known) {
    put_by_tensor(out, account);
  } else {
    out.put("by_tensor", nullptr);
  }
  out.put("moved", moved);
  out.put("boundary", name(account.boundary));
  out.close();
}

/// A member of what may not be there.
template <class T, class Member>
std::optional<Member> member(const std::optional<T>& of, Member T::*which) {
  if (!of) return std::nullopt;
  return (*of).*which;
}
template <class T>
std::string_view text_of(const std::optional<T>& of, Text T::*which) {
  return of ? std::string_view((*of).*which) : std::string_view{};
}

void put_compute_roof(JsonOut& out, const std::optional<ComputeRoof>& roof,
                      std::string_view reason) {
  out.put_or_reason("peak_flop_per_s", member(roof, &ComputeRoof::peak), reason);
  out.put_name("peak_key", member(roof, &ComputeRoof::key));
  out.put_name("peak_sparsity", member(roof, &ComputeRoof::sparsity));
  out.put_name("peak_origin", member(roof, &ComputeRoof::origin));
  out.put_text("peak_source", text_of(roof, &ComputeRoof::source));
  out.put("peak_clock_hz", roof ? roof->clock : std::nullopt);
}

void put_memory_roof(JsonOut& out, const std::optional<MemoryRoof>& roof, std::string_view reason) {
  out.put_or_reason("bandwidth_byte_per_s", member(roof, &MemoryRoof::bandwidth), reason);
  out.put_name("bandwidth_boundary", member(roof, &MemoryRoof::boundary));
  out.put_name("bandwidth_origin", member(roof, &MemoryRoof::origin));
  out.put_text("bandwidth_source", text_of(roof, &MemoryRoof::source));
  out.put_text("bandwidth_placement", text_of(roof, &MemoryRoof::placement));
}

void put_placement(JsonOut& out, const Explanation& in) {
  const Placement& at = in.placement;
  const bool no_bytes = traffic_is_known(in.account) && in.account.traffic.empty();
  out.put_or_reason("intensity_flop_per_byte", at.intensity,
                    no_bytes ? "no byte crosses the boundary" : unknown_counts_reason(in.account));
  out.put("ridge_flop_per_byte", at.ridge);
  out.put("ridge_distance", at.ridge_distance);
  out.put_name("bound", at.bound);
  out.put("near_ridge", at.ridge_distance ? std::optional(at.near_ridge) : std::nullopt);
  out.put("ceiling_flop_per_s", at.ceiling);
  out.put("floor_s", at.floor);
  const auto& overhead = in.roofs.overhead;
  out.put_or_reason("overhead_s", member(overhead, &OverheadRoof::time), in.roofs.overhead_reason);
  out.put_name("overhead_path", member(overhead, &OverheadRoof::path));
  out.put_name("overhead_origin", member(overhead, &OverheadRoof::origin));
  out.put_text("overhead_source", text_of(overhead, &OverheadRoof::source));
  out.put("mfu_ceiling", at.mfu_ceiling);
}

void put_prediction(JsonOut& out, const Prediction& in) {
  out.open_object("prediction");
  out.put_name("side", in.side);
  out.put("ridge_flop_per_byte", in.ridge);
  out.put_name("ridge_origin", in.ridge_origin);
  out.put_text("reason", in.reason);
  out.close();
}

void put_telemetry(JsonOut& out, const Telemetry& telemetry) {
  out.put("reported_clock_hz", telemetry.clock);
  out.put("power_w", telemetry.power_w);
  out.put("temperature_c", telemetry.temperature_c);
  put_events(out, telemetry.events);
}

void put_samples(JsonOut& out, const std::vector<Sample>& samples) {
  out.open_list("samples");
  for (const Sample& sample : samples) {
    out.open_object();
    out.put("duration_s", sample.duration);
    out.put("iterations", sample.iterations);
    out.put("cpu_share", sample.cpu_share);
    out.put("clock_hz", sample.clock);
    out.put_text("placement", sample.placement);
    out.put("clean", sample.clean());
    out.put_name("disturbance", sample.disturbance);
    if (sample.telemetry != Telemetry{}) put_telemetry(out, sample.telemetry);
    if (sample.repetition != 0) out.put("repetition", sample.repetition);
    out.close();
  }
  out.close();
}

void put_interval(JsonOut& out, const std::optional<Interval>& in) {
  if (!in) {
    out.put("time_interval_s", nullptr);
    return;
  }
  out.open_object("time_interval_s");
  out.put("low", in->low);
  out.put("high", in->high);
  out.put("coverage", in->coverage);
  out.close();
}

void put_verification(JsonOut& out, const Verification* checked) {
  if (checked == nullptr) {
    out.put("verification", nullptr);
    return;
  }
  out.open_object("verification");
  out.put("state", name(checked->state));
  out.put_text("detail", checked->detail);
  out.close();
}

void put_outcome(JsonOut& out, const Outcome& outcome) {
  out.put("outcome", outcome_name(outcome));
  out.put_text("reason", reason(outcome));
  put_verification(out, verification(outcome));
  static const Measured nothing;
  const auto* found = std::get_if<Measured>(&outcome);
  const Measured& measured = found != nullptr ? *found : nothing;
  const auto known = [&](auto value) {
    return found != nullptr ? std::optional(value) : std::nullopt;
  };
  out.put("time_median_s", known(measured.time_median));
  put_interval(out, measured.time_interval);
  out.put("time_min_s", known(measured.time_min));
  out.put("noise", known(measured.noise));
  out.put("clock_hz", measured.clock);
  put_telemetry(out, measured.telemetry);
  out.put_text("thread_placement", measured.placement);
  out.put_name("end", known(measured.end));
  put_samples(out, measured.samples);
}

}  // namespace

void put_device(JsonOut& out, std::string_view id, std::string_view called) {
  out.open_object("device");
  out.put_text("id", id);
  out.put_text("name", called);
  out.close();
}

void put_explanation(JsonOut& out, const Explanation& in) {
  put_device(out, in.device_id, in.device_name);
  out.put("kind", kind_name(in.workload));
  out.put("shape", shape_label(in.workload));
  put_workload(out, in.workload);
  out.put("dtype", name(compute_dtype(in.workload)));
  out.put("accumulate", name(accumulate_dtype(in.workload)));
  out.put_or_reason("work_flop", in.account.work, unknown_counts_reason(in.account));
  put_traffic(out, in.account);
  put_placement(out, in);
  put_compute_roof(out, in.roofs.compute, in.roofs.compute_reason);
  put_memory_roof(out, in.roofs.memory, in.roofs.memory_reason);
  out.open_object("rows_to_ridge");
  out.put("rows", in.rows.rows);
  out.put("first_integer", in.rows.integer);
  out.put_text("reason", in.rows.reason);
  out.close();
  out.put_text("lever", lever(in));
  out.put_text("convention", in.account.convention);
}

void put_assessment(JsonOut& out, const std::optional<Assessment>& assessment) {
  static const Assessment nothing;
  const Assessment& found = assessment ? *assessment : nothing;
  const bool judged = is_judged(found);
  out.put("time_s", found.time);
  out.put("achieved_flop_per_s", found.achieved);
  out.put("achieved_byte_per_s", found.achieved_bandwidth);
  out.put("mfu", found.mfu);
  out.put("executed_flop_per_s", found.executed);
  out.put("hfu", found.hfu);
  out.put("clock_adjusted_peak_flop_per_s", found.clock_adjusted_peak);
  out.put("clock_adjusted_mfu", found.clock_adjusted_mfu);
  out.put("of_ceiling", found.of_ceiling);
  out.put_name("verdict", member(assessment, &Assessment::verdict));
  out.put("above_roof", judged ? std::optional(found.above_roof) : std::nullopt);
  out.put("impossible", judged ? std::optional(found.impossible) : std::nullopt);
  out.open_list("causes");
  for (const Cause& cause : found.causes) {
    out.open_object();
    out.put("id", cause.id);
    out.put("text", cause.text);
    out.close();
  }
  out.close();
}

void put_point(JsonOut& out, const Record& record) {
  const bool measured = std::holds_alternative<Measured>(record.outcome);
  out.open_object();
  out.put("id", record.id);
  put_explanation(out, record);
  put_assessment(out, record.assessment);
  put_rooflines(out, record.rooflines);
  put_hypotheses(out, record.hypotheses);
  put_prediction(out, record.prediction);
  out.put_name("observed_side", record.observed.side);
  out.put_name("side_agreement",
               measured ? std::optional(record.observed.agreement) : std::nullopt);
  put_outcome(out, record.outcome);
  out.put("modelled_time_s", record.modelled_time);
  out.put("defines_roof", record.defines_roof);
  out.open_object("implementation");
  put_facts(out, record.implementation);
  out.close();
  out.close();
}

}  // namespace roofline::report
