// Figures as text: against files that a person has looked at, and by rules that hold for any.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "chart/charts.hpp"
#include "chart/html.hpp"
#include "chart/svg.hpp"
#include "chart/svg_reading.hpp"
#include "chart/text.hpp"
#include "report/sample_reports.hpp"
#include "support/golden.hpp"

namespace roofline::chart {
namespace {

Figure drawn_as(const Report& report, const std::string& kind = "roofline") {
  return find_chart_kind(kind)->build({&report, 1}, {});
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t out = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++out;
  return out;
}

/// So many points, at places of their own, of the families and types of the sample report.
Report crowd(std::size_t points) {
  Report out = test::sample_report();
  const std::vector<Record> some = out.points;
  out.points.clear();
  for (std::size_t i = 0; i < points; ++i) {
    Record one = some[i % some.size()];
    one.id += "#" + std::to_string(i);
    const double up = 0.2 + static_cast<double>(i * 7919 % 1000) / 1000;
    const double right = 0.3 + static_cast<double>(i * 104729 % 1000) / 400;
    if (one.assessment && one.assessment->achieved)
      one.assessment->achieved = *one.assessment->achieved * up;
    if (one.placement.intensity) one.placement.intensity = *one.placement.intensity * right;
    out.points.push_back(std::move(one));
  }
  return out;
}

TEST(Svg, LooksAsItDid) {
  const Report report = test::sample_report();
  test::expect_golden(to_svg(drawn_as(report), {}), "chart/roofline.svg");
  test::expect_golden(to_svg(drawn_as(report, "gap"), {.theme = Theme::dark}),
                      "chart/gap_dark.svg");
}

TEST(Text, LooksAsItDid) {
  const Report report = test::sample_report();
  test::expect_golden(to_text(drawn_as(report), {}), "chart/roofline.txt");
  test::expect_golden(to_text(drawn_as(report), {.unicode = false}), "chart/roofline_ascii.txt");
  test::expect_golden(to_text(drawn_as(report, "gap"), {}), "chart/gap.txt");
  test::expect_golden(to_text(drawn_as(report, "decode"), {.unicode = false}),
                      "chart/decode_ascii.txt");
}

TEST(Html, LooksAsItDid) {
  Report report = test::sample_report();
  std::erase_if(report.points, [](const Record& r) { return r.id != "gemm/fp32/2048"; });
  report.points[0].id = "</script><b>&\"quoted\"";
  report.findings.clear();
  test::expect_golden(to_html(drawn_as(report), {&report, 1}, Theme::automatic),
                      "chart/small.html");
}

TEST(Html, NothingEndsTheScriptBeforeItsTime) {
  Report report = test::sample_report();
  report.points[0].id = "</script><script>alert(1)</script>";
  report.device_name = "<img src=x onerror=alert(1)>";
  const std::string page = to_html(drawn_as(report), {&report, 1}, Theme::light);
  EXPECT_EQ(count(page, "</script>"), 2U) << "one of the JSON, one of the program";
  EXPECT_EQ(count(page, "<script"), 2U);
  EXPECT_EQ(count(page, "<img"), 0U);
  EXPECT_EQ(count(page, "http"), 1U) << "the name of SVG's namespace, and no address";
}

TEST(Svg, NamesStayTextAndTextStaysXml) {
  Report report = test::sample_report();
  report.device_name = "A & B <x> \x01\xFF";
  report.points[5].id = "gemm<32>(a && b)\"'";
  const std::string svg = to_svg(drawn_as(report), {});
  EXPECT_NE(svg.find("A &amp; B &lt;x&gt;  \xEF\xBF\xBD"), std::string::npos);
  EXPECT_NE(svg.find("data-id=\"gemm&lt;32&gt;(a &amp;&amp; b)&quot;&#39;\""), std::string::npos);
  EXPECT_EQ(svg.find('\x01'), std::string::npos);
}

TEST(Svg, ThemesAreOneOrBoth) {
  const Report report = test::sample_report();
  const std::string dark_paper = "fill:#14171b";
  const auto made = [&](Theme theme) { return to_svg(drawn_as(report), {.theme = theme}); };
  EXPECT_EQ(made(Theme::light).find(dark_paper), std::string::npos);
  EXPECT_EQ(made(Theme::dark).find("fill:#ffffff"), std::string::npos);
  EXPECT_NE(made(Theme::automatic).find("prefers-color-scheme"), std::string::npos);
}

TEST(Svg, FiveThousandPointsStayBelowThreeMegabytes) {
  const Report report = crowd(5000);
  const std::string svg = to_svg(drawn_as(report), {});
  EXPECT_LT(svg.size(), 3'000'000U);
  const auto drawn = static_cast<std::size_t>(std::count_if(
      report.points.begin(), report.points.end(),
      [](const Record& point) { return std::holds_alternative<Measured>(point.outcome); }));
  EXPECT_EQ(count(svg, "data-id="), drawn);
}

TEST(Svg, WithoutBoundsItStaysSmall) {
  const Report report = crowd(60'000);
  const std::string svg = to_svg(drawn_as(report), {});
  EXPECT_LT(svg.size(), 12'000'000U);
  EXPECT_EQ(count(svg, "data-id="), 0U);
}

/// The boxes of the labels within the plot that lie level.
std::vector<Box> label_boxes(const std::string& svg) {
  std::vector<Box> out;
  for (const SvgText& text : texts_of(svg, "halo")) {
    if (text.angle == 0) out.push_back(text.box());
  }
  return out;
}

TEST(Svg, LabelsDoNotCollide) {
  for (const std::size_t points : {20U, 500U, 5000U}) {
    const Report report = crowd(points);
    const std::vector<Box> boxes = label_boxes(to_svg(drawn_as(report), {}));
    EXPECT_GE(boxes.size(), 8U);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      for (std::size_t j = i + 1; j < boxes.size(); ++j) {
        // Coordinates are written to a tenth.
        Box one = boxes[i];
        one = {one.left + 0.2, one.top + 0.2, one.right - 0.2, one.bottom - 0.2};
        EXPECT_FALSE(overlap(one, boxes[j])) << points << ": " << i << ", " << j;
      }
    }
  }
}

TEST(Text, IsAsWideAsItWasAsked) {
  const Report report = test::sample_report();
  for (const std::size_t width : {60U, 80U, 132U}) {
    const std::string text = to_text(drawn_as(report), {.width = width, .unicode = false});
    std::size_t begin = 0;
    while (begin < text.size()) {
      const std::size_t end = text.find('\n', begin);
      EXPECT_LE(end - begin, width) << text.substr(begin, end - begin);
      begin = end + 1;
    }
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) {
      return c == '\n' || (c >= ' ' && c <= '~');
    })) << "plain ASCII";
  }
}

TEST(Text, ColoursOnlyWhereTheyAreWanted) {
  const Report report = test::sample_report();
  EXPECT_EQ(to_text(drawn_as(report), {}).find('\x1b'), std::string::npos);
  EXPECT_NE(to_text(drawn_as(report), {.colour = true}).find("\x1b[38;5;"), std::string::npos);
}

/// Whatever the values are, every format is made, and holds no number that is none.
TEST(Renderers, ArbitraryReportsAreDrawn) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Report report = test::random_report(seed);
    for (const ChartKind& kind : chart_kinds()) {
      const Figure chart = kind.build({&report, 1}, {.attainable = seed % 2 == 0});
      const std::string svg = to_svg(chart, {});
      for (const char* wrong : {"\"nan", " nan", "inf ", "\"inf", "\"-inf"})
        EXPECT_EQ(svg.find(wrong), std::string::npos) << kind.name << seed << wrong;
      EXPECT_EQ(svg, to_svg(chart, {}));
      EXPECT_FALSE(to_text(chart, {.unicode = seed % 3 == 0}).empty());
      EXPECT_FALSE(to_html(chart, {&report, 1}, Theme::automatic).empty());
    }
  }
}

}  // namespace
}  // namespace roofline::chart
