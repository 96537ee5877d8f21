// The program as a whole: help, version, exit statuses, what is said where.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/run_tool.hpp"

namespace roofline::test {
namespace {

TEST(Program, HelpNamesEveryCommandAndTheStatuses) {
  const auto run = roofline({"--help"});
  EXPECT_EQ(run.status, 0);
  for (const char* word : {"run", "bandwidth", "gemm", "matvec", "devices", "explain", "show", "Exit status"}) {
    EXPECT_NE(run.out.find(word), std::string::npos) << word;
  }
  EXPECT_TRUE(run.err.empty());
}

TEST(Program, EveryCommandHasHelp) {
  for (const char* command : {"run", "bandwidth", "gemm", "matvec", "devices", "explain", "show"}) {
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
