#include "report/selection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/column_table.hpp"
#include "roofline/error.hpp"
#include "sample_reports.hpp"

namespace roofline::report {
namespace {

Record point(const std::string& id, DType dtype, std::optional<double> of_ceiling) {
  Record out;
  out.id = id;
  out.workload = Gemm{.m = 8, .n = 8, .k = 8, .input = dtype};
  if (of_ceiling) {
    Assessment assessment;
    assessment.of_ceiling = of_ceiling;
    out.assessment = assessment;
  }
  return out;
}

std::vector<Record> points() {
  return {point("a", DType::bf16, 0.5), point("b", DType::fp32, {}), point("c", DType::bf16, 0.9),
          point("d", DType::fp16, 0.7)};
}

std::string ids(const std::vector<Record>& records) {
  std::string out;
  for (const Record& record : records) out += record.id;
  return out;
}

std::string filtered(const std::string& text) {
  std::vector<Record> all = points();
  const Filter filter(text, "--filter");
  std::erase_if(all, [&](const Record& record) { return !filter.admits(record); });
  return ids(all);
}

TEST(Filter, AllConditionsMustHold) {
  EXPECT_EQ(filtered("dtype=bf16"), "ac");
  EXPECT_EQ(filtered("dtype=bf16,of_ceiling>=0.6"), "c");
  EXPECT_EQ(filtered(" dtype = *16 , of_ceiling < 90 %"), "ad");
  EXPECT_EQ(filtered("of_ceiling<=0.7"), "ad");
  EXPECT_EQ(filtered("of_ceiling>0.7"), "c");
  EXPECT_EQ(filtered("of_ceiling=0.7"), "d");
  EXPECT_EQ(filtered("kind!=gemm"), "");
}

TEST(Filter, YesAndNoAreWhatTablesSay) {
  EXPECT_EQ(filtered("defines_roof=no"), "abcd");
  EXPECT_EQ(filtered("defines_roof=false"), "abcd");
  EXPECT_EQ(filtered("defines_roof!=yes"), "abcd");
  EXPECT_EQ(filtered("defines_roof=true"), "");
  for (const char* other : {"defines_roof=maybe", "defines_roof!=1", "defines_roof="})
    EXPECT_THROW((void)filtered(other), InputError) << other;
}

TEST(Filter, WhatIsUnknownIsOnlyUnequal) {
  EXPECT_EQ(filtered("of_ceiling<150%"), "acd");
  EXPECT_EQ(filtered("of_ceiling!=0.5"), "bcd");
  EXPECT_EQ(filtered("verdict!=impossible"), "abcd");
}

TEST(Filter, MistakesNameTheWord) {
  const auto error_of = [](const std::string& text) -> std::string {
    try {
      static_cast<void>(filtered(text));
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(error_of("dtyp=x"), "--filter: there is no column 'dtyp'; roofline columns lists them");
  EXPECT_EQ(error_of("dtype"),
            "--filter: 'dtype' is no condition; write it as dtype=bf16 or of_ceiling>=60%");
  EXPECT_NE(error_of("dtype>bf16").find("dtype is no number"), std::string::npos);
  EXPECT_NE(error_of("of_ceiling>high").find("'high' is no number"), std::string::npos);
  EXPECT_EQ(error_of("of_ceiling<60"),
            "--filter: 'of_ceiling<60': of_ceiling is a share, and 60 means 6000 %; write 60% or "
            "0.6, or 6000% where that is meant");
  EXPECT_NE(error_of("outcome=faild").find("outcome is never 'faild'; it is one of measured, "),
            std::string::npos);
  EXPECT_NE(error_of("").find("is no condition"), std::string::npos);
  EXPECT_NE(error_of("dtype=bf16,").find("is no condition"), std::string::npos);
}

TEST(SortPoints, UnknownComesLastAndEqualStays) {
  std::vector<Record> all = points();
  sort_points(all, "of_ceiling", "--sort");
  EXPECT_EQ(ids(all), "adcb");
  sort_points(all, "-of_ceiling", "--sort");
  EXPECT_EQ(ids(all), "cdab");
  sort_points(all, "dtype", "--sort");
  EXPECT_EQ(ids(all), "cadb");
  EXPECT_THROW(sort_points(all, "-nothing", "--sort"), InputError);
}

TEST(Matches, AStarStandsForAnyCharacters) {
  EXPECT_TRUE(matches("", ""));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a*c", "abcbc"));
  EXPECT_FALSE(matches("a*c", "abcb"));
  EXPECT_TRUE(matches("stream/*/read", "stream/fp64/read"));
  EXPECT_FALSE(matches("a", "ab"));
  EXPECT_FALSE(matches("ab", "a"));
  // What a recursive answer would take for ever.
  EXPECT_FALSE(matches("*a*a*a*a*a*a*a*a*a*a*a*a*b", std::string(200, 'a')));
}

TEST(ColumnTable, HasWhatWasChosen) {
  Report report;
  report.points = points();
  const auto chosen = parse_columns("id,of_ceiling", "--columns");
  EXPECT_EQ(
      render_columns(report, chosen),
      "   point  of ceiling\n   a          50.0 %\n   b               -\n   c          90.0 %\n"
      "   d          70.0 %\n");
  EXPECT_TRUE(render_markdown(report, chosen)
                  .starts_with("| point | of ceiling |\n|---|--:|\n| `a` | 50.0 % |\n"));
  EXPECT_THROW(static_cast<void>(parse_columns("id,", "--columns")), InputError);
}

/// Nothing in a report breaks a row.
TEST(ColumnTable, ARowIsALine) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Report report = test::random_report(seed);
    const std::string text = render_markdown(report, usual_columns(report));
    EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')),
              report.points.size() + 2)
        << seed;
  }
}

}  // namespace
}  // namespace roofline::report
