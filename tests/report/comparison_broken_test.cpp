// What the new side broke, and what nobody has looked at.
#include <gtest/gtest.h>

#include "comparison_support.hpp"
#include "report/comparison_text.hpp"
#include "support/schema_check.hpp"

namespace roofline::comparing {
namespace {

Measured unverified(double time) {
  Measured out = measured(steady(time));
  out.verification = {VerificationState::unverified, "imported"};
  return out;
}

const ComparedPoint& only(const Comparison& comparison) {
  EXPECT_EQ(comparison.points.size(), 1U);
  return comparison.points.at(0);
}

Comparison between(const Outcome& was, const Outcome& is) {
  return of(run({point(kPeak, was)}), run({point(kPeak, is)}, "two"), 0.1);
}

/// The usual state where a change adds a kernel.
TEST(ComparisonBroken, ANewPointCanBeBroken) {
  const Report base = run({});
  const Report failed = run({point(kRead, Failed{"out of memory"})}, "two");
  const Comparison found = of(base, failed);
  EXPECT_EQ(only(found).verdict, ComparedAs::added);
  EXPECT_TRUE(only(found).broken);
  const Comparison skipped = between(Skipped{"no room"}, Failed{"out of memory"});
  EXPECT_TRUE(only(skipped).broken);
  const Comparison good = of(base, run({point(kRead, measured(steady(1)))}, "two"));
  EXPECT_EQ(only(good).verdict, ComparedAs::added);
  EXPECT_FALSE(only(good).broken);
}

TEST(ComparisonBroken, AResultThatIsVerifiedNoMoreIsNotTheSame) {
  const Comparison found = between(measured(steady(1)), unverified(1));
  EXPECT_EQ(only(found).verdict, ComparedAs::unverified);
  EXPECT_TRUE(only(found).broken);
  EXPECT_NE(only(found).reason.find("nobody has looked"), std::string::npos) << only(found).reason;
  const Comparison slower = between(measured(steady(1)), unverified(1.5));
  EXPECT_EQ(only(slower).verdict, ComparedAs::slower);
  EXPECT_TRUE(only(slower).broken);
  const Comparison gained = between(unverified(1), measured(steady(1)));
  EXPECT_EQ(only(gained).verdict, ComparedAs::same);
  EXPECT_TRUE(gained.notes.empty()) << "it has been looked at by now";
}

/// What failed besides is said, not that it is verified no more.
TEST(ComparisonBroken, TheWorseReasonIsSaid) {
  const Report base = run({point(kPeak, measured(steady(1)))});
  const std::vector<Report> fresh{run({point(kPeak, Failed{"out of memory"})}, "two"),
                                  run({point(kPeak, unverified(1))}, "three")};
  const Comparison found = compare({&base, 1}, fresh, {0.1});
  EXPECT_NE(only(found).reason.find("out of memory"), std::string::npos) << only(found).reason;
}

/// A gate's comment and a script's JSON show it as what it is.
TEST(ComparisonBroken, IsSeenInEachFormat) {
  const Report base = run({point(Launch{}, measured(steady(1)))});
  Report fresh = run({point(kRead, Failed{"out of memory"}), point(Launch{}, measured(steady(1)))});
  fresh.run.id = "two";
  const Comparison found = of(base, fresh, 0.1);
  const std::string markdown = report::render_comparison_markdown(found);
  EXPECT_NE(markdown.find("1 of them broken"), std::string::npos) << markdown;
  EXPECT_LT(markdown.find("out of memory"), markdown.find("<details>")) << markdown;
  const std::string json = report::render_comparison_json(found);
  EXPECT_NE(json.find("\"broken\": true"), std::string::npos);
  if (test::schema_check_available()) {
    EXPECT_TRUE(test::comparison_schema_errors(json).empty());
  }
}

TEST(ComparisonBroken, WhatNobodyVerifiedHasNoSameResult) {
  const Comparison found = between(unverified(1), unverified(1));
  EXPECT_EQ(only(found).verdict, ComparedAs::unverified);
  EXPECT_FALSE(only(found).broken);
  EXPECT_TRUE(found.says_something());
  EXPECT_EQ(between(unverified(1), unverified(1.5)).points.at(0).verdict, ComparedAs::slower);
}

TEST(ComparisonBroken, ARunThatIsOnBothSidesIsSaid) {
  const Report one = run({point(kRead, measured(steady(1)))}, "one");
  const Report two = run({point(kRead, measured(steady(1.1)))}, "two");
  const std::vector<Report> fresh{one, two};
  const Comparison found = compare({&one, 1}, fresh, {0.01});
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_EQ(found.notes[0].substr(0, 31), "the run one is on both sides: c");
}

}  // namespace
}  // namespace roofline::comparing
