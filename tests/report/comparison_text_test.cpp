// How a comparison looks.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "comparison_support.hpp"
#include "report/comparison_text.hpp"
#include "support/golden.hpp"
#include "support/schema_check.hpp"

namespace roofline::comparing {
namespace {

Comparison mixed() {
  static const Report base = [] {
    return run(
        {point(kRead, measured(steady(1e-6)), "stream/fp64/read"),
         point(Gemm{.m = 64, .n = 64, .k = 64}, measured(steady(5e-6))),
         point(Gemm{.m = 96, .n = 64, .k = 64}, measured(steady(5e-6))),
         point(kPeak, measured(steady(1e-6))), point(Launch{}, measured(steady(2e-6))),
         point(Gemm{.m = 128, .n = 64, .k = 64}, measured(steady(5e-6))),
         point(Gemm{.m = 32, .n = 64, .k = 64}, measured(steady(5e-6))),
         point(Stream{.kind = StreamKind::copy, .elements = 100000}, measured(steady(1e-6)))});
  }();
  static const Report fresh = [] {
    Report out =
        run({point(kRead, measured(steady(1.2e-6)), "stream/fp64/read"),
             point(Gemm{.m = 64, .n = 64, .k = 64}, measured(steady(12e-6))),
             point(Gemm{.m = 96, .n = 64, .k = 64},
                   Incorrect{{VerificationState::incorrect, "3|4 values are off"}}),
             point(kPeak, measured(steady(1.01e-6))), point(Launch{}, measured(steady(1.7e-6))),
             point(Gemm{.m = 32, .n = 64, .k = 64}, measured(steady(0.2e-6))),
             point(Gemm{.m = 256, .n = 64, .k = 64}, measured(steady(5e-6))),
             point(Stream{.kind = StreamKind::copy, .elements = 100000}, measured(steady(1e-6)))},
            "two");
    out.tool_version = "2.0";
    return out;
  }();
  return of(base, fresh, 0.03);
}

TEST(ComparisonText, TheTableSaysMostFirst) {
  test::expect_golden(report::render_comparison_table(mixed(), {}), "report/comparison.txt");
}

TEST(ComparisonText, EachSideOfAProbeHasItsOwnRate) {
  // Half of the work in half of the time: 1 TFLOP/s each.
  const Record base = point(kPeak, measured(steady(1e-6)), "peak/fp32/registers");
  const Record fresh =
      point(PeakProbe{DType::fp32, 500000}, measured(steady(0.5e-6)), "peak/fp32/registers");
  // A comparison refers to its reports.
  const Report one = run({base});
  const Report two = run({fresh}, "two");
  const Comparison found = of(one, two);
  ASSERT_EQ(found.points.size(), 1U);
  EXPECT_EQ(report::figure_text(*found.points[0].base), "1.00 TFLOP/s");
  EXPECT_EQ(report::figure_text(*found.points[0].fresh),
            report::figure_text(*found.points[0].base));
}

TEST(ComparisonText, MarkdownFoldsWhatNeedsNoLook) {
  test::expect_golden(report::render_comparison_markdown(mixed()), "report/comparison.md");
}

TEST(ComparisonText, MarkdownOfManyPointsFitsAComment) {
  std::vector<Record> points;
  for (int i = 0; i < 3000; ++i)
    points.push_back(point(kRead, measured(steady(1)), "point " + std::to_string(i)));
  const Report base = run(points);
  for (Record& record : points) record.outcome = measured(steady(1.5));
  const std::string text = report::render_comparison_markdown(of(base, run(points, "two")));
  EXPECT_LT(text.size(), 65536U);
  EXPECT_NE(text.find("more are not shown"), std::string::npos);
  EXPECT_TRUE(text.ends_with("</details>\n"));
}

TEST(ComparisonText, JsonFollowsItsSchema) {
  if (!test::schema_check_available()) GTEST_SKIP() << test::kNoSchemaCheck;
  const std::string text = report::render_comparison_json(mixed());
  EXPECT_EQ(test::comparison_schema_errors(text), std::vector<std::string>{});
  auto broken = nlohmann::json::parse(text);
  EXPECT_EQ(broken.at("counts").at("slower"), 2);
  EXPECT_EQ(broken.at("points").at(0).at("verdict"), "slower");
  EXPECT_NEAR(broken.at("points").at(0).at("ratio").at("value").get<double>(), 2.4, 1e-9);
  broken["points"][0]["verdict"] = "regression";
  EXPECT_FALSE(test::comparison_schema_errors(broken.dump()).empty());
}

}  // namespace
}  // namespace roofline::comparing
