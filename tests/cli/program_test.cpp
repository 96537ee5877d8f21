// The program as a whole: help, version, exit statuses, what is said where.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/run_tool.hpp"

namespace roofline::test {
namespace {

TEST(Program, HelpNamesEveryCommandAndTheStatuses) {
  const auto run = roofline({"--help"});
  EXPECT_EQ(run.status, 0);
  for (const char* word : {"run", "bandwidth", "gemm", "matvec", "elementwise", "launch", "devices",
                           "doctor", "explain", "show", "Exit status"}) {
    EXPECT_NE(run.out.find(word), std::string::npos) << word;
  }
  EXPECT_TRUE(run.err.empty());
}

TEST(Program, EveryCommandHasHelp) {
  for (const char* command : {"run", "bandwidth", "gemm", "matvec", "elementwise", "launch",
                              "devices", "doctor", "explain", "show"}) {
    const auto run = roofline({command, "--help"});
    EXPECT_EQ(run.status, 0) << command;
    EXPECT_NE(run.out.find("--"), std::string::npos) << command;
  }
}

TEST(Program, VersionIsOneLine) {
  const auto run = roofline({"--version"});
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(run.out.starts_with("roofline ")) << run.out;
  EXPECT_NE(run.out.find("report schema 1"), std::string::npos);
}

TEST(Program, MisspeltWordsGetTheNearestOne) {
  const auto command = roofline({"explian"});
  EXPECT_EQ(command.status, 2);
  EXPECT_NE(command.err.find("explain"), std::string::npos) << command.err;
  const auto option = roofline({"run", "--suit", "quick"});
  EXPECT_EQ(option.status, 2);
  EXPECT_NE(option.err.find("--suite"), std::string::npos) << option.err;
  EXPECT_EQ(roofline({}).status, 2);
}

TEST(Program, UsageErrorsNameTheWordThatIsWrong) {
  struct Case {
    std::vector<std::string> arguments;
    const char* names;
  };
  const Case cases[] = {
      {{}, "give a command: run, "},
      {{"quux"}, "'quux'"},
      {{"--quux"}, "'--quux'"},
      {{"--json", "devices"}, "'--json' may not stand there"},
      {{"matvec", "--quux", "1"}, "'--quux' means nothing to roofline matvec"},
      {{"run", "quux"}, "'quux'"},
      {{"devices", ""}, "device: the value is empty"},
      {{"show", ""}, "report: the value is empty"},
      {{"run", "--suite", ""}, "--suite: the value is empty"},
  };
  for (const Case& wrong : cases) {
    const auto run = roofline(wrong.arguments);
    EXPECT_EQ(run.status, 2) << wrong.names;
    EXPECT_NE(run.err.find(wrong.names), std::string::npos) << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_TRUE(run.out.empty()) << run.out;
  }
}

TEST(Program, WhatWasTypedNeitherBreaksNorSteersTheTerminal) {
  for (const std::string& word :
       {std::string("A100\nfoo"), std::string("\x1b[31m"), std::string(50000, 'a')}) {
    for (const auto& arguments :
         {std::vector<std::string>{"devices", word}, std::vector<std::string>{word}}) {
      const auto run = roofline(arguments);
      EXPECT_NE(run.status, 0);
      EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
      EXPECT_EQ(run.err.find('\x1b'), std::string::npos);
      EXPECT_LT(run.err.size(), 1000U);
    }
  }
}

TEST(Program, AFaultInAnOwnCatalogueFileNeverHides) {
  const TemporaryFolder folder;
  folder.write("accelerators/mine.json", "garbage");
  for (const auto& arguments :
       {std::vector<std::string>{"devices", "l4"}, std::vector<std::string>{"devices"},
        std::vector<std::string>{"explain", "--device", "l4", "--gemm", "8x8x8"}}) {
    auto all = arguments;
    all.insert(all.end(), {"--config-dir", folder.path("")});
    const auto run = roofline(all);
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_NE(run.err.find("mine.json"), std::string::npos) << run.err;
  }
}

TEST(Program, DevicesListsTheCatalogueAndShowsOne) {
  const auto list = roofline({"devices"});
  EXPECT_EQ(list.status, 0) << list.err;
  for (const char* id : {"cpu", "a100-80gb-sxm", "h200-141gb-sxm", "t4"}) {
    EXPECT_NE(list.out.find(id), std::string::npos) << id;
  }
  const auto one = roofline({"devices", "NVIDIA L40S", "--json"});
  ASSERT_EQ(one.status, 0) << one.err;
  const auto sheet = nlohmann::json::parse(one.out);
  EXPECT_EQ(sheet.at("id"), "l40s");
  EXPECT_EQ(sheet.at("peaks_dense").at("bf16").at("flop_per_s"), 362.05e12);
  EXPECT_TRUE(sheet.at("peaks_dense").at("fp4").at("flop_per_s").is_null());
  EXPECT_EQ(sheet.at("peaks_dense").at("fp4").at("supported"), false);
  EXPECT_EQ(roofline({"devices", "l40x"}).status, 3);
  // By what only a device of this machine is called; none has so many GPUs.
  for (const char* word : {"cuda:99", "99", "GPU-00000000", "MIG-00000000"}) {
    const auto absent = roofline({"devices", word});
    EXPECT_EQ(absent.status, 3) << word;
    EXPECT_NE(absent.err.find("is not here"), std::string::npos) << absent.err;
  }
  EXPECT_TRUE(roofline({"devices", "CPU"}).out.starts_with("cpu  "));
}

TEST(Program, DevicesCpuTellsTheFactsOfThisMachine) {
  const auto sheet = nlohmann::json::parse(roofline({"devices", "cpu", "--json"}).out);
  EXPECT_GE(sheet.at("facts").at("physical_cores").get<int>(), 1);
  EXPECT_TRUE(sheet.at("facts").contains("unknown"));
}

TEST(Program, DevicesJsonListsEveryCatalogueEntryWithRidges) {
  const auto all = nlohmann::json::parse(roofline({"devices", "--json"}).out);
  EXPECT_GE(all.at("catalogue").size(), 45U);
  for (const auto& device : all.at("catalogue")) {
    for (const auto& [key, peak] : device.at("peaks_dense").items()) {
      EXPECT_TRUE(!peak.at("flop_per_s").is_null() || !peak.at("reason").get<std::string>().empty())
          << device.at("id") << ' ' << key;
    }
  }
}

TEST(Program, ShowRefusesWhatIsNoReport) {
  const TemporaryFolder folder;
  EXPECT_EQ(roofline({"show", folder.path("missing.json")}).status, 4);
  EXPECT_EQ(roofline({"show", folder.write("x.json", "{\"schema_version\": 1")}).status, 2);
  const auto newer = roofline({"show", folder.write("y.json", "{\"schema_version\": 99}")});
  EXPECT_EQ(newer.status, 2);
  EXPECT_NE(newer.err.find("99"), std::string::npos) << newer.err;
}

}  // namespace
}  // namespace roofline::test
