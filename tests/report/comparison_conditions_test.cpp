// What forbids a comparison.
#include <gtest/gtest.h>

#include <random>

#include "comparison_support.hpp"
#include "report/comparison_text.hpp"
#include "sample_reports.hpp"
#include "support/schema_check.hpp"

namespace roofline::comparing {
namespace {

struct Other {
  const char* what;
  void (*change)(Report&);
  bool refused;
};

/// ECC in line with the data takes bandwidth and room.
TEST(Comparison, B074_AnotherStateOfEccIsSaid) {
  Report base = run({point(kRead, measured(steady(1e-4)))});
  base.environment.push_back({"ecc", true});
  Report fresh = base;
  fresh.run.id = "two";
  EXPECT_TRUE(of(base, fresh).differences.empty());
  fresh.environment.back().value = false;
  const Comparison found = of(base, fresh);
  ASSERT_EQ(found.differences.size(), 1U);
  EXPECT_EQ(found.differences[0].what, "ecc");
  EXPECT_TRUE(found.refused());
}

TEST(Comparison, RunsOfOtherConditionsAreRefusedWithTheReason) {
  const Other all[] = {
      {"driver_version", [](Report& r) { r.environment[0].value = std::string("550.2"); }, true},
      {"threads",
       [](Report& r) {
         r.environment.push_back({"threads", std::uint64_t{8}});
       },
       true},
      {"isa_path",
       [](Report& r) {
         r.environment.push_back({"isa_path", std::string("avx2")});
       },
       true},
      {"origin of the figures",
       [](Report& r) {
         r.environment.push_back({"simulated", true});
       },
       true},
      {"provider", [](Report& r) { r.points[0].implementation[0].value = std::string("other"); },
       true},
      {"library_version",
       [](Report& r) {
         r.points[0].implementation.push_back({"library_version", std::string("3.1")});
       },
       true},
      {"data_pattern",
       [](Report& r) {
         r.points[0].implementation.push_back({"data_pattern", std::string("zeros")});
       },
       true},
      {"array_byte",
       [](Report& r) {
         r.points[0].implementation.push_back({"array_byte", std::uint64_t{5}});
       },
       true},
      {"workload",
       [](Report& r) {
         r.points[0].workload = Stream{.kind = StreamKind::read, .elements = 250000};
         r.points[0].account = account(r.points[0].workload);
       },
       true},
      {"protocol",
       [](Report& r) {
         for (Sample& s : std::get<Measured>(r.points[0].outcome).samples) {
           s.iterations = 100;
           s.duration = 100.0 * s.duration;
         }
       },
       true},
      {"version of roofline", [](Report& r) { r.tool_version = "9.9"; }, false},
      {"kernel",
       [](Report& r) {
         r.environment.push_back({"kernel", std::string("7.0")});
       },
       false},
      {"host_name",
       [](Report& r) {
         r.environment.push_back({"host_name", std::string("b")});
       },
       false},
      {"cpus",
       [](Report& r) {
         r.environment.push_back({"cpus", std::string("2-5")});
       },
       false},
      {"pinned",
       [](Report& r) {
         r.points[0].implementation.push_back({"pinned", false});
       },
       false},
      {"run", [](Report& r) { r.run.interrupted = true; }, false},
  };
  for (const Other& other : all) {
    Report base = run({point(kRead, measured(steady(1e-4)))});
    base.tool_version = "1.0";
    base.environment.push_back({"threads", std::uint64_t{4}});
    base.environment.push_back({"isa_path", std::string("avx512")});
    base.environment.push_back({"kernel", std::string("6.1")});
    base.environment.push_back({"host_name", std::string("a")});
    base.environment.push_back({"cpus", std::string("0-3")});
    for (Sample& s : std::get<Measured>(base.points[0].outcome).samples) {
      s.iterations = 10;
      s.duration = 10.0 * s.duration;
    }
    for (const auto& [key, value] :
         {std::pair<const char*, FactValue>{"library_version", std::string("3.0")},
          {"data_pattern", std::string("random")},
          {"array_byte", std::uint64_t{4}},
          {"pinned", true}})
      base.points[0].implementation.push_back({key, value});
    Report fresh = base;
    fresh.run.id = "two";
    // What is looked up first wins.
    const std::size_t facts = fresh.environment.size();
    const std::size_t details = fresh.points[0].implementation.size();
    other.change(fresh);
    if (fresh.environment.size() > facts)
      std::rotate(fresh.environment.begin(), fresh.environment.end() - 1, fresh.environment.end());
    Facts& implementation = fresh.points[0].implementation;
    if (implementation.size() > details)
      std::rotate(implementation.begin(), implementation.end() - 1, implementation.end());
    const Comparison found = of(base, fresh);
    EXPECT_EQ(found.refused(), other.refused) << other.what;
    ASSERT_FALSE(found.differences.empty()) << other.what;
    EXPECT_EQ(found.differences[0].what, other.what);
  }
}

TEST(Comparison, FactsBelongToTheirPoint) {
  // More than are held to be shared.
  const auto many = [](const std::string& id) {
    std::vector<Record> points;
    for (std::uint64_t i = 0; i < 100; ++i) {
      points.push_back(point(kRead, measured(steady(1)), "p" + std::to_string(i)));
      points.back().implementation.push_back({"rotation_byte", i % 70});
    }
    return run(std::move(points), id);
  };
  EXPECT_TRUE(of(many("one"), many("two")).differences.empty());
  Report other = many("two");
  other.points[60].implementation.back().value = std::uint64_t{1};
  const Comparison found = of(many("one"), other);
  ASSERT_EQ(found.differences.size(), 1U);
  EXPECT_EQ(report::text_of(found.differences[0]), "rotation_byte: 60 against 1 (p60)");
}

TEST(Comparison, AReplayedMachineIsNoMeasuredOne) {
  const Report base = run({point(kRead, measured(steady(1)))});
  Report fresh = run({point(kRead, measured(steady(1)))}, "two");
  fresh.device_name = "scripted: NVIDIA A100";
  EXPECT_TRUE(of(base, fresh).refused());
}

TEST(Comparison, ArbitraryReportsAreComparedWithoutAnError) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Report base = test::random_report(seed);
    const Report fresh = test::random_report(seed % 2 == 0 ? seed : seed + 1);
    const Comparison found = of(base, fresh);
    EXPECT_LE(found.points.size(), base.points.size() + fresh.points.size());
    const std::string text = report::render_comparison_json(found);
    for (const std::string& error : test::comparison_schema_errors(text))
      ADD_FAILURE() << seed << ": " << error;
    EXPECT_FALSE(report::render_comparison_table(found, {}).empty());
    EXPECT_LT(report::render_comparison_markdown(found).size(), 65536U);
  }
}

}  // namespace
}  // namespace roofline::comparing
