// The JSON Schema and the reports agree, and a broken report is seen.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "report/columns.hpp"
#include "report/json_writer.hpp"
#include "sample_reports.hpp"
#include "support/schema_check.hpp"

namespace roofline {
namespace {

using Json = nlohmann::ordered_json;
using test::schema_errors;

Json schema() {
  std::ifstream in(ROOFLINE_SOURCE_DIR "/configs/schema/report-v1.json");
  return Json::parse(in);
}

class Schema : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!test::schema_check_available()) GTEST_SKIP() << test::kNoSchemaCheck;
  }
};

TEST_F(Schema, AReportOfEveryKindAndOutcomeIsValid) {
  EXPECT_EQ(schema_errors(report::to_json(test::sample_report())), std::vector<std::string>{});
}

TEST_F(Schema, AnEmptyReportIsValid) {
  EXPECT_EQ(schema_errors(report::to_json(Report{})), std::vector<std::string>{});
}

TEST_F(Schema, ExplanationsAreValid) {
  const Workload workloads[] = {
      Gemm{.m = 4096, .n = 4096, .k = 4096},
      Projection{.rows = 8, .d_in = 4096, .d_out = 14336},
      Stream{.kind = StreamKind::copy, .elements = 1000},
      Elementwise{.elements = 1000},
      Kernel{.flops = Count{2400}, .read_bytes = Count{800}, .write_bytes = Count{400}},
      Kernel{.intensity = flop_per_byte(10)},
      PeakProbe{.flops = 1000},
      Projection{.rows = 8, .d_in = 4096, .d_out = 14336, .level = Boundary::l2},
      Launch{LaunchPath::event},
      Transfer{.direction = TransferDirection::to_host, .bytes = 1000}};
  for (const Workload& workload : workloads) {
    for (const Observation& seen :
         {Observation{}, Observation{.achieved = tflop_per_s(200)},
          Observation{.time = second(1e-3)}, Observation{.achieved = tflop_per_s(900)}}) {
      const std::string text = report::explain_json(test::on_a100(workload, seen));
      EXPECT_EQ(test::explanation_schema_errors(text), std::vector<std::string>{}) << text;
    }
  }
}

TEST_F(Schema, ADeviceWithoutRoofsIsValid) {
  Explanation in = test::on_a100(Gemm{.m = 4096, .n = 4096, .k = 4096});
  in.roofs = {};
  in.roofs.compute_reason = "no peak is known";
  in.placement = place(in.account, in.roofs);
  in.rows = {};
  EXPECT_EQ(test::explanation_schema_errors(report::explain_json(in)), std::vector<std::string>{});
}

struct Break {
  const char* pointer;
  Json value;
};

TEST_F(Schema, EveryBrokenValueIsSeen) {
  const Break breaks[] = {
      {"/schema_version", 2},
      {"/schema_version", "1"},
      {"/tool/name", "other"},
      {"/run/duration_s", "48.2"},
      {"/run/duration_s", -1},
      {"/run/interrupted", nullptr},
      {"/run/extra", 1},
      {"/extra", 1},
      {"/environment/nested", Json{{"a", 1}}},
      {"/environment/unknown", nullptr},
      {"/roofs/0/kind", "memory"},
      {"/roofs/0/peak_flop_per_s", 0},
      {"/roofs/2/bandwidth_byte_per_s", nullptr},
      {"/points/0/kind", "gemm"},
      {"/points/5/kind", "matvec"},
      {"/points/5/workload/m", 0},
      {"/points/5/workload/m", 1.5},
      {"/points/5/workload/input", "fp31"},
      {"/points/5/workload/extra", 1},
      {"/points/5/work_flop", 1.5},
      {"/points/5/work_flop", "17179869184"},
      {"/points/5/work_flop", 1e30},
      {"/points/5/traffic_byte/by_tensor/A/direction", "both"},
      {"/points/5/traffic_byte/by_tensor/A/byte", -1},
      {"/points/5/peak_origin", "guess"},
      {"/points/5/peak_origin", nullptr},
      {"/points/5/peak_flop_per_s", nullptr},
      {"/points/5/bandwidth_byte_per_s", nullptr},
      {"/points/5/mfu", "74.4 %"},
      {"/points/5/verdict", "good"},
      {"/points/5/verdict", nullptr},
      {"/points/5/time_median_s", nullptr},
      {"/points/5/verification", nullptr},
      {"/points/5/reason", "because"},
      {"/points/5/samples/0/iterations", 0},
      {"/points/5/samples/0/duration", 1},
      {"/points/5/outcome", "skipped"},
      {"/points/9/outcome", "measured"},
      {"/points/9/mfu", 0.5},
      {"/points/5/causes", Json{{{"id", "x"}}}},
      {"/points/5/unit", "FLOP/s"},
      {"/points/5/hardware_peak_origin", "guess"},
      {"/points/5/hardware_peak_origin", nullptr},
      {"/points/5/empirical_peak_key", nullptr},
      {"/points/5/platform_opportunity", "1.07x"},
      {"/points/9/kernel_opportunity", 2.0},
      {"/points/7/hypotheses/0/score", 1.5},
      {"/points/7/hypotheses/0/id", ""},
      {"/points/7/hypotheses/0/extra", 1},
      {"/points/9/hypotheses", Json{{{"id", "x"}}}},
      {"/findings/0/points", "all"},
      {"/findings", nullptr},
  };
  // The point of index 0 is a probe, 5 a measured GEMM, 7 one below its roof and 9 a skipped one.
  Json valid = Json::parse(report::to_json(test::sample_report()));
  for (const std::size_t unused : {17U, 16U, 15U, 14U, 13U, 12U, 11U, 10U})
    valid["points"].erase(unused);
  for (const Break& fault : breaks) {
    Json document = valid;
    document[Json::json_pointer(fault.pointer)] = fault.value;
    EXPECT_NE(schema_errors(document.dump()), std::vector<std::string>{})
        << fault.pointer << " = " << fault.value;
  }
}

TEST_F(Schema, EveryKeyIsRequired) {
  Json valid = Json::parse(report::to_json(test::sample_report()));
  valid["points"] = Json::array({valid["points"][5], valid["points"][9], valid["points"][7]});
  const auto expect_required = [&](const char* pointer) {
    for (const auto& entry : valid[Json::json_pointer(pointer)].items()) {
      if (entry.key().ends_with("_reason")) continue;
      Json document = valid;
      document[Json::json_pointer(pointer)].erase(entry.key());
      EXPECT_NE(schema_errors(document.dump()), std::vector<std::string>{})
          << pointer << "/" << entry.key();
    }
  };
  for (const char* pointer :
       {"", "/tool", "/run", "/device", "/roofs/0", "/roofs/2", "/points/0", "/points/1",
        "/points/0/workload", "/points/0/traffic_byte", "/points/0/prediction",
        "/points/0/rows_to_ridge", "/points/0/verification", "/points/0/samples/0",
        "/points/2/hypotheses/0", "/findings/0"}) {
    expect_required(pointer);
  }
}

TEST_F(Schema, TextThatIsNoJsonIsAFault) {
  EXPECT_NE(schema_errors("{\"schema_version\": NaN}"), std::vector<std::string>{});
  EXPECT_NE(schema_errors(""), std::vector<std::string>{});
}

// These need no validator.

/// Sub-schemas of `properties` without a description, by key.
void find_undescribed(const Json& node, const std::string& where, std::vector<std::string>& out) {
  if (!node.is_structured()) return;
  const bool has_properties =
      node.is_object() && node.contains("properties") && where.find("/then") == std::string::npos &&
      where.find("/else") == std::string::npos && where.find("/if") == std::string::npos;
  if (has_properties) {
    for (const auto& entry : node["properties"].items()) {
      const bool constant = entry.value().contains("const");
      if (!constant && !entry.value().contains("description"))
        out.push_back(where + "/" + entry.key());
    }
  }
  for (const auto& entry : node.items())
    find_undescribed(entry.value(), where + "/" + entry.key(), out);
}

TEST(SchemaText, EveryKeyIsDescribed) {
  std::vector<std::string> undescribed;
  find_undescribed(schema(), "", undescribed);
  EXPECT_EQ(undescribed, std::vector<std::string>{});
}

TEST(SchemaText, IsDraft7AndNamesTheVersionThatIsWritten) {
  EXPECT_EQ(schema()["$schema"], "http://json-schema.org/draft-07/schema#");
  EXPECT_EQ(schema()["properties"]["schema_version"]["const"], Report::kSchemaVersion);
}

TEST(SchemaText, KnowsEveryKeyThatIsWrittenAndEveryColumn) {
  const Json known = schema()["definitions"]["point"]["properties"];
  for (const Record& point : test::sample_report().points) {
    const Json written = report::point_json(point);
    for (const auto& entry : written.items())
      EXPECT_TRUE(known.contains(entry.key())) << entry.key();
  }
  for (const report::Column& column : report::columns()) {
    const std::string key(column.key.substr(0, column.key.find('.')));
    EXPECT_TRUE(known.contains(key)) << column.key;
  }
}

TEST(SchemaText, KnowsEveryNameOfEveryEnumeration) {
  const Json document = schema();
  const Json& point = document["definitions"]["point"]["properties"];
  const auto has = [](const Json& values, std::string_view name) {
    return std::find(values.begin(), values.end(), name) != values.end();
  };
  for (const DTypeInfo& dtype : dtypes())
    EXPECT_TRUE(has(point["dtype"]["enum"], dtype.name)) << dtype.name;
  for (const PeakKey key : peak_keys())
    EXPECT_TRUE(has(point["peak_key"]["enum"], name(key))) << name(key);
  for (const std::string_view kind : kind_names()) {
    EXPECT_TRUE(has(point["kind"]["enum"], kind)) << kind;
    EXPECT_TRUE(document["definitions"].contains(std::string(kind))) << kind;
  }
  for (const LaunchPath path : launch_paths()) {
    EXPECT_TRUE(has(point["overhead_path"]["enum"], name(path))) << name(path);
    EXPECT_TRUE(has(document["definitions"]["launch"]["properties"]["path"]["enum"], name(path)));
    EXPECT_TRUE(
        has(document["definitions"]["overhead_roof"]["properties"]["path"]["enum"], name(path)));
  }
}

}  // namespace
}  // namespace roofline
