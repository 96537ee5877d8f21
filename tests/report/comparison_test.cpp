// Which points belong together, and which verdict each gets.
#include <gtest/gtest.h>

#include <random>

#include "comparison_support.hpp"

namespace roofline::comparing {
namespace {

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

TEST(Comparison, ASinglePairInTheL2OfAGpuTellsNothing) {
  const auto in_l2 = [](double time, std::uint64_t repetitions) {
    std::vector<double> all;
    for (std::uint64_t i = 0; i < repetitions; ++i) {
      const auto more = steady(time);
      all.insert(all.end(), more.begin(), more.end());
    }
    Measured found = measured(all);
    for (std::size_t i = 0; i < all.size(); ++i)
      found.samples[i].repetition = repetitions == 1 ? 0 : 1 + i / 9;
    Record out = point(kRead, found);
    out.account = account(kRead, Boundary::l2);
    return out;
  };
  const auto verdict = [&](double ratio, std::uint64_t repetitions) {
    const Report base = run({in_l2(1, repetitions)});
    const Report fresh = run({in_l2(ratio, repetitions)}, "two");
    return of(base, fresh).points.at(0);
  };
  for (const double ratio : {0.8, 1.0, 1.1, 1.3}) {
    const ComparedPoint found = verdict(ratio, 1);
    EXPECT_EQ(found.verdict, ComparedAs::ambiguous) << ratio;
    EXPECT_NE(found.reason.find("depends on the pages it got"), std::string::npos) << found.reason;
  }
  EXPECT_EQ(verdict(1.1, 3).verdict, ComparedAs::slower);
}

/// One read on each of two equal GPUs, with what their reports say of them.
Report two_equal(double first, double second_time, const std::string& id, const Facts& one,
                 const Facts& other, const std::string& first_id = "cuda:0",
                 const std::string& other_id = "cuda:1") {
  Report out =
      run({point(kRead, measured(steady(first))), point(kRead, measured(steady(second_time)))}, id);
  out.points[0].device_id = first_id;
  out.points[1].device_id = other_id;
  out.devices = {{first_id, "NVIDIA A100", one}, {other_id, "NVIDIA A100", other}};
  return out;
}

Facts with(const char* key, const char* value) { return {{key, std::string(value)}}; }

TEST(Comparison, EqualDevicesArePairedByTheirUuid) {
  // Enumerated the other way round: the slow card is still the slow card.
  const Comparison found = of(two_equal(1, 2, "one", with("uuid", "GPU-a"), with("uuid", "GPU-b")),
                              two_equal(2, 1, "two", with("uuid", "GPU-b"), with("uuid", "GPU-a")));
  EXPECT_EQ(found.count(ComparedAs::slower) + found.count(ComparedAs::faster), 0U);
  for (const ComparedPoint& point : found.points) EXPECT_NEAR(point.ratio->value, 1, 1e-12);
}

TEST(Comparison, DevicesOfSeveralMachinesArePairedByTheirHost) {
  const Comparison found = of(two_equal(1, 2, "one", with("host_name", "n1"),
                                        with("host_name", "n2"), "cuda:0@run#1", "cuda:0@run#2"),
                              two_equal(2, 1, "two", with("host_name", "n2"),
                                        with("host_name", "n1"), "cuda:0@run#1", "cuda:0@run#2"));
  EXPECT_EQ(found.points.size(), 2U);
  for (const ComparedPoint& point : found.points) EXPECT_NEAR(point.ratio->value, 1, 1e-12);
}

TEST(Comparison, WhichOfSeveralEqualDevicesIsNotGuessed) {
  const Comparison found = of(two_equal(1, 2, "one", {}, {}, "cuda:0@a", "cuda:0@b"),
                              two_equal(2, 1, "two", {}, {}, "cuda:0@c", "cuda:0@d"));
  EXPECT_EQ(found.count(ComparedAs::ambiguous), 2U);
  ASSERT_EQ(found.notes.size(), 2U);
  EXPECT_NE(found.notes[0].find("cuda:0@a"), std::string::npos) << found.notes[0];
  // One that is broken is broken whichever it is; and a lone one can be no other.
  EXPECT_TRUE(
      of(run({point(kRead, measured(steady(1)))}), run({point(kRead, measured(steady(1)))}, "two"))
          .notes.empty());
}

TEST(Comparison, UnverifiedPointsAreComparedWithANote) {
  const auto imported = [](double time) {
    Measured out = measured(steady(time));
    out.verification = {VerificationState::unverified, "imported"};
    return out;
  };
  const Comparison found =
      of(run({point(kRead, imported(1))}), run({point(kRead, imported(1.5))}, "two"));
  EXPECT_EQ(found.points.at(0).verdict, ComparedAs::slower);
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_EQ(found.notes[0].rfind("unverified: stream/fp64/read", 0), 0U) << found.notes[0];
}

TEST(Comparison, TwoPointsOfOneIdInAReportAreNoFigure) {
  const Report good = run({point(kRead, measured(steady(1)))});
  const Report twice =
      run({point(kRead, measured(steady(1))), point(kRead, measured(steady(2)))}, "two");
  for (const Comparison& found : {of(good, twice), of(twice, good)}) {
    ASSERT_EQ(found.points.size(), 1U);
    EXPECT_EQ(found.points[0].verdict, ComparedAs::unusable);
    EXPECT_NE(found.points[0].reason.find("two points of this id"), std::string::npos);
  }
  // Of several devices each has its own.
  Report apart = twice;
  apart.points[1].device_id = "cuda:1";
  apart.devices = {{"cuda:0", "NVIDIA A100", {}}, {"cuda:1", "NVIDIA A100", {}}};
  EXPECT_EQ(of(apart, apart).count(ComparedAs::same), 2U);
  // The very same measurement is one.
  const Record one = point(Launch{}, measured(steady(1)));
  const Comparison same = of(run({one, one}), run({point(Launch{}, measured(steady(2)))}, "two"));
  EXPECT_EQ(same.points[0].verdict, ComparedAs::slower);
  EXPECT_EQ(same.points[0].base->runs, 1U);
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

TEST(Comparison, B141_WhatIsNoFigureIsNeverTheSame) {
  const Bad all[] = {
      {"failed", Failed{"no memory"}, ComparedAs::unusable},
      {"incorrect", Incorrect{{VerificationState::incorrect, "3 values"}}, ComparedAs::unusable},
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
}

TEST(Comparison, TheIdOfARunAloneProvesNothing) {
  const Report base = run(
      {point(kRead, measured({1.0, 1.3, 0.8, 1.1})), point(Launch{}, measured(steady(1), 1.5))});
  const auto edited = [&](auto&& edit) {
    Report out = base;
    edit(out.points);
    const Comparison found = of(base, out);
    EXPECT_EQ(found.notes.size(), 1U);
    EXPECT_EQ(found.notes.at(0).find("identical"), std::string::npos) << found.notes[0];
    EXPECT_NE(found.notes.at(0).find("other figures"), std::string::npos) << found.notes[0];
    return the(found, base.points[1].id).verdict;
  };
  const auto launch = [](std::vector<Record>& points) -> Measured& {
    return std::get<Measured>(points[1].outcome);
  };
  EXPECT_EQ(edited([](auto& points) { points[1].outcome = measured(steady(2), 1.5); }),
            ComparedAs::slower);
  // Of one point that stayed as it was, too.
  EXPECT_EQ(edited([](auto& points) { points[0].outcome = measured(steady(2)); }),
            ComparedAs::same);
  EXPECT_EQ(edited([](auto& points) { points.erase(points.begin()); }), ComparedAs::same);
  EXPECT_EQ(edited([](auto& points) { points.pop_back(); }), ComparedAs::missing);
  // Whatever of its samples counts.
  EXPECT_NE(edited([&](auto& points) { launch(points).samples[3].clock = hertz(1e9); }),
            ComparedAs::same);
  EXPECT_NE(
      edited([&](auto& points) { launch(points).samples[3].disturbance = Disturbance::contended; }),
      ComparedAs::same);
}

TEST(Comparison, RunsInAnotherOrderAreTheSame) {
  const std::vector<Report> base{run({point(kRead, measured(steady(1)))}, "a"),
                                 run({point(kRead, measured(steady(1.1)))}, "b")};
  const std::vector<Report> fresh{base[1], base[0]};
  const Comparison found = compare(base, fresh, {});
  EXPECT_EQ(found.points[0].verdict, ComparedAs::same);
  EXPECT_NE(found.notes.at(0).find("identical run"), std::string::npos);
}

TEST(Comparison, FewSamplesTellNothing) {
  Measured two = measured(steady(1));
  two.samples.resize(2);
  EXPECT_EQ(verdict(measured(steady(2)), two), ComparedAs::ambiguous);
}

/// A first sample of twice the time decides nothing: medians of repeated samples do.
TEST(Comparison, B058_AColdFirstSampleIsNoRegression) {
  std::vector<double> base;
  std::vector<double> fresh{2e-4};
  for (int i = 0; i < 10; ++i) base.push_back(1e-4 * (1 + 0.002 * (i - 4.5)));
  for (int i = 0; i < 9; ++i) fresh.push_back(1e-4);
  const Report was = run({point(kRead, measured(base))});
  const Report is = run({point(kRead, measured(fresh))}, "two");
  EXPECT_EQ(of(was, is, 0.03).points.at(0).verdict, ComparedAs::same);
  EXPECT_EQ(verdict(measured(base), measured(std::vector<double>(10, 2e-4))), ComparedAs::slower);
}

TEST(Comparison, ImportanceDecidesTheOrder) {
  const auto named = [](const char* id, const Outcome& outcome) {
    return point(kRead, outcome, id);
  };
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

}  // namespace
}  // namespace roofline::comparing
