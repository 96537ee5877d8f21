// docs/report.md is made from the schema that every report is held against, and from the one table
// of columns: it can't miss a key, nor describe one that is gone.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "report/columns.hpp"
#include "support/golden.hpp"

namespace roofline::report {
namespace {

using Schema = nlohmann::ordered_json;

constexpr const char* kHead = R"(# The report, key by key

One JSON file, UTF-8, keys in this order, numbers in base units without prefix (the unit is in the key), no NaN or
Infinity; what is unknown is null. Within `schema_version` 1 keys may be added, none changes its meaning, and every report
stays readable. The JSON Schema is `configs/schema/report-v1.json`; this page is made from it and from the table of columns
(`roofline columns`), by a test that fails when either moves: `ROOFLINE_UPDATE_GOLDEN=1` writes it anew.

A `.` goes into an object, `[]` into each element of a list. Keys that are not marked *optional* are always there.
)";

Schema schema() {
  std::ifstream in(std::string(ROOFLINE_SOURCE_DIR) + "/configs/schema/report-v1.json");
  return Schema::parse(in);
}

/// A schema's own name for itself: `#/definitions/run`, alone or as the only part of allOf.
std::string referred(const Schema& value) {
  const Schema* at = &value;
  if (value.contains("allOf") && value["allOf"].size() == 1) at = &value["allOf"][0];
  const std::string path = at->value("$ref", "");
  return path.substr(path.rfind('/') + 1);
}

std::string code(const Schema& value) {
  return "`" + (value.is_string() ? value.get<std::string>() : value.dump()) + "`";
}

std::string listed(const Schema& values, std::size_t most = 12) {
  std::string out;
  for (std::size_t i = 0; i < values.size() && i < most; ++i)
    out += (i == 0 ? "" : ", ") + code(values[i]);
  return values.size() > most ? out + " ..." : out;
}

std::string type_of(const Schema& value) {
  if (const std::string name = referred(value); !name.empty())
    return "[" + name + "](#" + name + ")";
  if (value.contains("const")) return code(value["const"]);
  if (value.contains("enum")) return listed(value["enum"]);
  if (value.contains("oneOf")) {
    std::string out;
    for (const Schema& one : value["oneOf"]) out += (out.empty() ? "" : " or ") + type_of(one);
    return out;
  }
  if (!value.contains("type")) return "any";
  if (value["type"].is_string()) {
    const std::string type = value["type"];
    return type == "array" && value.contains("items") ? "list of " + type_of(value["items"]) : type;
  }
  std::string out;
  for (const Schema& one : value["type"])
    out += (out.empty() ? "" : " or ") + one.get<std::string>();
  return out;
}

class Keys {
 public:
  void table_of(const Schema& object) {
    out_ += "\n| key | type | what |\n|---|---|---|\n";
    rows(object, "");
  }
  [[nodiscard]] const std::string& text() const { return out_; }

 private:
  void rows(const Schema& object, const std::string& prefix) {
    const Schema required = object.value("required", Schema::array());
    const Schema properties = object.value("properties", Schema::object());
    for (const auto& [key, value] : properties.items()) {
      const bool always = std::find(required.begin(), required.end(), key) != required.end();
      std::string type = type_of(value);
      for (std::size_t at = 0; (at = type.find('|', at)) != std::string::npos; at += 2)
        type.replace(at, 1, "\\|");
      const std::string what = value.value("description", "");
      EXPECT_TRUE(!what.empty() || value.contains("const")) << prefix << key << " is undescribed";
      out_ += "| `" + prefix + key + "` | " + type + (always ? "" : ", *optional*") + " | " + what +
              " |\n";
      if (value.contains("properties")) rows(value, prefix + key + ".");
      if (value.contains("items") && value["items"].contains("properties"))
        rows(value["items"], prefix + key + "[].");
    }
  }

  std::string out_;
};

std::string document() {
  const Schema all = schema();
  std::string out = kHead;
  const auto section = [&](const std::string& name, const Schema& object) {
    Keys keys;
    keys.table_of(object);
    const std::string what = object.value("description", "");
    out += "\n## " + name + "\n" + (what.empty() ? "" : "\n" + what + "\n") + keys.text();
  };
  section("report", all);
  for (const auto& [name, object] : all["definitions"].items()) {
    if (object.contains("properties")) section(name, object);
  }
  out +=
      "\n## Columns\n\nWhat tables, CSV, filters and assertions know a point's figures by.\n\n"
      "| column | unit | what |\n|---|---|---|\n";
  for (const Column& column : columns()) {
    const std::string_view unit = symbol(column.unit);
    out += "| `" + std::string(column.key) + "` | " + std::string(unit) + " | " +
           std::string(column.description) + " |\n";
  }
  return out;
}

TEST(ReportDocument, IsWhatTheSchemaAndTheColumnsSay) {
  const std::string text = document();
  // As this tool has them: a key of each level, and a column.
  for (const char* key : {"| `schema_version` |", "| `samples[].duration_s` |", "| `seed` |",
                          "| `achieved_flop_per_s` |", "| `peak_flop_per_s` |"})
    EXPECT_NE(text.find(key), std::string::npos) << key;
  test::expect_file(text, "docs/report.md");
}

}  // namespace
}  // namespace roofline::report
