// The families that a person measures one by one, on the CPU that the tests run on.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <atomic>
#include <nlohmann/json.hpp>

#include "support/run_tool.hpp"
#include "support/schema_check.hpp"

namespace roofline::test {
namespace {

using nlohmann::json;

/// The report of a call, of which 5 says that other work disturbed it: it is whole then too.
json measured(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"-o", "-"});
  const auto run = roofline(arguments);
  EXPECT_TRUE(run.status == 0 || run.status == 5) << run.status << ": " << run.err;
  for (const std::string& error : schema_errors(run.out)) ADD_FAILURE() << error;
  return json::parse(run.out);
}

double time_of(const json& report, const std::string& id) {
  for (const json& point : report.at("points")) {
    if (point.at("id") != id) continue;
    EXPECT_EQ(point.at("verification").at("state"), "verified") << id;
    return point.at("time_min_s").get<double>();
  }
  ADD_FAILURE() << "no point " << id;
  return 0;
}

TEST(Families, LaunchIsTheFloor) {
  const json report = measured({"launch", "--threads", "1", "--path", "kernel,graph"});
  const double empty = time_of(report, "launch/kernel");
  EXPECT_GT(empty, 0);
  EXPECT_LT(empty, 100e-6);
  for (const json& point : report.at("points")) {
    if (point.at("id") != "launch/graph") continue;
    EXPECT_EQ(point.at("outcome"), "skipped");
    EXPECT_NE(point.at("reason").get<std::string>().find("kernel and library"), std::string::npos);
  }
  EXPECT_EQ(roofline({"launch", "--path", "stream"}).status, 2);
  EXPECT_EQ(roofline({"launch", "--path", "graph"}).status, 3);
}

TEST(Families, FusionMovesFewerBytes) {
  const json report = measured(
      {"elementwise", "--ops", "4", "--fused", "1,2,4", "--elements", "100000", "--threads", "1"});
  std::vector<std::uint64_t> bytes;
  for (const char* fused : {"1", "2", "4"}) {
    const std::string id = "elementwise/fp32/100000_ops_4_fused_" + std::string(fused);
    EXPECT_GT(time_of(report, id), 0);
    for (const json& point : report.at("points"))
      if (point.at("id") == id)
        bytes.push_back(point.at("traffic_byte").at("total").get<std::uint64_t>());
  }
  // 400 kB read and written by each of 4, 2 and 1 passes.
  EXPECT_EQ(bytes, (std::vector<std::uint64_t>{3'200'000, 1'600'000, 800'000}));
}

/// Another program that keeps one CPU busy for as long as this lives.
class BusyNeighbour {
 public:
  explicit BusyNeighbour(const cpu_set_t& cpu) : child_(fork()) {
    if (child_ != 0) return;
    sched_setaffinity(0, sizeof cpu, &cpu);
    for (std::atomic<unsigned> turn{0};;) turn.fetch_add(1);
  }
  BusyNeighbour(const BusyNeighbour&) = delete;
  BusyNeighbour& operator=(const BusyNeighbour&) = delete;
  ~BusyNeighbour() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }

 private:
  pid_t child_;
};

TEST(Families, BesideABusyNeighbourNoFigureOfTwoThreadsIsClean) {
#if ROOFLINE_SANITIZED
  GTEST_SKIP() << "everything takes so long then that samples have other lengths";
#endif
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  cpu_set_t two;
  cpu_set_t one;
  CPU_ZERO(&two);
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&two) < 2; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    CPU_SET(cpu, &two);
    if (CPU_COUNT(&two) == 2) CPU_SET(cpu, &one);
  }
  if (CPU_COUNT(&two) < 2) GTEST_SKIP() << "this process may use one CPU only";
  // The program inherits the two CPUs, so that it can't go out of the neighbour's way.
  ASSERT_EQ(sched_setaffinity(0, sizeof two, &two), 0);
  const TemporaryFolder folder;
  const std::string suite = folder.write("two.json", R"({"name":"two","points":[
    {"kind":"peak","dtype":"fp32"},{"kind":"stream","stream":["read","triad"]}]})");
  test::Run run;
  {
    const BusyNeighbour neighbour(one);
    // No budget, which would shorten samples until some fit between two turns of the neighbour.
    run = roofline({"run", "--suite", suite, "--threads", "2", "-o", "-"});
  }
  sched_setaffinity(0, sizeof allowed, &allowed);
  EXPECT_EQ(run.status, 5) << run.err;
  const json report = json::parse(run.out);
  if (report.at("environment").at("threads") != 2) GTEST_SKIP() << "two CPUs are no two threads";
  ASSERT_EQ(report.at("points").size(), 3U);
  for (const json& point : report.at("points")) {
    if (point.at("outcome") == "skipped") continue;  // what waited for the others' turns
    EXPECT_TRUE(point.at("end") == "contended" || point.at("end") == "placement_unstable")
        << point.at("id") << ": " << point.at("end");
    EXPECT_FALSE(point.at("defines_roof").get<bool>()) << point.at("id");
  }
  EXPECT_TRUE(report.at("roofs").empty()) << report.at("roofs");
}

TEST(Families, TheCacheStaircaseDescends) {
#if ROOFLINE_SANITIZED
  GTEST_SKIP() << "sanitizers check every load, which takes longer than the load";
#endif
  const json report = measured(
      {"bandwidth", "--stream", "read", "--working-set", "16KiB,256MiB", "--threads", "1"});
  const double in_l1 = 16384 / time_of(report, "stream/fp64/read-2048");
  const double in_dram = 268435456 / time_of(report, "stream/fp64/read-33554432");
  // Every machine has more than this between its first cache and its memory.
  EXPECT_GT(in_l1, 1.5 * in_dram);
}

TEST(Families, LevelsAreMeasuredOrRefusedWithTheReason) {
  const json report =
      measured({"bandwidth", "--stream", "update", "--boundary", "l1,l2,l3", "--threads", "1"});
  EXPECT_EQ(report.at("points").size(), 3U);
  for (const json& point : report.at("points")) {
    if (point.at("outcome") == "skipped") {
      EXPECT_FALSE(point.at("reason").get<std::string>().empty());
      continue;
    }
    EXPECT_EQ(point.at("verification").at("state"), "verified") << point.at("id");
    EXPECT_EQ(point.at("implementation").at("stores"), "regular");
  }
}

}  // namespace
}  // namespace roofline::test
