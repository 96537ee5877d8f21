// A run that is reduced while it is read, in parts and on several threads, is compared as the whole
// report would be.
#include "report/comparison_run.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "recorded_pairs.hpp"
#include "report/comparison.hpp"
#include "report/comparison_text.hpp"
#include "report/json_writer.hpp"
#include "roofline/error.hpp"
#include "sample_reports.hpp"

namespace roofline {
namespace {

using report::ComparedRun;
using report::ReadOptions;

std::string compared(const ComparedRun& base, const ComparedRun& fresh) {
  return report::render_comparison_json(report::compare({&base, 1}, {&fresh, 1}, {}));
}

TEST(ComparedRun, IsReadAsAWholeReportIs) {
  std::vector<Report> reports{test::sample_report(), test::recorded_runs().at(0),
                              test::recorded_runs().at(1)};
  for (std::uint64_t seed = 0; seed < 20; ++seed) reports.push_back(test::random_report(seed));
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const std::string text = report::to_json(reports[i]);
    // As the text has it: what is unknown has no value there.
    const ComparedRun whole = report::compared_run(report::read_report(text, "r.json"));
    Report fresh = i == 1 ? reports[2] : reports[i];
    fresh.run.id = "another";
    const ComparedRun other = report::compared_run(fresh);
    for (const std::size_t chunk : {0U, 1U, 9000U}) {
      const ComparedRun read = report::read_run(text, "r.json", {.threads = 3, .chunk = chunk});
      EXPECT_TRUE(read.head.points.empty());
      EXPECT_EQ(compared(read, other), compared(whole, other)) << i;
      EXPECT_EQ(compared(other, read), compared(other, whole)) << i;
    }
  }
}

TEST(ComparedRun, IsRefusedAsAWholeReportIs) {
  auto document = nlohmann::ordered_json::parse(report::to_json(test::sample_report()));
  // Of a key that no comparison looks at.
  document["points"][3]["rows_to_ridge"] = "many";
  const auto said = [&](auto&& read) -> std::string {
    try {
      (void)read(document.dump(), "r.json", ReadOptions{});
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  const std::string whole = said([](auto&&... all) { return report::read_report(all...); });
  EXPECT_NE(whole.find("/points/3/rows_to_ridge"), std::string::npos) << whole;
  EXPECT_EQ(said([](auto&&... all) { return report::read_run(all...); }), whole);
}

TEST(ComparedRun, ManyPointsAreWrittenInTheirOrder) {
  Report base = test::recorded_runs().at(0);
  base.run.id.clear();
  const Record one = base.points.at(0);
  base.points.clear();
  for (int i = 0; i < 700; ++i) {
    base.points.push_back(one);
    base.points.back().id = "p" + std::to_string(i);
  }
  const ComparedRun run = report::compared_run(base);
  const report::Comparison found = report::compare({&run, 1}, {&run, 1}, {});
  const auto document = nlohmann::json::parse(report::render_comparison_json(found));
  ASSERT_EQ(document.at("points").size(), 700U);
  for (std::size_t i = 0; i < 700; ++i)
    EXPECT_EQ(document.at("points")[i].at("point"), found.points[i].id);
}

}  // namespace
}  // namespace roofline
