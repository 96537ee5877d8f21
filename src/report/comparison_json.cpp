#include "report/comparison_text.hpp"
#include "report/json_out.hpp"
#include "report/record_lines.hpp"

namespace roofline::report {
namespace {

constexpr int kSchemaVersion = 1;

void put_times(JsonOut& out, std::string_view key, const std::optional<ComparedTimes>& times) {
  if (!times) {
    out.put(key, nullptr);
    return;
  }
  out.open_object(key);
  out.put("time_s", times->time_s);
  out.put("runs", times->runs);
  out.put("repetitions", times->repetitions);
  out.close();
}

void put_ratio(JsonOut& out, const std::optional<Ratio>& ratio) {
  if (!ratio) {
    out.put("ratio", nullptr);
    return;
  }
  out.open_object("ratio");
  out.put("value", ratio->value);
  out.put("low", ratio->low);
  out.put("high", ratio->high);
  out.put("between_runs", ratio->estimated ? "estimated" : "assumed");
  out.close();
}

void put_point(JsonOut& out, const ComparedPoint& point) {
  out.open_object();
  out.put("point", point.id);
  out.put("name", point.name);
  out.put_text("device", point.device);
  out.put("verdict", name(point.verdict));
  out.put("varies_as", name(point.kind));
  put_times(out, "base", point.base);
  put_times(out, "new", point.fresh);
  put_ratio(out, point.ratio);
  out.put("clock_ratio", point.clock_ratio);
  out.put("broken", point.broken);
  out.put_text("reason", point.reason);
  out.close();
}

void put_differences(JsonOut& out, const std::vector<Difference>& differences) {
  out.open_list("differences");
  for (const Difference& difference : differences) {
    out.open_object();
    out.put("what", difference.what);
    out.put("base", difference.base);
    out.put("new", difference.fresh);
    out.put_text("where", difference.where);
    out.put("refuses", difference.refuses);
    out.close();
  }
  out.close();
}

}  // namespace

void write_comparison_json(const Comparison& comparison, const TextSink& to) {
  JsonOut out;
  out.open_object();
  out.put("comparison_schema_version", kSchemaVersion);
  out.put("threshold", comparison.threshold);
  out.put("base_runs", comparison.base_runs);
  out.put("new_runs", comparison.fresh_runs);
  out.put("comparable", !comparison.refused());
  out.open_object("counts");
  for (std::size_t i = 0; i < kComparedAsCount; ++i) {
    const auto verdict = static_cast<ComparedAs>(i);
    out.put(name(verdict), comparison.count(verdict));
  }
  out.put("broken", comparison.count_broken());
  out.close();
  put_differences(out, comparison.differences);
  out.open_list("notes");
  for (const std::string& note : comparison.notes) out.item(note);
  out.close();
  out.close();
  to(opened_list(out, "points"));
  write_texts(comparison.points.size(), to, [&](std::size_t index, std::string& text) {
    thread_local JsonOut point;
    point.clear();
    put_point(point, comparison.points[index]);
    append_part(text, point, index == 0);
  });
  to(end_of_list(comparison.points.empty()));
}

std::string render_comparison_json(const Comparison& comparison) {
  std::string out;
  write_comparison_json(comparison, [&](std::string_view text) { out += text; });
  return out;
}

}  // namespace roofline::report
