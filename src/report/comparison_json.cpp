#include "report/comparison_text.hpp"
#include "report/json_writer.hpp"

namespace roofline::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

Json maybe_text(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json times_json(const std::optional<ComparedTimes>& times) {
  if (!times) return nullptr;
  return {{"time_s", times->time_s}, {"runs", times->runs}, {"repetitions", times->repetitions}};
}

Json ratio_json(const std::optional<Ratio>& ratio) {
  if (!ratio) return nullptr;
  return {{"value", ratio->value},
          {"low", ratio->low},
          {"high", ratio->high},
          {"between_runs", ratio->estimated ? "estimated" : "assumed"}};
}

Json point_tree(const ComparedPoint& point) {
  return {{"point", point.record->id},
          {"name", point.name},
          {"device", maybe_text(point.device)},
          {"verdict", name(point.verdict)},
          {"varies_as", name(point.kind)},
          {"base", times_json(point.base)},
          {"new", times_json(point.fresh)},
          {"ratio", ratio_json(point.ratio)},
          {"clock_ratio", point.clock_ratio ? Json(*point.clock_ratio) : Json(nullptr)},
          {"reason", maybe_text(point.reason)}};
}

}  // namespace

std::string render_comparison_json(const Comparison& comparison) {
  Json out;
  out["comparison_schema_version"] = kSchemaVersion;
  out["threshold"] = comparison.threshold;
  out["base_runs"] = comparison.base_runs;
  out["new_runs"] = comparison.fresh_runs;
  out["comparable"] = !comparison.refused();
  out["counts"] = Json::object();
  for (std::size_t i = 0; i < kComparedAsCount; ++i) {
    const auto verdict = static_cast<ComparedAs>(i);
    out["counts"][std::string(name(verdict))] = comparison.count(verdict);
  }
  out["differences"] = Json::array();
  for (const Difference& difference : comparison.differences) {
    out["differences"].push_back({{"what", difference.what},
                                  {"base", difference.base},
                                  {"new", difference.fresh},
                                  {"where", maybe_text(difference.where)},
                                  {"refuses", difference.refuses}});
  }
  out["notes"] = comparison.notes;
  out["points"] = Json::array();
  for (const ComparedPoint& point : comparison.points) out["points"].push_back(point_tree(point));
  return to_text(out);
}

}  // namespace roofline::report
