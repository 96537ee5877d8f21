// roofline compare and run --repeat: the shipped program over runs of scripted machines.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "support/run_tool.hpp"
#include "support/schema_check.hpp"

namespace roofline::test {
namespace {

using nlohmann::json;
using Ran = test::Run;  // testing::Test has a Ran of its own

constexpr const char* kMachine = R"(clock 2GHz
peak fp64 1TFLOP/s
peak fp32 2TFLOP/s
peak bf16 8TFLOP/s
bandwidth dram 200GB/s
overhead kernel 4us
overhead library 6us
point * noise=0.1%
point gemm/* efficiency=85%
)";
constexpr const char* kSuite = R"({"name":"few","points":[
  {"kind":"peak","dtype":["fp64","fp32","bf16"]},{"kind":"stream","stream":"read"},
  {"kind":"gemm","dtype":"fp32","shape":["512x512x512","1024x1024x1024"]}]})";

class Compare : public testing::Test {
 protected:
  /// Measures a machine made of kMachine and more lines into `name`.
  std::string measure(const std::string& name, const std::string& more = {},
                      std::vector<std::string> options = {}, const std::string& suite = kSuite) {
    folder_.write("suite.json", suite);
    // Each of these stands once in a script.
    std::string script = kMachine + more;
    if (more.find("name ") == std::string::npos) script += "name \"Toy\"\n";
    if (more.find("fact driver") == std::string::npos) script += "fact driver_version \"1.0\"\n";
    folder_.write("machine.script", script);
    std::vector<std::string> call{"run",
                                  "--backend",
                                  "scripted:" + folder_.path("machine.script"),
                                  "--suite",
                                  folder_.path("suite.json"),
                                  "-o",
                                  folder_.path(name)};
    call.insert(call.end(), options.begin(), options.end());
    last_ = roofline(call);
    EXPECT_EQ(last_.status, 0) << last_.err;
    return folder_.path(name);
  }

  [[nodiscard]] Ran compare(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "compare");
    return roofline(arguments);
  }

  [[nodiscard]] json as_json(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--format", "json", "--fail-on", "none"});
    const Ran run = compare(std::move(arguments));
    for (const std::string& error : comparison_schema_errors(run.out)) ADD_FAILURE() << error;
    return json::parse(run.out);
  }

  /// The file with one thing replaced.
  std::string edited(const std::string& name, const std::string& from, const std::string& to) {
    std::string text = folder_.read(name);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
    return folder_.write("edited-" + name, text);
  }

  TemporaryFolder folder_;
  Ran last_;
};

std::map<std::string, std::string> verdicts(const json& comparison) {
  std::map<std::string, std::string> out;
  for (const json& point : comparison.at("points"))
    out[point.at("point").get<std::string>()] = point.at("verdict").get<std::string>();
  return out;
}

constexpr const char* kSlow = "point gemm/fp32/512x512x512 efficiency=70%\n";

TEST_F(Compare, ASlowerProductEndsWithOneAndIsNamedFirst) {
  const std::string base = measure("base.json");
  const std::string fresh = measure("new.json", kSlow);
  const Ran run = compare({base, fresh});
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_NE(run.out.find("slower"), std::string::npos) << run.out;
  EXPECT_LT(run.out.find("gemm/fp32/512x512x512"), run.out.find("gemm/fp32/1024x1024x1024"));
  const json found = as_json({base, fresh});
  EXPECT_EQ(verdicts(found).at("gemm/fp32/512x512x512"), "slower");
  const json& ratio = found.at("points").at(0).at("ratio");
  EXPECT_NEAR(ratio.at("value").get<double>(), 85.0 / 70.0, 0.02);
  // The other way round it is a gain, and no gain fails.
  EXPECT_EQ(compare({fresh, base}).status, 0);
  EXPECT_EQ(compare({fresh, base, "--fail-on", "slower,faster"}).status, 1);
  EXPECT_EQ(compare({base, fresh, "--fail-on", "none"}).status, 0);
  EXPECT_EQ(compare({base, fresh, "--threshold", "50%"}).status, 0);
}

TEST_F(Compare, TwoRunsOfOneMachineAreNotSlower) {
  const Ran run =
      compare({measure("base.json", {}, {"--seed", "1"}), measure("new.json", "seed 9\n")});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_NE(run.out.find("same"), std::string::npos) << run.out;
}

TEST_F(Compare, B134_ASubsetIsNoFailureUnlessAsked) {
  const std::string base = measure("base.json");
  const std::string fresh = measure(
      "new.json", {}, {},
      R"({"name":"few","points":[{"kind":"gemm","dtype":"fp32","shape":["2048x2048x2048","1024x1024x1024"]},
          {"kind":"peak","dtype":["fp64","fp32","bf16"]}]})");
  const auto found = verdicts(as_json({base, fresh}));
  EXPECT_EQ(found.at("stream/fp64/read"), "missing");
  EXPECT_EQ(found.at("gemm/fp32/512x512x512"), "missing");
  EXPECT_EQ(found.at("gemm/fp32/2048x2048x2048"), "new");
  EXPECT_EQ(compare({base, fresh}).status, 0);
  EXPECT_EQ(compare({base, fresh, "--fail-on", "slower,missing"}).status, 1);
}

TEST_F(Compare, B133_OtherMachinesAreRefusedUnlessForced) {
  const std::string base = measure("base.json");
  const std::string fresh = measure("new.json", "name \"Other\"\n");
  const Ran refused = compare({base, fresh});
  EXPECT_EQ(refused.status, 5);
  EXPECT_EQ(refused.out, "");
  EXPECT_NE(refused.err.find("scripted: Toy against scripted: Other"), std::string::npos)
      << refused.err;
  const Ran forced = compare({base, fresh, "--force"});
  EXPECT_EQ(forced.status, 0) << forced.err;
  EXPECT_NE(forced.err.find("warning"), std::string::npos) << forced.err;
  EXPECT_NE(forced.out.find("not comparable"), std::string::npos) << forced.out;
  EXPECT_EQ(as_json({base, fresh, "--force"}).at("comparable"), false);
  // A driver of another version, too: what it changes is what is asked under --force.
  const Ran driver = compare({base, measure("driver.json", "fact driver_version \"2.0\"\n")});
  EXPECT_EQ(driver.status, 5);
  EXPECT_NE(driver.err.find("driver_version: 1.0 against 2.0"), std::string::npos) << driver.err;
}

TEST_F(Compare, B141_AFailedPointIsNeverTheSame) {
  const std::string base = measure("base.json");
  const std::string fresh =
      measure("new.json",
              "point gemm/fp32/512x512x512 incorrect=\"3 of 4096 values are off\"\n"
              "point gemm/fp32/1024x1024x1024 failure=\"no memory\"\n");
  const auto found = verdicts(as_json({base, fresh}));
  EXPECT_EQ(found.at("gemm/fp32/512x512x512"), "unusable");
  EXPECT_EQ(found.at("gemm/fp32/1024x1024x1024"), "unusable");
  const Ran broken = compare({base, fresh});
  EXPECT_EQ(broken.status, 1);
  EXPECT_NE(broken.err.find("gemm/fp32/512x512x512: new: incorrect: 3 of 4096"), std::string::npos)
      << broken.err;
  EXPECT_EQ(compare({base, fresh, "--fail-on", "unusable"}).status, 1);
  EXPECT_EQ(compare({base, fresh, "--fail-on", "slower"}).status, 0);
  // What the base broke and the new side mended fails nothing.
  EXPECT_EQ(compare({fresh, base}).status, 0);
  // Texts where numbers belong are no report.
  const std::string text =
      edited("base.json", "\"time_median_s\": ", "\"time_median_s\": \"N/A\", \"x\": ");
  const Ran run = compare({base, text});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("time_median_s"), std::string::npos) << run.err;
}

TEST_F(Compare, ADisturbedPointIsNotBroken) {
  const std::string base = measure("base.json");
  const std::string fresh =
      measure("new.json", "point gemm/fp32/512x512x512 contention=0s-1000s:50%\n");
  EXPECT_EQ(verdicts(as_json({base, fresh})).at("gemm/fp32/512x512x512"), "unusable");
  EXPECT_EQ(compare({base, fresh}).status, 0);
  EXPECT_EQ(compare({base, fresh, "--fail-on", "unusable"}).status, 1);
}

TEST_F(Compare, B118_ANullIsMissing) {
  const std::string base = measure("base.json");
  const std::string fresh =
      measure("new.json", "point gemm/fp32/512x512x512 unsupported=\"not here\"\n");
  const json found = as_json({base, fresh});
  EXPECT_EQ(verdicts(found).at("gemm/fp32/512x512x512"), "missing");
  EXPECT_EQ(found.at("counts").at("missing"), 1);
  EXPECT_EQ(compare({base, fresh, "--fail-on", "missing"}).status, 1);
  const Ran table = compare({base, fresh});
  EXPECT_EQ(table.out.find("100 %"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("not here"), std::string::npos) << table.out;
}

TEST_F(Compare, NothingToSayIsFive) {
  const std::string suite =
      R"({"name":"few","points":[{"kind":"stream","stream":["read","copy"]}]})";
  const std::string base = measure("base.json", {}, {}, suite);
  const std::string fresh = measure("new.json", "point * efficiency=95%\n", {}, suite);
  const Ran run = compare({base, fresh});
  EXPECT_EQ(run.status, 5) << run.out;
  EXPECT_NE(run.err.find("nothing can be said: 2 ambiguous"), std::string::npos) << run.err;
  EXPECT_NE(run.out.find("--repeat"), std::string::npos) << run.out;
  EXPECT_EQ(compare({base, fresh, "--fail-on", "ambiguous"}).status, 1);
}

TEST_F(Compare, B145_WhatIsNoReportIsOneSentence) {
  const std::string base = measure("base.json");
  const std::string version = "\"schema_version\": 1";
  const std::pair<std::string, std::string> bad[] = {
      {"version 0", edited("base.json", version, "\"schema_version\": 0")},
      {"a newer version", folder_.write("newer.json", "{\"schema_version\": 999}")},
      {"no version", folder_.write("none.json", "{}")},
      {"no JSON", folder_.write("text.json", "hello")},
      {"nothing", folder_.write("empty.json", "")},
      {"a list", folder_.write("list.json", "[]")}};
  for (const auto& [what, path] : bad) {
    for (const bool first : {true, false}) {
      const Ran run = first ? compare({path, base}) : compare({base, path});
      EXPECT_EQ(run.status, 2) << what;
      EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << what << ": " << run.err;
      EXPECT_NE(run.err.find(std::filesystem::path(path).filename().string()), std::string::npos)
          << what << ": " << run.err;
    }
  }
  EXPECT_EQ(compare({base, folder_.path("gone.json")}).status, 4);
}

TEST_F(Compare, B147_AReportAgainstItselfIsNotedAndFine) {
  const std::string base = measure("base.json");
  const Ran run = compare({base, base});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("identical run"), std::string::npos) << run.out;
}

TEST_F(Compare, MisuseIsOneSentence) {
  const std::string base = measure("base.json");
  const std::string fresh = measure("new.json");
  const std::string copy = folder_.write("copy.json", folder_.read("base.json"));
  const std::vector<std::string> wrong[] = {{base},
                                            {base, fresh, base},
                                            {base, fresh, "--threshold", "-3%"},
                                            {base, fresh, "--threshold", "300%"},
                                            {base, fresh, "--threshold", "much"},
                                            {base, fresh, "--fail-on", "same"},
                                            {base, fresh, "--fail-on", "slower,"},
                                            {base, fresh, "--fail-on", "none,slower"},
                                            {base, fresh, "--format", "html"},
                                            {base, fresh, "-o", fresh},
                                            {base, fresh, "--base", base},
                                            {"--base", base, "--base", copy, "--new", fresh},
                                            {"-", "-"}};
  for (const auto& arguments : wrong) {
    const Ran run = compare(arguments);
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_EQ(run.out, "");
  }
  EXPECT_FALSE(folder_.read("new.json").empty());
}

TEST_F(Compare, SidesMayBeSeveralFilesAndStandardInput) {
  std::vector<std::string> call;
  for (int i = 0; i < 3; ++i) {
    const std::string n = std::to_string(i);
    call.insert(call.end(), {"--base", measure("a" + n + ".json", "seed 1" + n + "\n")});
    call.insert(call.end(), {"--new", measure("b" + n + ".json", "seed 2" + n + "\n" + kSlow)});
  }
  const json found = as_json(call);
  EXPECT_EQ(found.at("base_runs"), 3);
  EXPECT_EQ(found.at("points").at(0).at("ratio").at("between_runs"), "estimated");
  EXPECT_EQ(verdicts(found).at("gemm/fp32/512x512x512"), "slower");
  const Ran piped =
      roofline({"compare", folder_.path("a0.json"), "-"}, {folder_.read("b0.json"), {}, {}});
  EXPECT_EQ(piped.status, 1) << piped.err;
  const Ran file = compare({folder_.path("a0.json"), folder_.path("b0.json"), "--format",
                            "markdown", "-o", folder_.path("comment.md")});
  EXPECT_EQ(file.status, 1);
  EXPECT_EQ(file.out, "");
  EXPECT_NE(folder_.read("comment.md").find("### Roofline: 1 slower"), std::string::npos);
}

// ---- run --repeat ----

using Repetitions = std::map<std::string, std::set<int>>;

Repetitions repetitions(const json& report) {
  Repetitions out;
  for (const json& point : report.at("points")) {
    for (const json& sample : point.at("samples"))
      out[point.at("id").get<std::string>()].insert(sample.value("repetition", 0));
  }
  return out;
}

json valid(const std::string& text) {
  for (const std::string& error : schema_errors(text)) ADD_FAILURE() << error;
  return json::parse(text);
}

TEST_F(Compare, RepetitionsAreWholeAndSaidOfEverySample) {
  measure("r.json", {}, {"--repeat", "3"});
  const json report = valid(folder_.read("r.json"));
  const Repetitions found = repetitions(report);
  ASSERT_EQ(found.size(), 6U);
  for (const auto& [id, numbers] : found) EXPECT_EQ(numbers, (std::set<int>{1, 2, 3})) << id;
  // All points of a repetition come before any of the next one.
  const std::string& said = last_.err;
  EXPECT_LT(said.rfind("repetition 1 "), said.find("repetition 2 "));
  EXPECT_LT(said.rfind("repetition 2 "), said.find("repetition 3 "));
  measure("once.json");
  EXPECT_EQ(folder_.read("once.json").find("repetition"), std::string::npos);
}

TEST_F(Compare, RepetitionsCostWhatTheySay) {
  measure("r.json");
  const auto dry = [&](const std::string& repeat) {
    return roofline({"run", "--backend", "scripted:" + folder_.path("machine.script"), "--suite",
                     folder_.path("suite.json"), "--dry-run", "--repeat", repeat})
        .out;
  };
  EXPECT_NE(dry("1").find("6 points, about 4.99 s"), std::string::npos) << dry("1");
  EXPECT_NE(dry("4").find("24 points in 4 repetitions, about 20.0 s"), std::string::npos)
      << dry("4");
  for (const char* bad : {"0", "x", "1001", "-1"}) {
    const Ran run = roofline({"run", "--repeat", bad});
    EXPECT_EQ(run.status, 2) << bad;
    EXPECT_NE(run.err.find("--repeat"), std::string::npos) << run.err;
  }
}

TEST_F(Compare, ABudgetEndsRepetitionsAndResumeAddsTheRest) {
  measure("r.json", {}, {"--repeat", "6", "--budget", "1500ms"});
  const json cut = valid(folder_.read("r.json"));
  EXPECT_EQ(cut.at("run").at("end"), "budget_spent");
  std::size_t before = 0;
  for (const auto& [id, numbers] : repetitions(cut)) before += numbers.size();
  EXPECT_GE(before, 6U);
  EXPECT_LT(before, 36U);
  measure("r.json", {}, {"--repeat", "6", "--resume", folder_.path("r.json")});
  for (const auto& [id, numbers] : repetitions(valid(folder_.read("r.json"))))
    EXPECT_EQ(numbers, (std::set<int>{1, 2, 3, 4, 5, 6})) << id;
  // Samples of both kinds can't stand in one point.
  const Ran mixed =
      roofline({"run", "--backend", "scripted:" + folder_.path("machine.script"), "--suite",
                folder_.path("suite.json"), "--resume", folder_.path("r.json")});
  EXPECT_EQ(mixed.status, 5);
  EXPECT_NE(mixed.err.find("--repeat"), std::string::npos) << mixed.err;
}

TEST_F(Compare, ALostDeviceIsNotTriedAgain) {
  folder_.write("suite.json", kSuite);
  folder_.write(
      "machine.script",
      std::string(kMachine) + "point stream/* failure=\"it fell off the bus\" fail_at=3 lost\n");
  const Ran run = roofline({"run", "--backend", "scripted:" + folder_.path("machine.script"),
                            "--suite", folder_.path("suite.json"), "--repeat", "3", "--json"});
  EXPECT_EQ(run.err.find("repetition 2"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace roofline::test
