#include "chart/axis.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "report/markup.hpp"

namespace roofline::chart {
namespace {

std::vector<std::string> texts(const Axis& axis, std::size_t most = 12) {
  std::vector<std::string> out;
  for (const Tick& tick : ticks(axis, most)) {
    if (!tick.text.empty()) out.push_back(tick.text);
  }
  return out;
}

using Texts = std::vector<std::string>;

TEST(Axis, EndsOnOneTwoOrFive) {
  const Axis axis = log_axis("x", report::Unit::count, 3.1, 4200);
  EXPECT_DOUBLE_EQ(axis.low, 2);
  EXPECT_DOUBLE_EQ(axis.high, 5000);
  const Axis exact = log_axis("x", report::Unit::count, 1e-3, 1e3);
  EXPECT_DOUBLE_EQ(exact.low, 1e-3);
  EXPECT_DOUBLE_EQ(exact.high, 1e3);
}

TEST(Axis, ADecadeIsTheSameLengthEverywhere) {
  const Axis axis = log_axis("x", report::Unit::count, 0.01, 10000);
  EXPECT_NEAR(fraction(axis, 0.01), 0, 1e-12);
  EXPECT_NEAR(fraction(axis, 10000), 1, 1e-12);
  EXPECT_NEAR(fraction(axis, 1), 2.0 / 6, 1e-12);
  EXPECT_NEAR(fraction(axis, 10) - fraction(axis, 1), fraction(axis, 1000) - fraction(axis, 100),
              1e-12);
}

TEST(Axis, DecadesAreToldAndEightLinesLieBetweenThem) {
  const Axis axis = log_axis("x", report::Unit::flop_per_byte, 0.01, 1000);
  EXPECT_EQ(texts(axis), (Texts{"0.01", "0.1", "1", "10", "100", "1000"}));
  EXPECT_EQ(ticks(axis).size(), 6U + 5 * 8);
}

TEST(Axis, RatesCarryTheirOwnPrefix) {
  EXPECT_EQ(texts(log_axis("y", report::Unit::flop_per_s, 1e9, 1e13)),
            (Texts{"1 GFLOP/s", "10 GFLOP/s", "100 GFLOP/s", "1 TFLOP/s", "10 TFLOP/s"}));
  EXPECT_EQ(texts(log_axis("t", report::Unit::second, 2e-7, 5e-6)),
            (Texts{"200 ns", "500 ns", "1 us", "2 us", "5 us"}));
}

TEST(Axis, AShortOneTellsTwosAndFives) {
  EXPECT_EQ(texts(log_axis("y", report::Unit::byte_per_s, 2e10, 1e11)),
            (Texts{"20 GB/s", "50 GB/s", "100 GB/s"}));
}

TEST(Axis, AVeryLongOneLeavesDecadesOut) {
  const Axis axis = log_axis("y", report::Unit::count, 1e-30, 1e30);
  EXPECT_LE(texts(axis).size(), 12U);
  EXPECT_GE(texts(axis).size(), 6U);
}

TEST(Axis, CapacitiesArePowersOfTwo) {
  Axis axis{.unit = report::Unit::byte, .scaling = Scaling::log2, .capacity = true};
  axis.low = 16384;
  axis.high = 262144;
  EXPECT_EQ(texts(axis), (Texts{"16 KiB", "32 KiB", "64 KiB", "128 KiB", "256 KiB"}));
}

TEST(Axis, SharesAreInPerCent) {
  Axis axis{.unit = report::Unit::share, .scaling = Scaling::linear};
  axis.low = 0;
  axis.high = 1;
  EXPECT_EQ(texts(axis, 6), (Texts{"0 %", "20 %", "40 %", "60 %", "80 %", "100 %"}));
}

TEST(Extent, PassesOverWhatNoLogarithmicAxisHolds) {
  Extent extent;
  for (const double value : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()})
    extent.include(value);
  EXPECT_TRUE(extent.empty());
  extent.include(7);
  extent.include(3);
  EXPECT_EQ(extent.low(), 3);
  EXPECT_EQ(extent.high(), 7);
}

// ---- text on its way into XML and HTML ----

TEST(Markup, MarkupInTextIsEscaped) {
  EXPECT_EQ(report::escaped("gemm<32>(a && \"b\", 'c')"),
            "gemm&lt;32&gt;(a &amp;&amp; &quot;b&quot;, &#39;c&#39;)");
}

TEST(Markup, WhatXmlForbidsIsReplaced) {
  EXPECT_EQ(report::escaped(std::string("a\0b\x1b[31mc\x7f", 10)), "a b [31mc ");
  EXPECT_EQ(report::escaped("gr\xC3\xBC\xC3\x9F \xE2\x82\xAC"), "gr\xC3\xBC\xC3\x9F \xE2\x82\xAC");
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(report::escaped("\xFF"), bad);
  EXPECT_EQ(report::escaped("\xC3"), bad);                      // cut short
  EXPECT_EQ(report::escaped("\xC0\xAF"), bad + bad);            // longer than it need be
  EXPECT_EQ(report::escaped("\xED\xA0\x80"), bad + bad + bad);  // half of a pair
  EXPECT_EQ(report::escaped("\xEF\xBF\xBF"), bad + bad + bad);  // U+FFFF
  EXPECT_EQ(report::escaped("\xC2\x9B"
                            "31m"),
            " 31m");  // a control character of C1
  EXPECT_EQ(report::escaped("one\ntwo"), "one&#10;two");
}

TEST(Markup, JsonCannotEndItsScript) {
  EXPECT_EQ(report::script_json(R"({"id":"</script><!--"})"),
            R"({"id":"\u003c/script\u003e\u003c!--"})");
}

}  // namespace
}  // namespace roofline::chart
