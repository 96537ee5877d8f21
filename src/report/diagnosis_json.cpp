#include "report/diagnosis_json.hpp"

#include "report/vocabulary.hpp"

namespace roofline::report {
namespace {

struct CurveKeys {
  std::string_view peak;
  std::string_view key;
  std::string_view origin;
  std::string_view source;
  std::string_view point;
  std::string_view ceiling;
  std::string_view reason;
};
constexpr CurveKeys kHardware{"hardware_peak_flop_per_s",
                              "hardware_peak_key",
                              "hardware_peak_origin",
                              "hardware_peak_source",
                              {},
                              "hardware_ceiling_flop_per_s",
                              "hardware_ceiling_flop_per_s_reason"};
constexpr CurveKeys kEmpirical{"empirical_peak_flop_per_s",
                               "empirical_peak_key",
                               "empirical_peak_origin",
                               "empirical_peak_source",
                               "empirical_peak_point",
                               "empirical_ceiling_flop_per_s",
                               "empirical_ceiling_flop_per_s_reason"};

void put_curve(JsonOut& out, const CurveKeys& keys, const Roofline& curve) {
  const auto& peak = curve.peak;
  std::optional<Performance> rate;
  std::optional<PeakKey> key;
  std::optional<Origin> origin;
  if (peak) {
    rate = peak->peak;
    key = peak->key;
    origin = peak->origin;
  }
  out.put(keys.peak, rate);
  out.put_name(keys.key, key);
  out.put_name(keys.origin, origin);
  out.put_text(keys.source, peak ? std::string_view(peak->source) : "");
  if (!keys.point.empty()) out.put_text(keys.point, curve.point);
  out.put_or_reason(keys.ceiling, curve.ceiling, curve.reason);
}

Roofline read_curve(const Node& point, const CurveKeys& keys) {
  Roofline out;
  if (const auto peak = point.find(keys.peak)) {
    ComputeRoof roof;
    roof.peak = flop_per_s(peak->positive());
    roof.key = point.at(keys.key).one_of(peak_keys());
    roof.origin = point.at(keys.origin).one_of(kOrigins);
    roof.source = point.shared_or_empty(keys.source);
    out.peak = std::move(roof);
  }
  if (!keys.point.empty()) out.point = point.shared_or_empty(keys.point);
  out.ceiling = point.maybe<Performance>(keys.ceiling);
  out.reason = point.shared_or_empty(keys.reason);
  return out;
}

void put_hypothesis(JsonOut& out, const Hypothesis& in) {
  out.put("id", in.id);
  out.put("text", in.text);
  out.put("evidence", in.evidence);
  out.put("counter", in.counter);
  out.put("remedy", in.remedy);
  out.put("score", in.score);
}

Hypothesis read_hypothesis(const Node& node) {
  return {node.at("id").shared_text(),       node.at("text").shared_text(),
          node.at("evidence").shared_text(), node.at("counter").shared_text(),
          node.at("remedy").shared_text(),   node.at("score").number()};
}

}  // namespace

void put_rooflines(JsonOut& out, const Rooflines& in) {
  put_curve(out, kHardware, in.hardware);
  put_curve(out, kEmpirical, in.empirical);
  out.put_or_reason("platform_opportunity", in.platform_opportunity, in.platform_reason);
  out.put_or_reason("kernel_opportunity", in.kernel_opportunity, in.kernel_reason);
  out.put_or_reason("best_measured_mfu", in.best_measured_mfu, in.best_measured_reason);
}

Rooflines read_rooflines(const Node& point) {
  Rooflines out;
  out.hardware = read_curve(point, kHardware);
  out.empirical = read_curve(point, kEmpirical);
  out.platform_opportunity = point.maybe_number("platform_opportunity");
  out.platform_reason = point.shared_or_empty("platform_opportunity_reason");
  out.kernel_opportunity = point.maybe_number("kernel_opportunity");
  out.kernel_reason = point.shared_or_empty("kernel_opportunity_reason");
  out.best_measured_mfu = point.maybe_number("best_measured_mfu");
  out.best_measured_reason = point.shared_or_empty("best_measured_mfu_reason");
  return out;
}

void put_hypotheses(JsonOut& out, const std::vector<Hypothesis>& hypotheses) {
  out.open_list("hypotheses");
  for (const Hypothesis& hypothesis : hypotheses) {
    out.open_object();
    put_hypothesis(out, hypothesis);
    out.close();
  }
  out.close();
}

void put_findings(JsonOut& out, const std::vector<Finding>& findings) {
  out.open_list("findings");
  for (const Finding& finding : findings) {
    out.open_object();
    put_hypothesis(out, finding);
    out.open_list("points");
    for (const std::string& point : finding.points) out.item(point);
    out.close();
    if (!finding.device.empty()) out.put("device", finding.device);
    out.close();
  }
  out.close();
}

std::vector<Hypothesis> read_hypotheses(const Node& point) {
  std::vector<Hypothesis> out;
  if (const auto list = point.find("hypotheses")) {
    out.reserve(list->elements().size());
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
