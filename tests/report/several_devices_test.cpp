// Reports of several devices: as JSON and back, by the schema, and as tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/grid.hpp"
#include "report/journal.hpp"
#include "report/json_reader.hpp"
#include "report/json_writer.hpp"
#include "report/table.hpp"
#include "sample_reports.hpp"
#include "support/schema_check.hpp"
#include "support/text.hpp"

namespace roofline::report {
namespace {

using Json = nlohmann::ordered_json;

/// The sample's points on each of `count` equal GPUs, at half the rate on the second.
Report box(std::size_t count) {
  const Report one = test::sample_report();
  Report out = one;
  out.points.clear();
  out.roofs.clear();
  out.findings.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string id = "cuda:" + std::to_string(i);
    out.devices.push_back({id, "Example GPU", {{"uuid", "GPU-" + std::to_string(i)}}});
    for (Record point : one.points) {
      point.device_id = id;
      point.device_name = "Example GPU";
      if (auto* measured = std::get_if<Measured>(&point.outcome); measured != nullptr && i == 1)
        measured->time_median = 2 * measured->time_median;
      out.points.push_back(point);
    }
    for (RoofEntry roof : one.roofs) {
      roof.device = id;
      out.roofs.push_back(roof);
    }
  }
  out.device_id = out.devices.front().id;
  out.device_name = out.devices.front().name;
  Finding finding;
  finding.id = "slow_device";
  finding.text = "text";
  finding.evidence = "evidence";
  finding.counter = "counter";
  finding.remedy = "remedy";
  finding.score = 0.9;
  finding.points = {"stream/fp64/read"};
  finding.device = "cuda:1";
  out.findings.push_back(finding);
  return out;
}

TEST(SeveralDevicesJson, IsReadBackAsItWas) {
  const std::string text = to_json(box(3));
  EXPECT_EQ(to_json(read_report(text, "r.json")), text);
  const Json tree = Json::parse(text);
  EXPECT_EQ(tree["devices"].size(), 3U);
  EXPECT_EQ(tree["devices"][2]["facts"]["uuid"], "GPU-2");
  EXPECT_EQ(tree["roofs"][0]["device"], "cuda:0");
  EXPECT_EQ(tree["findings"][0]["device"], "cuda:1");
}

TEST(SeveralDevicesJson, AReportOfOneLooksAsBefore) {
  const Json tree = Json::parse(to_json(test::sample_report()));
  EXPECT_FALSE(tree.contains("devices"));
  for (const Json& roof : tree["roofs"]) EXPECT_FALSE(roof.contains("device"));
  for (const Json& finding : tree["findings"]) EXPECT_FALSE(finding.contains("device"));
}

TEST(SeveralDevicesJson, ReportsFromBeforeWeightsHadALevelAreRead) {
  Json tree = Json::parse(to_json(test::sample_report()));
  for (Json& point : tree["points"]) point["workload"].erase("level");
  const Report read = read_report(tree.dump(), "old.json");
  const Report now = test::sample_report();
  ASSERT_EQ(read.points.size(), now.points.size());
  for (std::size_t i = 0; i < read.points.size(); ++i)
    EXPECT_EQ(shape_label(read.points[i].workload), shape_label(now.points[i].workload));
}

TEST(SeveralDevicesJson, AJournalKeepsTheDevices) {
  const Report report = box(2);
  std::string text = journal_head(report) + '\n';
  for (const Record& point : report.points) text += journal_line(point) + '\n';
  const Report read = read_journal(text, "r.json.journal");
  EXPECT_EQ(read.devices, report.devices);
  EXPECT_EQ(read.points.size(), report.points.size());
  EXPECT_EQ(read.points.back().device_id, "cuda:1");
}

TEST(SeveralDevicesJson, HoldsBeforeTheSchemaAndBrokenOnesDoNot) {
  if (!test::schema_check_available()) GTEST_SKIP() << test::kNoSchemaCheck;
  const Json valid = Json::parse(to_json(box(2)));
  EXPECT_EQ(test::schema_errors(valid.dump()), std::vector<std::string>{});
  const std::pair<const char*, Json> breaks[] = {
      {"/devices", Json::array()},  {"/devices", nullptr},      {"/devices/0/facts", nullptr},
      {"/devices/0/extra", 1},      {"/devices/0/id", 0},       {"/roofs/0/device", 0},
      {"/roofs/0/device", nullptr}, {"/findings/0/device", ""}, {"/findings/0/device", nullptr},
  };
  for (const auto& [pointer, value] : breaks) {
    Json broken = valid;
    broken[Json::json_pointer(pointer)] = value;
    EXPECT_NE(test::schema_errors(broken.dump()), std::vector<std::string>{}) << pointer << value;
  }
}

TEST(SeveralDevicesTable, HasASectionForEachAndThemSideBySide) {
  const std::string text = render_table(box(3));
  std::size_t from = 0;
  for (const char* part :
       {"3 devices, ", "Example GPU (cuda:0)", "Example GPU (cuda:1)", "Example GPU (cuda:2)",
        "3 devices Example GPU, side by side", "slow_device, cuda:1: evidence"}) {
    const std::size_t at = text.find(part, from);
    ASSERT_NE(at, std::string::npos) << part << text;
    from = at + 1;
  }
  // The legend stands once, below all of them.
  EXPECT_EQ(text.find("side: left of the ridge"), text.rfind("side: left of the ridge"));
}

TEST(SeveralDevicesTable, RatesAreSharesOfTheirMedian) {
  const std::string text = render_table(box(3), {.width = 120});
  const std::size_t begin = text.find("side by side");
  const std::size_t row = text.find("stream/fp64/read ", begin);
  ASSERT_NE(row, std::string::npos);
  const std::string line = text.substr(row, text.find('\n', row) - row);
  EXPECT_TRUE(test::holds(line, " 100 ")) << line;
  EXPECT_TRUE(test::holds(line, "50.0")) << line;
}

TEST(SeveralDevicesTable, EightFitIntoAHundredColumns) {
  for (const std::size_t width : {60U, 80U, 100U, 120U}) {
    const std::string text = render_table(box(8), {.width = width});
    EXPECT_LE(test::widest_line(text), width) << width;
  }
  EXPECT_FALSE(test::holds(render_table(box(8), {.width = 100}), "not shown at this width; the"));
  EXPECT_TRUE(test::holds(render_table(box(8), {.width = 40}), "not shown at this width; the"));
}

TEST(SeveralDevicesTable, StrangersAreNotSetSideBySide) {
  Report report = box(2);
  report.devices[1].name = "Another GPU";
  EXPECT_FALSE(test::holds(render_table(report), "side by side"));
}

TEST(SeveralDevicesTable, ADeviceWithFactsOfItsOwnIsATableOfOne) {
  Report report = test::sample_report();
  const std::string plain = render_table(report);
  report.devices.push_back({report.device_id, report.device_name, {{"uuid", std::string("x")}}});
  EXPECT_EQ(render_table(report), plain);
}

}  // namespace
}  // namespace roofline::report
