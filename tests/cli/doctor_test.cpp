// `roofline doctor` as a whole: what it prints, as text and JSON, and its exit status. Machines are
// laid out as files, so that the findings do not depend on where the tests run.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/doctor.hpp"
#include "support/run_tool.hpp"

namespace roofline::test {
namespace {

using nlohmann::json;

/// A folder that holds proc and sys of a machine with one core and little to complain of.
void lay_out(const TemporaryFolder& folder) {
  folder.write("sys/devices/system/cpu/online", "0\n");
  folder.write("sys/devices/system/node/online", "0\n");
  const std::string cache = "sys/devices/system/cpu/cpu0/cache/index3/";
  folder.write(cache + "level", "3\n");
  folder.write(cache + "type", "Unified\n");
  folder.write(cache + "size", "32768K\n");
  folder.write(cache + "shared_cpu_list", "0\n");
  folder.write("proc/meminfo", "MemTotal: 9000000 kB\nMemAvailable: 8000000 kB\n");
  folder.write("proc/loadavg", "0.00 0.00 0.00 1/100 999\n");
}

json finding(const json& doctor, const std::string& id) {
  for (const json& one : doctor.at("findings")) {
    if (one.at("id") == id) return one;
  }
  ADD_FAILURE() << "no finding " << id;
  return {};
}

TEST(Doctor, NothingSpoilsIsStatus0) {
  const TemporaryFolder folder;
  lay_out(folder);
  const auto run = roofline({"doctor", "--root", folder.path("")});
  EXPECT_EQ(run.status, 0) << run.out;
  EXPECT_TRUE(run.err.empty()) << run.err;
  EXPECT_TRUE(run.out.starts_with("Nothing that was seen spoils a measurement here; 0 lower "))
      << run.out;
  EXPECT_NE(run.out.find("Could not be read\n"), std::string::npos);
  EXPECT_EQ(run.out.find("In order"), std::string::npos);
}

TEST(Doctor, WhatSpoilsIsStatus5AndComesFirst) {
  const TemporaryFolder folder;
  lay_out(folder);
  folder.write("proc/meminfo", "MemTotal: 9000000 kB\nMemAvailable: 100000 kB\n");
  folder.write("proc/loadavg", "7.00 0.00 0.00 1/100 999\n");
  const auto run = roofline({"doctor", "--root", folder.path("")});
  EXPECT_EQ(run.status, 5) << run.out;
  EXPECT_TRUE(run.err.empty()) << run.err;
  EXPECT_TRUE(run.out.starts_with("1 finding spoils a measurement here; ")) << run.out;
  const std::size_t spoils = run.out.find("\n  memory_size");
  const std::size_t lowers = run.out.find("\n  load_average");
  ASSERT_NE(spoils, std::string::npos) << run.out;
  ASSERT_NE(lowers, std::string::npos) << run.out;
  EXPECT_LT(spoils, lowers);
  EXPECT_NE(run.out.find(" why  "), std::string::npos);
  EXPECT_NE(run.out.find(" do   "), std::string::npos);
}

TEST(Doctor, StrictMindsWhatLowersToo) {
  const TemporaryFolder folder;
  lay_out(folder);
  folder.write("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
  EXPECT_EQ(roofline({"doctor", "--root", folder.path("")}).status, 0);
  const auto run = roofline({"doctor", "--strict", "--root", folder.path("")});
  EXPECT_EQ(run.status, 5);
  // What needs root says so, and what else there is.
  EXPECT_NE(run.out.find("(as root)"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("without root: "), std::string::npos) << run.out;
}

TEST(Doctor, AllListsWhatIsInOrder) {
  const TemporaryFolder folder;
  lay_out(folder);
  const auto run = roofline({"doctor", "--all", "--root", folder.path("")});
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.out.find("In order\n"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find(" 0.00 runnable threads"), std::string::npos) << run.out;
}

TEST(Doctor, JsonHasEveryCheckOnce) {
  const TemporaryFolder folder;
  lay_out(folder);
  folder.write("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
  const auto run = roofline({"doctor", "--json", "--root", folder.path("")});
  EXPECT_EQ(run.status, 0);
  const json doctor = json::parse(run.out);
  EXPECT_EQ(doctor.at("doctor_version"), 1);
  std::map<std::string, std::size_t> counts;
  std::set<std::string> ids;
  for (const json& one : doctor.at("findings")) {
    ++counts[one.at("severity")];
    EXPECT_TRUE(ids.insert(one.at("id")).second) << one.at("id");
    EXPECT_FALSE(one.at("topic").get<std::string>().empty());
    EXPECT_FALSE(one.at("found").get<std::string>().empty());
    EXPECT_TRUE(one.at("effect").is_string());
    EXPECT_TRUE(one.at("remedy_needs_root").is_boolean());
  }
  for (const char* severity : {"spoils", "lowers", "unknown", "note", "ok"})
    EXPECT_EQ(doctor.at("counts").at(severity), counts[severity]) << severity;
  const json huge_pages = finding(doctor, "huge_pages");
  EXPECT_EQ(huge_pages.at("severity"), "lowers");
  EXPECT_EQ(huge_pages.at("remedy_needs_root"), true);
  EXPECT_TRUE(huge_pages.at("remedy_without_root").is_string());
  const json unread = finding(doctor, "clocksource");
  EXPECT_EQ(unread.at("severity"), "unknown");
  EXPECT_TRUE(unread.at("remedy").is_null());
}

TEST(Doctor, ThisMachineAndItsEnvironment) {
  const auto run = roofline(
      {"doctor", "--json"},
      {.environment = {{"ONEDNN_DEFAULT_FPMATH_MODE", "BF16"}, {"MKL_DYNAMIC", "\x1b[31m\xff"}}});
  EXPECT_EQ(run.status, 5) << run.out;
  EXPECT_TRUE(run.err.empty()) << run.err;
  EXPECT_EQ(run.out.find('\x1b'), std::string::npos);
  const json doctor = json::parse(run.out);
  EXPECT_EQ(finding(doctor, "onednn_math").at("severity"), "spoils");
  EXPECT_NE(finding(doctor, "busy_cpus").at("severity"), "unknown");
  EXPECT_NE(finding(doctor, "timer").at("severity"), "unknown");
#if defined(__x86_64__)
  EXPECT_NE(finding(doctor, "core_clock").at("severity"), "unknown");
#endif
  const auto text = roofline({"doctor"}, {.environment = {{"MKL_DYNAMIC", "\x1b[31m\nx"}}});
  EXPECT_EQ(text.out.find('\x1b'), std::string::npos);
  EXPECT_NE(text.out.find("MKL_DYNAMIC= [31m x"), std::string::npos) << text.out;
}

TEST(Doctor, MeasuringCommandsGetOneSentence) {
  using host::Finding;
  using host::Severity;
  const Finding lowers{"a", "memory", Severity::lowers, "a bit"};
  const Finding spoils{"b", "memory", Severity::spoils, "CPU 0 is busy"};
  EXPECT_FALSE(cli::spoilt_sentence({}));
  EXPECT_FALSE(cli::spoilt_sentence({lowers}));
  EXPECT_EQ(cli::spoilt_sentence({spoils, lowers}),
            "this would spoil the figures: CPU 0 is busy; roofline doctor tells more");
  EXPECT_EQ(cli::spoilt_sentence({spoils, spoils, spoils}),
            "this would spoil the figures: CPU 0 is busy, and 2 more; roofline doctor tells more");
}

TEST(Doctor, TheDocumentHasEveryCheckInOrder) {
  std::ifstream file(std::string(ROOFLINE_SOURCE_DIR) + "/docs/doctor.md", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::size_t at = 0;
  for (const std::string_view id : host::check_ids()) {
    at = text.find("\n| `" + std::string(id) + "` |", at);
    ASSERT_NE(at, std::string::npos) << id;
  }
}

TEST(Doctor, AFolderThatIsNotThereIsStatus4) {
  const auto run = roofline({"doctor", "--root", "/no/such/folder"});
  EXPECT_EQ(run.status, 4);
  EXPECT_TRUE(run.out.empty());
  EXPECT_NE(run.err.find("--root: '/no/such/folder'"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace roofline::test
