#include "report/diagnosis_json.hpp"

namespace roofline::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr Origin kOrigins[] = {Origin::datasheet, Origin::derived, Origin::clock_adjusted,
                               Origin::measured, Origin::user};

/// Null with `<key>_reason` beside it where there is none and a reason is known.
void add(Json& out, const std::string& key, std::optional<double> value,
         const std::string& reason) {
  out[key] = value ? Json(*value) : Json(nullptr);
  if (!value && !reason.empty()) out[key + "_reason"] = reason;
}

void add_curve(Json& out, const std::string& which, const Roofline& curve) {
  const auto& peak = curve.peak;
  out[which + "_peak_flop_per_s"] = peak ? Json(in_flop_per_s(peak->peak)) : Json(nullptr);
  out[which + "_peak_key"] = peak ? Json(name(peak->key)) : Json(nullptr);
  out[which + "_peak_origin"] = peak ? Json(name(peak->origin)) : Json(nullptr);
  out[which + "_peak_source"] = peak && !peak->source.empty() ? Json(peak->source) : Json(nullptr);
  if (which == "empirical")
    out["empirical_peak_point"] = curve.point.empty() ? Json(nullptr) : Json(curve.point);
  std::optional<double> ceiling;
  if (curve.ceiling) ceiling = in_flop_per_s(*curve.ceiling);
  add(out, which + "_ceiling_flop_per_s", ceiling, curve.reason);
}

Roofline read_curve(const Node& point, const std::string& which) {
  Roofline out;
  if (const auto peak = point.find(which + "_peak_flop_per_s")) {
    ComputeRoof roof;
    roof.peak = flop_per_s(peak->positive());
    roof.key = point.at(which + "_peak_key").one_of(peak_keys());
    roof.origin = point.at(which + "_peak_origin").one_of(kOrigins);
    roof.source = point.text_or_empty(which + "_peak_source");
    out.peak = std::move(roof);
  }
  out.ceiling = point.maybe<Performance>(which + "_ceiling_flop_per_s");
  out.reason = point.text_or_empty(which + "_ceiling_flop_per_s_reason");
  return out;
}

Json hypothesis_json(const Hypothesis& in) {
  return {{"id", in.id},           {"text", in.text},     {"evidence", in.evidence},
          {"counter", in.counter}, {"remedy", in.remedy}, {"score", in.score}};
}

Hypothesis read_hypothesis(const Node& node) {
  return {node.at("id").text(),      node.at("text").text(),   node.at("evidence").text(),
          node.at("counter").text(), node.at("remedy").text(), node.at("score").number()};
}

}  // namespace

void add_rooflines(Json& out, const Rooflines& rooflines) {
  add_curve(out, "hardware", rooflines.hardware);
  add_curve(out, "empirical", rooflines.empirical);
  add(out, "platform_opportunity", rooflines.platform_opportunity, rooflines.platform_reason);
  add(out, "kernel_opportunity", rooflines.kernel_opportunity, rooflines.kernel_reason);
  add(out, "best_measured_mfu", rooflines.best_measured_mfu, rooflines.best_measured_reason);
}

Rooflines read_rooflines(const Node& point) {
  Rooflines out;
  out.hardware = read_curve(point, "hardware");
  out.empirical = read_curve(point, "empirical");
  out.empirical.point = point.text_or_empty("empirical_peak_point");
  out.platform_opportunity = point.maybe_number("platform_opportunity");
  out.platform_reason = point.text_or_empty("platform_opportunity_reason");
  out.kernel_opportunity = point.maybe_number("kernel_opportunity");
  out.kernel_reason = point.text_or_empty("kernel_opportunity_reason");
  out.best_measured_mfu = point.maybe_number("best_measured_mfu");
  out.best_measured_reason = point.text_or_empty("best_measured_mfu_reason");
  return out;
}

Json hypotheses_json(const std::vector<Hypothesis>& hypotheses) {
  Json out = Json::array();
  for (const Hypothesis& hypothesis : hypotheses) out.push_back(hypothesis_json(hypothesis));
  return out;
}

Json findings_json(const std::vector<Finding>& findings) {
  Json out = Json::array();
  for (const Finding& finding : findings) {
    Json entry = hypothesis_json(finding);
    entry["points"] = finding.points;
    if (!finding.device.empty()) entry["device"] = finding.device;
    out.push_back(std::move(entry));
  }
  return out;
}

std::vector<Hypothesis> read_hypotheses(const Node& point) {
  std::vector<Hypothesis> out;
  if (const auto list = point.find("hypotheses")) {
    for (const Node& node : list->elements()) out.push_back(read_hypothesis(node));
  }
  return out;
}

std::vector<Finding> read_findings(const Node& report) {
  std::vector<Finding> out;
  const auto list = report.find("findings");
  if (!list) return out;
  for (const Node& node : list->elements()) {
    Finding finding{read_hypothesis(node), {}, node.text_or_empty("device")};
    for (const Node& id : node.at("points").elements()) finding.points.push_back(id.text());
    out.push_back(std::move(finding));
  }
  return out;
}

}  // namespace roofline::report
