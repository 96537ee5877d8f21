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
        "--backend scripted:" + kSource + "/tests/data/scripts/" + script + " --repeat 3 --seed 1";
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
  EXPECT_EQ(folder_.read("step.md"), text_of(out("summary.md")));
  EXPECT_FALSE(std::filesystem::exists(out("comparison.md")));
}

TEST_F(CiJob, SlowerThanTheBaseFailsAndTheSameDoesNot) {
  ASSERT_EQ(job("quiet.script", {}).status, 0);
  const std::string same = folder_.write("same.json", text_of(out("report.json")));
  EXPECT_EQ(job("quiet.script", {{"BASE", same}}).status, 0);
  const auto slower = job("quiet.script", {{"BASE", base(0.5)}});
  EXPECT_EQ(slower.status, 1) << slower.err;
  EXPECT_NE(text_of(out("comparison.md")).find("slower"), std::string::npos);
}

TEST_F(CiJob, ABudgetThatIsNotHeldFails) {
  const auto budget = [&](const std::string& line) {
    return job("quiet.script", {{"BUDGET", folder_.write("budget.txt", line + "\n")}}).status;
  };
  EXPECT_EQ(budget("read.bandwidth >= 1 GB/s"), 0);
  EXPECT_EQ(budget("read.bandwidth >= 900 TB/s"), 1);
  EXPECT_EQ(budget("read.bandwith >= 1 GB/s"), 2) << "a misspelt one has not passed";
}

TEST_F(CiJob, ABaseOfAnotherMachineSaysNothing) {
  ASSERT_EQ(job("undercounted_bytes.script", {}).status, 0);
  const std::string other = folder_.write("other.json", text_of(out("report.json")));
  EXPECT_EQ(job("quiet.script", {{"BASE", other}}).status, 5);
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
