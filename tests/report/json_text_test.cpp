// The text of a tree: indented, short things on one line, nothing lost.
#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <random>

#include "report/json_out.hpp"
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

TEST(JsonText, NonFiniteNumbersAreFoundAndNull) {
  JsonOut out;
  out.open_object();
  out.open_list("a");
  out.item(1.0);
  out.item(std::nan(""));
  out.close();
  out.open_object("b");
  out.put("c", HUGE_VAL);
  out.close();
  out.put("d", std::uint64_t{1});
  out.close();
  std::string line;
  out.append_line(line);
  EXPECT_EQ(line, R"({"a":[1.0,null],"b":{"c":null},"d":1})");
  EXPECT_EQ(out.non_finite(), (std::vector<std::string>{"/a/1", "/b/c"}));
}

TEST(JsonText, InvalidBytesAreReplaced) {
  EXPECT_EQ(to_line(Json("a\xFF\x01\"\\\n")), "\"a\uFFFD\\u0001\\\"\\\\\\n\"");
  EXPECT_EQ(Json::parse(to_line(Json{{"k\"\xC3\xA9", 1}})), (Json{{"k\"\xC3\xA9", 1}}));
}

TEST(JsonText, NumbersShowWhetherTheyMustBeWhole) {
  const std::pair<double, const char*> numbers[] = {
      {0.0, "0.0"},         {-0.0, "-0.0"},
      {1, "1.0"},           {-1.5, "-1.5"},
      {123456, "123456.0"}, {999999999999999, "999999999999999.0"},
      {1e15, "1e+15"},      {1.25e15, "1.25e+15"},
      {1e-3, "0.001"},      {1.5e-4, "0.00015"},
      {1e-5, "1e-05"},      {1.45698978129772e-05, "1.45698978129772e-05"},
      {5e-324, "5e-324"},   {1.7976931348623157e308, "1.7976931348623157e+308"},
      {0.1, "0.1"},         {131831176349.65547, "131831176349.65547"},
      {1e100, "1e+100"},    {0.30000000000000004, "0.30000000000000004"},
  };
  for (const auto& [number, text] : numbers) {
    std::string out;
    append_number(out, number);
    EXPECT_EQ(out, text);
  }
}

TEST(JsonText, EveryNumberComesBackAndIsAsShortAsItCanBe) {
  std::mt19937_64 dice(7);
  for (int i = 0; i < 20000; ++i) {
    double number = 0;
    const std::uint64_t bits = dice();
    std::memcpy(&number, &bits, sizeof number);
    if (!std::isfinite(number)) continue;
    std::string out;
    append_number(out, number);
    double back = 0;
    std::from_chars(out.data(), out.data() + out.size(), back);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(back), bits) << out;
    ASSERT_LE(out.size(), 24U) << out;
  }
}

}  // namespace
}  // namespace roofline::report
