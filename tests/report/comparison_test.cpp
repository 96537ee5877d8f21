// Which points belong together, which verdict each gets, what forbids a comparison, and how it
// looks.
#include "report/comparison.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "report/comparison_text.hpp"
#include "roofline/point_id.hpp"
#include "roofline/sample_summary.hpp"
#include "support/golden.hpp"
#include "support/schema_check.hpp"

namespace roofline {
namespace {

using report::compare;
using report::ComparedAs;
using report::ComparedPoint;
using report::Comparison;

const Stream kRead{.kind = StreamKind::read, .elements = 125000};  // 1 MB
const PeakProbe kPeak{DType::fp32, 1000000};

Measured measured(const std::vector<double>& times, std::optional<double> clock_ghz = {}) {
  std::vector<Sample> samples;
  for (const double time : times) {
    Sample sample;
    sample.duration = second(time);
    if (clock_ghz) sample.clock = hertz(*clock_ghz * 1e9);
    samples.push_back(sample);
  }
  Measured out = summarise(std::move(samples), MeasurementEnd::converged, 0.95);
  out.verification.state = VerificationState::verified;
  return out;
}

/// Nine samples around `time`, 0.1 % apart.
std::vector<double> steady(double time) {
  std::vector<double> out;
  for (int i = -4; i <= 4; ++i) out.push_back(time * (1 + 0.0002 * i));
  return out;
}

Record point(const Workload& workload, Outcome outcome, const std::string& id = {}) {
  Record out;
  out.id = id.empty() ? point_id(workload) : id;
  out.device_id = "cuda:0";
  out.device_name = "NVIDIA A100";
  out.workload = workload;
  out.account = account(workload);
  out.placement.bound =
      std::holds_alternative<PeakProbe>(workload) ? Bound::compute : Bound::memory;
  out.implementation = {{"provider", std::string("roofline")}};
  out.outcome = std::move(outcome);
  return out;
}

/// A GPU, where times are compared as they are.
Report run(std::vector<Record> points, const std::string& id = "one") {
  Report out;
  out.run.id = id;
  out.device_id = "cuda:0";
  out.device_name = "NVIDIA A100";
  out.environment = {{"driver_version", std::string("535.1")}, {"sm_count", std::uint64_t{108}}};
  out.points = std::move(points);
  return out;
}

Comparison of(const Report& base, const Report& fresh, double threshold = 0.01) {
  return compare({&base, 1}, {&fresh, 1}, {threshold});
}

const ComparedPoint& the(const Comparison& comparison, const std::string& name) {
  for (const ComparedPoint& found : comparison.points) {
    if (found.name == name) return found;
  }
  throw std::runtime_error("no point " + name);
}

ComparedAs verdict(const Outcome& was, const Outcome& is, const Workload& workload = kRead) {
  const Report base = run({point(workload, was)});
  const Report fresh = run({point(workload, is)}, "two");
  return of(base, fresh).points.at(0).verdict;
}

// ---- matching ----

TEST(Comparison, B134_MatchesByNameAndNeverByPosition) {
  const auto named = [](const char* id, double time) {
    return point(kRead, measured(steady(time)), id);
  };
  const Report base =
      run({named("A", 1), named("B", 2), named("C", 3), named("D", 4), named("E", 5)});
  const Report fresh = run({named("F", 6), named("C", 3)}, "two");
  const Comparison found = of(base, fresh);
  EXPECT_EQ(found.count(ComparedAs::missing), 4U);
  EXPECT_EQ(found.count(ComparedAs::added), 1U);
  ASSERT_TRUE(the(found, "C").ratio);
  EXPECT_DOUBLE_EQ(the(found, "C").ratio->value, 1);
  EXPECT_EQ(the(found, "F").verdict, ComparedAs::added);
}

TEST(Comparison, B133_TheSameModelUnderAnotherIndexIsTheSame) {
  const Report base = run({point(kRead, measured(steady(1)))});
  Report fresh = run({point(kRead, measured(steady(1)))}, "two");
  fresh.device_id = fresh.points[0].device_id = "cuda:4";
  const Comparison found = of(base, fresh);
  EXPECT_FALSE(found.refused());
  EXPECT_TRUE(found.differences.empty());
  EXPECT_EQ(found.points.size(), 1U);
}

TEST(Comparison, B133_AnotherModelIsNotComparable) {
  const Report base = run({point(kRead, measured(steady(1)))});
  Report fresh = run({point(kRead, measured(steady(1)))}, "two");
  fresh.device_name = fresh.points[0].device_name = "NVIDIA H100";
  const Comparison found = of(base, fresh);
  EXPECT_TRUE(found.refused());
  EXPECT_EQ(report::text_of(found.differences[0]), "device: NVIDIA A100 against NVIDIA H100");
  EXPECT_EQ(found.points.size(), 1U);  // --force compares it
}

TEST(Comparison, SeveralEqualDevicesAreToldApartByTheirId) {
  const auto two = [](double first, double second_time, const std::string& id) {
    Report out = run(
        {point(kRead, measured(steady(first))), point(kRead, measured(steady(second_time)))}, id);
    out.points[1].device_id = "cuda:1";
    out.devices = {{"cuda:0", "NVIDIA A100", {}}, {"cuda:1", "NVIDIA A100", {}}};
    return out;
  };
  const Report base = two(1, 2, "one");
  Report fresh = two(1, 3, "two");
  std::swap(fresh.devices[0], fresh.devices[1]);
  std::swap(fresh.points[0], fresh.points[1]);
  const Comparison found = of(base, fresh);
  EXPECT_NEAR(the(found, "cuda:0 stream/fp64/read-125000").ratio->value, 1, 1e-12);
  EXPECT_NEAR(the(found, "cuda:1 stream/fp64/read-125000").ratio->value, 1.5, 1e-12);
}

TEST(Comparison, SeveralRunsOfASideCountTogether) {
  const auto all = [](std::initializer_list<double> times) {
    std::vector<Report> out;
    for (const double time : times)
      out.push_back(run({point(kRead, measured(steady(time)))}, std::to_string(time)));
    return out;
  };
  const auto base = all({1, 1.001, 1.002, 0.999, 1.4});
  const auto fresh = all({1.031, 1.030, 1.029, 1.032, 1.033});
  const Comparison found = compare(base, fresh, {});
  EXPECT_EQ(found.points[0].verdict, ComparedAs::slower);
  EXPECT_TRUE(found.points[0].ratio->estimated);
  EXPECT_NEAR(found.points[0].ratio->value, 1.031 / 1.001, 1e-9);
}

TEST(Comparison, RepetitionsOfARunAreEstimatedFrom) {
  const auto repeated = [](double time, const std::string& id) {
    Measured all = measured(steady(time));
    all.samples.clear();
    for (std::uint64_t repetition = 1; repetition <= 5; ++repetition) {
      for (Sample sample :
           measured(steady(time * (1 + 1e-4 * static_cast<double>(repetition)))).samples) {
        sample.repetition = repetition;
        all.samples.push_back(sample);
      }
    }
    return run({point(kRead, all)}, id);
  };
  const Comparison found = of(repeated(1, "one"), repeated(1.02, "two"));
  EXPECT_EQ(found.points[0].base->repetitions, 5U);
  EXPECT_TRUE(found.points[0].ratio->estimated);
  EXPECT_EQ(found.points[0].verdict, ComparedAs::slower);
}

// ---- verdicts ----

TEST(Comparison, B138_LongerIsSlowerWhicheverFigureIsShown) {
  // 3000 GB/s to 2400 GB/s is a loss, 1.0 ms to 0.8 ms a gain.
  const double bytes = total_traffic(account(kRead)).as_double();
  EXPECT_EQ(verdict(measured(steady(bytes / 3000e9)), measured(steady(bytes / 2400e9))),
            ComparedAs::slower);
  EXPECT_EQ(verdict(measured(steady(1.0e-3)), measured(steady(0.8e-3)), Launch{}),
            ComparedAs::faster);
}

TEST(Comparison, B136_OneOutlierIsNoRegression) {
  const auto base = measured({10.0e-3, 10.1e-3, 9.9e-3, 10.0e-3, 14.0e-3});
  const auto fresh = measured({10.2e-3, 10.1e-3, 10.0e-3, 10.3e-3, 10.1e-3});
  EXPECT_EQ(verdict(base, fresh), ComparedAs::ambiguous);
}

TEST(Comparison, B135_NoiseIsSeldomAChange) {
  std::mt19937_64 bits(5);
  std::normal_distribution<double> normal(100, 4);
  int flagged = 0;
  for (int pair = 0; pair < 20; ++pair) {
    const auto ten = [&] {
      std::vector<double> out(10);
      for (double& time : out) time = normal(bits) * 1e-3;
      return measured(out);
    };
    const ComparedAs found = verdict(ten(), ten());
    if (found != ComparedAs::same && found != ComparedAs::ambiguous) ++flagged;
  }
  EXPECT_LE(flagged, 1);
}

TEST(Comparison, B140_ACollapseIsNoImprovement) {
  const double bytes = total_traffic(account(kRead)).as_double();
  for (const auto& [was, is] : {std::pair{10e-3, 0.3e-3}, std::pair{bytes / 3e12, bytes / 30e12}}) {
    const Report base = run({point(kRead, measured(steady(was)))});
    const Report fresh = run({point(kRead, measured(steady(is)))}, "two");
    const Comparison found = of(base, fresh);
    EXPECT_EQ(found.points[0].verdict, ComparedAs::unusable);
    EXPECT_NE(found.points[0].reason.find("implausible"), std::string::npos);
    EXPECT_FALSE(found.says_something());
  }
}

TEST(Comparison, FasterThanARatedRoofAllowsIsNoFigure) {
  const double bytes = total_traffic(account(kRead)).as_double();
  const Report base = run({point(kRead, measured(steady(bytes / 1.9e12)))});
  MemoryRoof rated;
  rated.bandwidth = gb_per_s(2000);
  rated.origin = Origin::datasheet;
  const auto at = [&](double bandwidth) {
    Report fresh = run({point(kRead, measured(steady(bytes / bandwidth)))}, "two");
    fresh.roofs.push_back({"dram", rated, {}});
    return of(base, fresh).points[0].verdict;
  };
  EXPECT_EQ(at(2.05e12), ComparedAs::faster);
  EXPECT_EQ(at(2.07e12), ComparedAs::unusable);  // 1.03 x 2000 GB/s lies between
}

TEST(Comparison, FasterThanAnEmptyCallIsNoFigure) {
  const Gemm gemm{.m = 64, .n = 64, .k = 64};
  const auto with_floor = [&](double time) {
    Record out = point(gemm, measured(steady(time)));
    out.roofs.overhead = OverheadRoof{second(5e-6), LaunchPath::library, Origin::measured, {}};
    return out;
  };
  const Report base = run({with_floor(6e-6)});
  EXPECT_EQ(of(base, run({with_floor(4.1e-6)}, "two")).points[0].verdict, ComparedAs::faster);
  EXPECT_EQ(of(base, run({with_floor(3.9e-6)}, "two")).points[0].verdict, ComparedAs::unusable);
}

struct Bad {
  const char* what;
  Outcome outcome;
  ComparedAs verdict;
};

Measured ended(MeasurementEnd end) {
  Measured out = measured(steady(1));
  out.end = end;
  return out;
}

Measured unverified() {
  Measured out = measured(steady(1));
  out.verification.state = VerificationState::unverified;
  return out;
}

TEST(Comparison, B141_WhatIsNoFigureIsNeverTheSame) {
  const Bad all[] = {
      {"failed", Failed{"no memory"}, ComparedAs::unusable},
      {"incorrect", Incorrect{{VerificationState::incorrect, "3 values"}}, ComparedAs::unusable},
      {"unverified", unverified(), ComparedAs::unusable},
      {"contended", ended(MeasurementEnd::contended), ComparedAs::unusable},
      {"throttled", ended(MeasurementEnd::throttled), ComparedAs::unusable},
      {"interrupted", ended(MeasurementEnd::interrupted), ComparedAs::unusable},
      {"skipped", Skipped{"not supported"}, ComparedAs::missing},
  };
  const Outcome good = measured(steady(1));
  for (const Bad& bad : all) {
    EXPECT_EQ(verdict(good, bad.outcome), bad.verdict) << bad.what;
    const ComparedAs before = verdict(bad.outcome, good);
    EXPECT_EQ(before, bad.verdict == ComparedAs::missing ? ComparedAs::added : bad.verdict)
        << bad.what;
  }
}

TEST(Comparison, AFailedRunSpoilsItsSideADisturbedOneIsLeftOut) {
  const std::vector<Report> base{run({point(kRead, measured(steady(1)))})};
  std::vector<Report> fresh{run({point(kRead, measured(steady(1)))}, "a"),
                            run({point(kRead, measured(steady(1)))}, "b"),
                            run({point(kRead, ended(MeasurementEnd::contended))}, "c")};
  EXPECT_EQ(compare(base, fresh, {}).points[0].fresh->runs, 2U);
  EXPECT_NE(compare(base, fresh, {}).points[0].verdict, ComparedAs::unusable);
  fresh[2] = run({point(kRead, Failed{"no memory"})}, "c");
  EXPECT_EQ(compare(base, fresh, {}).points[0].verdict, ComparedAs::unusable);
}

TEST(Comparison, B118_WhatIsMissingHasNoChange) {
  const Report base = run({point(kRead, measured(steady(100e-3)))});
  const Report fresh = run({point(kRead, Skipped{"the data set is empty"})}, "two");
  const Comparison found = of(base, fresh);
  EXPECT_EQ(found.points[0].verdict, ComparedAs::missing);
  EXPECT_FALSE(found.points[0].ratio);
  EXPECT_FALSE(found.points[0].fresh);
  EXPECT_NE(found.points[0].reason.find("the data set is empty"), std::string::npos);
}

TEST(Comparison, B147_ARunIsTheSameAsItself) {
  const Report base = run({point(kRead, measured({1.0, 1.3, 0.8, 1.1}))});
  const Comparison found = of(base, base);
  EXPECT_EQ(found.count(ComparedAs::same), 1U);
  EXPECT_TRUE(found.says_something());
  ASSERT_FALSE(found.notes.empty());
  EXPECT_NE(found.notes[0].find("identical run"), std::string::npos);
  // The id alone proves nothing: other samples are compared.
  Report other = base;
  other.points[0].outcome = measured(steady(2));
  EXPECT_EQ(of(base, other).points[0].verdict, ComparedAs::slower);
}

TEST(Comparison, FewSamplesTellNothing) {
  Measured two = measured(steady(1));
  two.samples.resize(2);
  EXPECT_EQ(verdict(measured(steady(2)), two), ComparedAs::ambiguous);
}

TEST(Comparison, ImportanceDecidesTheOrder) {
  const auto named = [](const char* id, Outcome outcome) { return point(kRead, outcome, id); };
  const Report base =
      run({named("same", measured(steady(1))), named("a little", measured(steady(1))),
           named("much", measured(steady(1))), named("gone", measured(steady(1))),
           named("broken", measured(steady(1)))});
  const Report fresh =
      run({named("same", measured(steady(1))), named("a little", measured(steady(1.05))),
           named("much", measured(steady(1.5))), named("broken", Failed{"x"})},
          "two");
  const Comparison found = of(base, fresh);
  std::vector<std::string> order;
  for (const ComparedPoint& entry : found.points) order.push_back(entry.name);
  EXPECT_EQ(order, (std::vector<std::string>{"much", "a little", "broken", "gone", "same"}));
}

// ---- clocks ----

Report on_cpu(double time, double clock_ghz, const std::string& id,
              std::optional<double> own_clock = {}) {
  std::vector<Record> points;
  for (const DType dtype : {DType::fp64, DType::fp32, DType::bf16}) {
    const double clock = own_clock && dtype == DType::bf16 ? *own_clock : clock_ghz;
    points.push_back(point(PeakProbe{dtype, 1000000}, measured(steady(time * 4.0 / clock), clock)));
  }
  Report out = run(std::move(points), id);
  out.device_id = "cpu";
  out.device_name = "CPU";
  out.environment = {};
  for (Record& record : out.points) record.device_id = "cpu";
  return out;
}

TEST(Comparison, WhatFollowsACoresClockIsComparedAtEqualClock) {
  const Comparison found = of(on_cpu(1e-3, 4.0, "one"), on_cpu(1e-3, 3.9, "two"));
  EXPECT_EQ(found.count(ComparedAs::same), 3U);
  EXPECT_NEAR(found.points[0].clock_ratio.value(), 3.9 / 4.0, 1e-9);
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_NE(found.notes[0].find("2.50 % lower"), std::string::npos) << found.notes[0];
  // And a slowdown is not hidden by a clock that rose.
  const Comparison slow = of(on_cpu(1e-3, 3.9, "one"), on_cpu(1.03e-3, 4.0, "two"));
  EXPECT_EQ(slow.count(ComparedAs::slower), 3U);
}

TEST(Comparison, AClockThatOnlyOnePointLostIsItsOwn) {
  const Comparison found = of(on_cpu(1e-3, 4.0, "one"), on_cpu(1e-3, 4.0, "two", 3.7));
  EXPECT_EQ(the(found, "peak/bf16/registers").verdict, ComparedAs::slower);
  EXPECT_FALSE(the(found, "peak/bf16/registers").clock_ratio);
  EXPECT_EQ(the(found, "peak/fp32/registers").verdict, ComparedAs::same);
}

TEST(Comparison, AClockThatFellFarIsASlowdown) {
  EXPECT_EQ(of(on_cpu(1e-3, 4.0, "one"), on_cpu(1e-3, 3.0, "two")).count(ComparedAs::slower), 3U);
}

// ---- what forbids a comparison ----

struct Other {
  const char* what;
  void (*change)(Report&);
  bool refused;
};

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
  };
  for (const Other& other : all) {
    Report base = run({point(kRead, measured(steady(1e-4)))});
    base.tool_version = "1.0";
    base.environment.push_back({"threads", std::uint64_t{4}});
    base.environment.push_back({"isa_path", std::string("avx512")});
    base.environment.push_back({"kernel", std::string("6.1")});
    base.environment.push_back({"host_name", std::string("a")});
    for (Sample& s : std::get<Measured>(base.points[0].outcome).samples) {
      s.iterations = 10;
      s.duration = 10.0 * s.duration;
    }
    for (const auto& [key, value] :
         {std::pair<const char*, FactValue>{"library_version", std::string("3.0")},
          {"data_pattern", std::string("random")},
          {"array_byte", std::uint64_t{4}}})
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

TEST(Comparison, AReplayedMachineIsNoMeasuredOne) {
  const Report base = run({point(kRead, measured(steady(1)))});
  Report fresh = run({point(kRead, measured(steady(1)))}, "two");
  fresh.device_name = "scripted: NVIDIA A100";
  EXPECT_TRUE(of(base, fresh).refused());
}

// ---- how it looks ----

Comparison mixed() {
  static const Report base = [] {
    return run(
        {point(kRead, measured(steady(1e-6)), "stream/fp64/read"),
         point(Gemm{.m = 64, .n = 64, .k = 64}, measured(steady(5e-6))),
         point(Gemm{.m = 96, .n = 64, .k = 64}, measured(steady(5e-6))),
         point(kPeak, measured(steady(1e-6))), point(Launch{}, measured(steady(2e-6))),
         point(Gemm{.m = 128, .n = 64, .k = 64}, measured(steady(5e-6))),
         point(Gemm{.m = 32, .n = 64, .k = 64}, measured(steady(5e-6))),
         point(Stream{.kind = StreamKind::copy, .elements = 100000}, measured(steady(1e-6)))});
  }();
  static const Report fresh = [] {
    Report out =
        run({point(kRead, measured(steady(1.2e-6)), "stream/fp64/read"),
             point(Gemm{.m = 64, .n = 64, .k = 64}, measured(steady(12e-6))),
             point(Gemm{.m = 96, .n = 64, .k = 64},
                   Incorrect{{VerificationState::incorrect, "3|4 values are off"}}),
             point(kPeak, measured(steady(1.01e-6))), point(Launch{}, measured(steady(1.7e-6))),
             point(Gemm{.m = 32, .n = 64, .k = 64}, measured(steady(0.2e-6))),
             point(Gemm{.m = 256, .n = 64, .k = 64}, measured(steady(5e-6))),
             point(Stream{.kind = StreamKind::copy, .elements = 100000}, measured(steady(1e-6)))},
            "two");
    out.tool_version = "2.0";
    return out;
  }();
  return of(base, fresh, 0.03);
}

TEST(ComparisonText, TheTableSaysMostFirst) {
  test::expect_golden(report::render_comparison_table(mixed(), {}), "report/comparison.txt");
}

TEST(ComparisonText, MarkdownFoldsWhatNeedsNoLook) {
  test::expect_golden(report::render_comparison_markdown(mixed()), "report/comparison.md");
}

TEST(ComparisonText, MarkdownOfManyPointsFitsAComment) {
  std::vector<Record> points;
  for (int i = 0; i < 3000; ++i)
    points.push_back(point(kRead, measured(steady(1)), "point " + std::to_string(i)));
  const Report base = run(points);
  for (Record& record : points) record.outcome = measured(steady(1.5));
  const std::string text = report::render_comparison_markdown(of(base, run(points, "two")));
  EXPECT_LT(text.size(), 65536U);
  EXPECT_NE(text.find("more are not shown"), std::string::npos);
  EXPECT_TRUE(text.ends_with("</details>\n"));
}

TEST(ComparisonText, JsonFollowsItsSchema) {
  if (!test::schema_check_available()) GTEST_SKIP() << test::kNoSchemaCheck;
  const std::string text = report::render_comparison_json(mixed());
  EXPECT_EQ(test::comparison_schema_errors(text), std::vector<std::string>{});
  auto broken = nlohmann::json::parse(text);
  EXPECT_EQ(broken.at("counts").at("slower"), 2);
  EXPECT_EQ(broken.at("points").at(0).at("verdict"), "slower");
  EXPECT_NEAR(broken.at("points").at(0).at("ratio").at("value").get<double>(), 2.4, 1e-9);
  broken["points"][0]["verdict"] = "regression";
  EXPECT_FALSE(test::comparison_schema_errors(broken.dump()).empty());
}

}  // namespace
}  // namespace roofline
