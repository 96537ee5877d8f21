// The script that the jobs of docs/ci call, as they call it, on a scripted machine.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/run_tool.hpp"

namespace roofline::test {
namespace {

const std::string kSource = ROOFLINE_SOURCE_DIR;

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

class CiJob : public testing::Test {
 protected:
  test::Run job(const std::string& script, std::map<std::string, std::string> environment) const {
    const std::string bin = std::filesystem::path(roofline_path()).parent_path().string();
    environment["PATH"] = bin + ":/usr/bin:/bin";
    environment["RUN_OPTIONS"] =
        "--backend scripted:" +
        (std::filesystem::path(kSource + "/tests/data/scripts") / script).string() +
        " --repeat 3 --seed 1";
    environment["OUT"] = folder_.path("out");
    return run_program("/bin/sh", {kSource + "/docs/ci/roofline-gate.sh"},
                       {.environment = environment, .directory = folder_.path("")});
  }
  [[nodiscard]] std::string out(const std::string& name) const {
    return folder_.path("out/" + name);
  }
  /// What was measured becomes the base, every time in it `factor` times as long.
  std::string base(double factor) const {
    std::string text = text_of(out("report.json"));
    std::string scaled;
    const std::string key = "\"duration_s\": ";
    std::size_t from = text.find("\"points\"");
    scaled = text.substr(0, from);
    for (std::size_t at; (at = text.find(key, from)) != std::string::npos;) {
      at += key.size();
      const std::size_t end = text.find_first_not_of("0123456789.e-+", at);
      scaled += text.substr(from, at - from) +
                std::to_string(std::stod(text.substr(at, end - at)) * factor);
      from = end;
    }
    return folder_.write("base.json", scaled + text.substr(from));
  }

  TemporaryFolder folder_;
};

TEST_F(CiJob, WithoutABaseItMeasuresAndPublishes) {
  const auto run = job("quiet.script", {{"BASE", folder_.path("none.json")},
                                        {"GITHUB_STEP_SUMMARY", folder_.path("step.md")}});
  EXPECT_EQ(run.status, 0) << run.err;
  for (const char* name :
       {"report.json", "table.txt", "summary.md", "junit.xml", "metrics.txt", "roofline.html"})
    EXPECT_GT(text_of(out(name)).size(), 100U) << name;
  EXPECT_EQ(folder_.read("step.md"), text_of(out("comparison.md")) + text_of(out("summary.md")));
}

TEST_F(CiJob, SlowerThanTheBaseFailsAndTheSameDoesNot) {
  ASSERT_EQ(job("quiet.script", {}).status, 0);
  const std::string same = folder_.write("same.json", text_of(out("report.json")));
  EXPECT_EQ(job("quiet.script", {{"BASE", same}}).status, 0);
  const auto slower = job("quiet.script", {{"BASE", base(0.5)}});
  EXPECT_EQ(slower.status, 1) << slower.err;
  EXPECT_NE(text_of(out("comparison.md")).find("slower"), std::string::npos);
}

TEST_F(CiJob, WrongResultsFailWithAndWithoutABase) {
  const auto alone = job("failing.script", {});
  EXPECT_EQ(alone.status, 1) << alone.err;
  EXPECT_NE(alone.err.find("gave wrong results"), std::string::npos) << alone.err;
  EXPECT_FALSE(std::filesystem::exists(out("base.json"))) << "it is no base of what comes next";
  ASSERT_EQ(job("quiet.script", {}).status, 0);
  EXPECT_TRUE(std::filesystem::exists(out("base.json")));
}

TEST_F(CiJob, AMissingBaseIsSaid) {
  const auto run = job("quiet.script", {{"BASE", folder_.path("none.json")}});
  EXPECT_NE(run.err.find("no base report at " + folder_.path("none.json") + ": nothing compared"),
            std::string::npos)
      << run.err;
  EXPECT_NE(text_of(out("comparison.md")).find("nothing compared"), std::string::npos);
}

TEST_F(CiJob, TheShippedBudgetHolds) {
  const std::string budget = kSource + "/docs/ci/budget.txt";
  const auto quiet = job("quiet.script", {{"BUDGET", budget}});
  EXPECT_EQ(quiet.status, 0) << text_of(out("budget.txt")) << quiet.err;
  EXPECT_NE(text_of(out("budget.txt")).find("all hold"), std::string::npos);
  // Of a processor outside of the catalogue, and with streams in caches.
  for (const char* report : {"/docs/pictures/run.json", "/tests/data/reports/kinds.json"})
    EXPECT_EQ(roofline({"check", kSource + report, "--assert-file", budget}).status, 0) << report;
}

TEST_F(CiJob, ABudgetThatIsNotHeldFails) {
  const auto budget = [&](const std::string& line) {
    return job("quiet.script", {{"BUDGET", folder_.write("budget.txt", line + "\n")}}).status;
  };
  EXPECT_EQ(budget("read.bandwidth >= 1 GB/s"), 0);
  EXPECT_EQ(budget("read.bandwidth >= 900 TB/s"), 1);
  EXPECT_EQ(budget("read.bandwith >= 1 GB/s"), 2) << "a misspelt one has not passed";
}

TEST_F(CiJob, WhatABudgetFailsForIsSaidInLogAndSummary) {
  struct Line {
    std::string text;
    int status;
    std::string said;
  };
  for (const Line& line :
       {Line{"read.bandwidth >= 900 TB/s", 1, "FAIL  read.bandwidth >= 900 TB/s"},
        Line{"read.bandwidth >= 150", 2, "150 of what unit?"}}) {
    const std::string summary = folder_.write("step.md", "");
    const auto run = job("quiet.script", {{"BUDGET", folder_.write("budget.txt", line.text + "\n")},
                                          {"GITHUB_STEP_SUMMARY", summary}});
    EXPECT_EQ(run.status, line.status) << line.text;
    for (const std::string& text : {run.err, folder_.read("step.md")})
      EXPECT_NE(text.find(line.said), std::string::npos) << text;
  }
}

/// Runners that keep their folders would publish them as this run's.
TEST_F(CiJob, OfARunThatDoesNotStartNothingIsLeft) {
  ASSERT_EQ(job("quiet.script", {}).status, 0);
  EXPECT_NE(job("none.script", {}).status, 0);
  for (const char* name :
       {"report.json", "junit.xml", "metrics.txt", "summary.md", "roofline.html"})
    EXPECT_FALSE(std::filesystem::exists(out(name))) << name;
}

TEST_F(CiJob, ABaseOfAnotherMachineSaysNothing) {
  ASSERT_EQ(job("undercounted_bytes.script", {}).status, 0);
  const std::string other = folder_.write("other.json", text_of(out("report.json")));
  EXPECT_EQ(job("quiet.script", {{"BASE", other}}).status, 5);
  EXPECT_TRUE(std::filesystem::exists(out("base.json"))) << "or it would stay the base for ever";
}

TEST_F(CiJob, ADisturbedReportIsNoBase) {
  ASSERT_EQ(job("quiet.script", {}).status, 0);
  const std::string good = folder_.write("good.json", text_of(out("report.json")));
  const std::string busy =
      folder_.write("busy.script", text_of(kSource + "/tests/data/scripts/quiet.script") +
                                       "threads 2\npoint * contention=0s-1000s:50%\n");
  EXPECT_EQ(job(busy, {}).status, 5);
  EXPECT_FALSE(std::filesystem::exists(out("base.json")));
}

TEST(CiJobs, BasesReachMergeRequestsAndOnlyGoodOnesAreKept) {
  EXPECT_NE(text_of(kSource + "/docs/ci/gitlab.yml").find("unprotect: true"), std::string::npos);
  for (const char* job : {"github.yml", "gitlab.yml"}) {
    const std::string text = text_of(kSource + "/docs/ci/" + job);
    EXPECT_NE(text.find("cp roofline-out/base.json base/report.json"), std::string::npos) << job;
    EXPECT_EQ(text.find("cp roofline-out/report.json"), std::string::npos) << job;
  }
}

TEST(CiJobs, BothCallTheScript) {
  for (const char* job : {"github.yml", "gitlab.yml"}) {
    const std::string text = text_of(kSource + "/docs/ci/" + job);
    EXPECT_NE(text.find("sh ci/roofline-gate.sh"), std::string::npos) << job;
    for (const char* variable : {"RUN_OPTIONS: ", "BASE: ", "BUDGET: ci/budget.txt"})
      EXPECT_NE(text.find(variable), std::string::npos) << job << ' ' << variable;
  }
}

}  // namespace
}  // namespace roofline::test
