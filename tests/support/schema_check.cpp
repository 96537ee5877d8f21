#include "support/schema_check.hpp"

#if ROOFLINE_HAS_VALIJSON
#include <fstream>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#endif

namespace roofline::test {

#if ROOFLINE_HAS_VALIJSON
namespace {

using Json = nlohmann::ordered_json;

Json schema_of(const std::string& name) {
  std::ifstream in(ROOFLINE_SOURCE_DIR "/configs/schema/" + name);
  return Json::parse(in);
}

const Json& report_schema() {
  static const Json schema = schema_of("report-v1.json");
  return schema;
}

/// The schema of a point with what only a measurement has made optional.
Json explanation_schema() {
  Json out = report_schema();
  Json& point = out["definitions"]["point"];
  Json required = Json::array();
  Json known = Json::object();
  bool observed = false;
  for (const auto& entry : point["properties"].items()) {
    const std::string& key = entry.key();
    if (key == "id") continue;
    known[key] = entry.value();
    if (!observed && !key.ends_with("_reason")) required.push_back(key);
    if (key == "convention") observed = true;
    if (key == "causes") break;
  }
  point["properties"] = std::move(known);
  point["required"] = std::move(required);
  Json rules = Json::array();
  for (const Json& rule : point["allOf"]) {
    if (!rule["if"]["properties"].contains("outcome")) rules.push_back(rule);
  }
  point["allOf"] = std::move(rules);
  Json top = {{"$schema", out["$schema"]}, {"definitions", out["definitions"]}};
  top["allOf"] = Json::array({{{"$ref", "#/definitions/point"}}});
  return top;
}

std::vector<std::string> errors_by(const Json& schema_document, std::string_view text) {
  // The adapter knows nlohmann::json only; key order is no business of a schema.
  const auto document = nlohmann::json::parse(text, nullptr, false);
  if (document.is_discarded()) return {"not JSON"};
  const nlohmann::json plain = nlohmann::json::parse(schema_document.dump());
  valijson::Schema schema;
  valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(plain), schema);
  valijson::Validator validator;
  valijson::ValidationResults results;
  const valijson::adapters::NlohmannJsonAdapter target(document);
  std::vector<std::string> out;
  if (validator.validate(schema, target, &results)) return out;
  for (const auto& error : results) {
    std::string where;
    for (const std::string& part : error.context) where += part;
    out.push_back(where + ": " + error.description);
  }
  if (out.empty()) out.emplace_back("invalid, without a reason");
  return out;
}

}  // namespace

bool schema_check_available() { return true; }

std::vector<std::string> schema_errors(std::string_view report) {
  return errors_by(report_schema(), report);
}

std::vector<std::string> explanation_schema_errors(std::string_view explanation) {
  return errors_by(explanation_schema(), explanation);
}

std::vector<std::string> comparison_schema_errors(std::string_view comparison) {
  return errors_by(schema_of("comparison-v1.json"), comparison);
}

#else

bool schema_check_available() { return false; }
std::vector<std::string> comparison_schema_errors(std::string_view) { return {}; }
std::vector<std::string> schema_errors(std::string_view) { return {}; }
std::vector<std::string> explanation_schema_errors(std::string_view) { return {}; }

#endif

}  // namespace roofline::test
