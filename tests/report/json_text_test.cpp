// The text of a tree: indented, short things on one line, nothing lost.
#include "report/json_text.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "report/json_writer.hpp"

namespace roofline::report {
namespace {

using Json = nlohmann::ordered_json;

TEST(JsonText, ShortObjectsStayOnOneLine) {
  const Json value = {{"device", {{"id", "cpu"}, {"cores", 2}}},
                      {"list", {1, 2.5, nullptr, true}},
                      {"none", Json::array()}};
  EXPECT_EQ(to_text(value),
            "{\n"
            "  \"device\": {\"id\": \"cpu\", \"cores\": 2},\n"
            "  \"list\": [1, 2.5, null, true],\n"
            "  \"none\": []\n"
            "}\n");
}

TEST(JsonText, WhatIsLongerThanALineIsBroken) {
  const std::string word(60, 'x');
  const Json value = {{"long", {{"first", word}, {"second", word}}}};
  EXPECT_EQ(to_text(value), "{\n  \"long\": {\n    \"first\": \"" + word +
                                "\",\n    \"second\": \"" + word + "\"\n  }\n}\n");
}

TEST(JsonText, ParsesBackToTheSameTree) {
  const Json value = {{"a", {{"b", {{"c", {1e-300, 0.1, 1e300, 18446744073709551615U}}}}}},
                      {"\"quoted\"\n", "\u20AC"}};
  EXPECT_EQ(Json::parse(to_text(value)), value);
  EXPECT_EQ(Json::parse(to_line(value)), value);
  EXPECT_EQ(to_line(value).find('\n'), std::string::npos);
}

TEST(JsonText, NonFiniteNumbersAreFoundAndDropped) {
  Json value = {{"a", {1.0, std::nan("")}}, {"b", {{"c", INFINITY}}}, {"d", 1}};
  EXPECT_EQ(find_non_finite(value), (std::vector<std::string>{"/a/1", "/b/c"}));
  drop_non_finite(value);
  EXPECT_EQ(value, (Json{{"a", {1.0, nullptr}}, {"b", {{"c", nullptr}}}, {"d", 1}}));
}

}  // namespace
}  // namespace roofline::report
