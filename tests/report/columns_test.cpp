// The one table of columns: every key is a place in a point's JSON, with the same value there.
#include "report/columns.hpp"

#include <gtest/gtest.h>

#include <set>

#include "report/json_writer.hpp"
#include "sample_reports.hpp"

namespace roofline::report {
namespace {

using Json = nlohmann::ordered_json;

Json as_json(const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return nullptr;
  if (const auto* flag = std::get_if<bool>(&cell)) return *flag;
  if (const auto* count = std::get_if<std::uint64_t>(&cell)) return *count;
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  return std::get<std::string>(cell);
}

Json::json_pointer pointer_of(std::string_view key) {
  std::string out = "/";
  for (const char c : key) out += c == '.' ? '/' : c;
  return Json::json_pointer(out);
}

TEST(Columns, HoldTheVeryValuesOfTheJson) {
  std::vector<Record> points = test::sample_report().points;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (Record& point : test::random_report(seed).points) points.push_back(std::move(point));
  }
  for (const Record& point : points) {
    const Json json = point_json(point);
    for (const Column& column : columns()) {
      // Of a check that never ran there is no state, of no hypothesis no id, and few points are
      // products of a model.
      const bool no_parent =
          (column.key == "verification.state" && json["verification"].is_null()) ||
          (column.key == "hypotheses.0.id" && json["hypotheses"].empty()) ||
          (column.key == "implementation.product" && !json["implementation"].contains("product"));
      const Json expected = no_parent ? Json(nullptr) : json.at(pointer_of(column.key));
      Json got = as_json(column.get(point));
      if (expected.is_null() && got.is_string() && got.get<std::string>().empty()) got = nullptr;
      // In JSON invalid bytes have become U+FFFD.
      EXPECT_EQ(Json::parse(to_line(got)), expected) << column.key;
    }
  }
}

TEST(Columns, KeysAreUniqueAndEverythingIsSaid) {
  std::set<std::string_view> seen;
  for (const Column& column : columns()) {
    EXPECT_TRUE(seen.insert(column.key).second) << column.key;
    EXPECT_FALSE(column.heading.empty()) << column.key;
    EXPECT_GT(column.description.size(), 10U) << column.key;
    EXPECT_EQ(column.description.back(), '.') << column.key;
    EXPECT_EQ(find_column(column.key), &column);
  }
  EXPECT_EQ(find_column("no_such_key"), nullptr);
}

TEST(Columns, TheUnitIsThatOfTheKey) {
  const auto ends = [](std::string_view key, std::string_view unit) { return key.ends_with(unit); };
  for (const Column& column : columns()) {
    const std::string_view key = column.key;
    if (ends(key, "flop_per_s")) {
      EXPECT_EQ(column.unit, Unit::flop_per_s) << key;
    } else if (ends(key, "byte_per_s")) {
      EXPECT_EQ(column.unit, Unit::byte_per_s) << key;
    } else if (ends(key, "flop_per_byte")) {
      EXPECT_EQ(column.unit, Unit::flop_per_byte) << key;
    } else if (ends(key, "_flop")) {
      EXPECT_EQ(column.unit, Unit::flop) << key;
    } else if (ends(key, "_s")) {
      EXPECT_EQ(column.unit, Unit::second) << key;
    }
  }
}

}  // namespace
}  // namespace roofline::report
