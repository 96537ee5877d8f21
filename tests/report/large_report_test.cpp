// What large reports are read by, tried on small ones: several threads, each with a part of the
// points, must read and refuse whatever one would.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/json_reader.hpp"
#include "report/json_writer.hpp"
#include "roofline/error.hpp"
#include "sample_reports.hpp"

namespace roofline {
namespace {

using Json = nlohmann::ordered_json;
using report::ReadOptions;

/// The report as text, or what is wrong with it.
std::string said_of(const std::string& text, const ReadOptions& options) {
  try {
    return report::to_json(report::read_report(text, "r.json", options));
  } catch (const InputError& error) {
    return error.what();
  }
}

void expect_the_same_in_parts(const std::string& text) {
  const std::string whole = said_of(text, {});
  for (const std::size_t chunk : {1U, 1000U, 9000U}) {
    for (const unsigned threads : {1U, 3U}) {
      EXPECT_EQ(said_of(text, {.threads = threads, .chunk = chunk}), whole)
          << threads << " threads, " << chunk << " bytes at a time";
    }
  }
}

Json sample_json() { return Json::parse(report::to_json(test::sample_report())); }

TEST(LargeReport, IsReadInPartsAsAWhole) {
  const std::string text = report::to_json(test::sample_report());
  ASSERT_EQ(said_of(text, {.threads = 2, .chunk = 1}), text);
  expect_the_same_in_parts(text);
  expect_the_same_in_parts(sample_json().dump());
  expect_the_same_in_parts(sample_json().dump(1));
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    expect_the_same_in_parts(report::to_json(test::random_report(seed)));
}

TEST(LargeReport, SeamsWithinPointsMislead) {
  // On one line a point's causes are separated as the points are.
  Json document = sample_json();
  for (Json& point : document["points"]) {
    point = Json{{"id", point["id"]}};
    for (int i = 0; i < 9; ++i) point["new"].push_back({{"id", "no point"}});
  }
  const Json whole = sample_json();
  for (std::size_t i = 0; i < whole["points"].size(); ++i)
    document["points"][i].update(whole["points"][i]);
  const std::string text = document.dump();
  ASSERT_EQ(said_of(text, {}), report::to_json(test::sample_report()));
  expect_the_same_in_parts(text);
}

TEST(LargeReport, KeysBeforeAndBehindThePoints) {
  Json document = sample_json();
  Json turned = {{"points", document["points"]}};
  turned.update(document);
  turned["other"] = {{{"id", "no point"}}, {{"id", "no point"}}};
  ASSERT_EQ(said_of(turned.dump(2), {}), report::to_json(test::sample_report()));
  expect_the_same_in_parts(turned.dump(2));
}

TEST(LargeReport, OddPointsAmongOthers) {
  std::string text = sample_json().dump(1);
  // The last of two values counts, as it always did.
  const auto twice = [&](const std::string& id) {
    const std::string key = "\"id\": \"" + id + "\"";
    const std::size_t at = text.find(key);
    ASSERT_NE(at, std::string::npos) << id;
    text.insert(at, "\"id\": \"first\", ");
  };
  twice("gemm/fp32/2048");
  twice("stream/fp64/copy");
  ASSERT_EQ(said_of(text, {}), report::to_json(test::sample_report()));
  expect_the_same_in_parts(text);
}

TEST(LargeReport, AFaultIsNamedByThePointItIsIn) {
  for (const std::size_t index : {0U, 1U, 5U, 9U}) {
    Json document = sample_json();
    document["points"][index]["kind"] = "gemv";
    const std::string pointer = "/points/" + std::to_string(index) + "/kind is 'gemv'";
    EXPECT_NE(said_of(document.dump(2), {.threads = 3, .chunk = 1}).find(pointer),
              std::string::npos);
    expect_the_same_in_parts(document.dump(2));
    // The first of two.
    document["points"].back()["id"] = 7;
    expect_the_same_in_parts(document.dump(2));
  }
}

TEST(LargeReport, WhatIsSaidFirst) {
  Json document = sample_json();
  document["points"][1]["kind"] = "gemv";
  document["schema_version"] = 2;
  EXPECT_NE(said_of(document.dump(), {}).find("reads up to 1"), std::string::npos);
  const std::string text = document.dump(2);
  EXPECT_NE(said_of(text.substr(0, text.size() - 5), {}).find("truncated"), std::string::npos);
  document["schema_version"] = 1;
  Json turned = {{"points", document["points"]}};
  turned.update(document);
  turned["run"]["duration_s"] = -1;
  EXPECT_NE(said_of(turned.dump(), {}).find("/run/duration_s"), std::string::npos);
  expect_the_same_in_parts(turned.dump(2));
}

TEST(LargeReport, CutOrSpoiltAnywhere) {
  const std::string text = report::to_json(test::sample_report());
  const ReadOptions parts{.threads = 2, .chunk = 1000};
  for (std::size_t at = 0; at < text.size(); at += 5003) {
    const std::string cut = text.substr(0, at);
    EXPECT_EQ(said_of(cut, parts), said_of(cut, {})) << at;
    for (const char spoiler : {'\x01', ']'}) {
      std::string spoilt = text;
      spoilt[at] = spoiler;
      EXPECT_EQ(said_of(spoilt, parts), said_of(spoilt, {})) << at;
    }
  }
}

TEST(LargeReport, TellsWhatIsBehindIt) {
  const std::string text = report::to_json(test::sample_report());
  std::vector<std::size_t> told;
  const auto passed = [&](std::size_t at) { told.push_back(at); };
  (void)report::read_report(text, "r.json", {.passed = passed, .threads = 2, .chunk = 1000});
  ASSERT_GE(told.size(), 3U);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_LE(told.back(), text.size());
  for (const std::size_t at : told) EXPECT_EQ(text[at], '{');
}

}  // namespace
}  // namespace roofline
