// What the figures say, whatever draws them. Expected values are those that sample_report() is made
// of: 143 GFLOP/s fp32, 570 GFLOP/s bf16, 24.1 GB/s read.
#include "chart/charts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "report/sample_reports.hpp"
#include "roofline/error.hpp"
#include "roofline/roof_book.hpp"

namespace roofline::chart {
namespace {

Figure chart_of(const Report& report, const std::string& kind, const ChartOptions& options = {}) {
  return find_chart_kind(kind)->build({&report, 1}, options);
}

const Line* line_starting(const Panel& panel, const std::string& label) {
  for (const Line& line : panel.lines) {
    if (line.label.starts_with(label)) return &line;
  }
  return nullptr;
}

const Mark* mark_of(const std::vector<Mark>& marks, const std::string& id) {
  for (const Mark& mark : marks) {
    if (mark.record->id == id) return &mark;
  }
  return nullptr;
}

TEST(RooflineChart, TheSlopeIsTheReadStreamAndTheFlatsAreThePeaks) {
  const Report report = test::sample_report();
  const Figure chart = chart_of(report, "roofline");
  ASSERT_EQ(chart.panels.size(), 1U);
  const Panel& panel = chart.panels[0];
  const Line* const dram = line_starting(panel, "DRAM read 24.1 GB/s, measured");
  ASSERT_NE(dram, nullptr);
  EXPECT_EQ(dram->stroke, Stroke::solid);
  for (const Position& at : dram->path) EXPECT_NEAR(at.y / at.x, 24.1e9, 1e-3 * 24.1e9);
  const Line* const bf16 = line_starting(panel, "bf16 570 GFLOP/s measured, 614 GFLOP/s derived");
  ASSERT_NE(bf16, nullptr) << "two that nearly coincide have one label";
  EXPECT_EQ(bf16->stroke, Stroke::dashed) << "on the upper one, which is derived";
  EXPECT_NEAR(bf16->path.front().y, 614.4e9, 1e6);
}

TEST(RooflineChart, RidgesLieWhereTheRoofsMeet) {
  const Report report = test::sample_report();
  const Panel panel = chart_of(report, "roofline").panels[0];
  std::vector<std::string> labels;
  for (const Ridge& ridge : panel.ridges) {
    EXPECT_NEAR(ridge.at.y / ridge.at.x, 24.1e9, 1e-3 * 24.1e9);
    if (!ridge.label.empty()) labels.push_back(ridge.label);
  }
  EXPECT_EQ(labels, (std::vector<std::string>{"ridge fp32 5.93", "ridge bf16 23.7"}));
}

TEST(RooflineChart, PointsLieWhereTheirRecordSays) {
  const Report report = test::sample_report();
  const Panel panel = chart_of(report, "roofline").panels[0];
  for (const Record& record : report.points) {
    const bool works = record.account.work && record.account.work->value() != 0;
    const bool measured = std::holds_alternative<Measured>(record.outcome);
    const Mark* const mark = mark_of(panel.marks, record.id);
    ASSERT_EQ(mark != nullptr, works && measured) << record.id;
    if (mark == nullptr) continue;
    EXPECT_EQ(mark->at.y, record.assessment->achieved->si());
    EXPECT_EQ(mark->at_edge, std::holds_alternative<PeakProbe>(record.workload));
    if (!mark->at_edge) {
      EXPECT_EQ(mark->at.x, record.placement.intensity->si());
    }
    EXPECT_GE(mark->at.x, panel.x.low);
    EXPECT_LE(mark->at.x, panel.x.high);
    EXPECT_GE(mark->at.y, panel.y.low);
    EXPECT_LE(mark->at.y, panel.y.high);
    // The interval of the sample report is 0.5 % to either side of the median.
    ASSERT_TRUE(mark->low && mark->high);
    EXPECT_NEAR(*mark->high / mark->at.y, 1 / 0.995, 1e-9);
  }
  ASSERT_FALSE(panel.notes.empty());
  EXPECT_EQ(panel.notes.back(), "3 points are not drawn: 1 failed, 1 incorrect, 1 skipped.");
}

TEST(RooflineChart, StreamsWithoutArithmeticHaveAStrip) {
  const Report report = test::sample_report();
  const Panel panel = chart_of(report, "roofline").panels[0];
  ASSERT_EQ(panel.strips.size(), 1U);
  const Mark* const copy = mark_of(panel.strips[0].marks, "stream/fp64/copy");
  ASSERT_NE(copy, nullptr);
  EXPECT_NEAR(copy->at.x, 19.2e9, 1);
  EXPECT_EQ(mark_of(panel.marks, "stream/fp64/copy"), nullptr);
}

TEST(RooflineChart, WhatCannotBeAndWhatWasDisturbedIsSetApart) {
  const Report report = test::sample_report();
  const Panel panel = chart_of(report, "roofline").panels[0];
  EXPECT_EQ(mark_of(panel.marks, "gemm/bf16/512")->standing, Standing::impossible);
  EXPECT_EQ(mark_of(panel.marks, "gemm/bf16/512")->rank, 0);
  EXPECT_EQ(mark_of(panel.marks, "matvec/fp32/T=8")->standing, Standing::disturbed);
  EXPECT_EQ(mark_of(panel.marks, "gemm/fp32/2048")->standing, Standing::sound);
  EXPECT_EQ(panel.marks.back().standing, Standing::impossible) << "drawn on top";
}

TEST(RooflineChart, TypesKeepTheirColourAndFamiliesTheirShape) {
  const Report report = test::sample_report();
  const Panel panel = chart_of(report, "roofline").panels[0];
  const Mark* const gemm = mark_of(panel.marks, "gemm/fp32/2048");
  const Mark* const matvec = mark_of(panel.marks, "matvec/fp32/T=8");
  EXPECT_EQ(gemm->hue, matvec->hue);
  EXPECT_NE(gemm->shape, matvec->shape);
  EXPECT_NE(gemm->hue, mark_of(panel.marks, "gemm/bf16/2048")->hue);
  Report alone = report;
  std::erase_if(alone.points, [](const Record& r) { return r.id != "gemm/fp32/2048"; });
  EXPECT_EQ(chart_of(alone, "roofline").panels[0].marks.at(0).hue, gemm->hue);
}

TEST(RooflineChart, TheoryThatIsUnknownIsSaid) {
  Report report = test::sample_report();
  const auto first_note = [&] { return chart_of(report, "roofline").panels[0].notes.at(0); };
  EXPECT_EQ(first_note(), "Theoretical bandwidth unknown: the memory roofs are measured ones.");
  std::erase_if(report.roofs, [](const RoofEntry& entry) {
    const auto* roof = std::get_if<ComputeRoof>(&entry.roof);
    return roof != nullptr && roof->origin != Origin::measured;
  });
  for (Record& point : report.points) point.rooflines = {};
  EXPECT_EQ(first_note(), "Theoretical roof unknown: only what was measured is drawn.");
  const Figure chart = chart_of(report, "roofline");
  EXPECT_FALSE(chart.panels[0].marks.empty());
  EXPECT_NE(line_starting(chart.panels[0], "bf16 570 GFLOP/s, measured"), nullptr);
}

TEST(RooflineChart, ATypeWithoutARoofIsSaid) {
  Report report = test::sample_report();
  const auto says = [&](const std::string& note) {
    const auto notes = chart_of(report, "roofline").panels[0].notes;
    return std::find(notes.begin(), notes.end(), note) != notes.end();
  };
  const std::string note = "bf16: no compute roof is known; 2 points are held against none.";
  EXPECT_FALSE(says(note));
  for (Record& point : report.points) {
    if (point.id != "gemm/bf16/2048" && point.id != "gemm/bf16/512") continue;
    point.roofs.compute.reset();
    point.placement.ceiling.reset();
  }
  EXPECT_TRUE(says(note));
}

TEST(RooflineChart, ARatedRoofIsDashedBesideTheMeasuredOne) {
  Report report = test::sample_report();
  report.roofs.push_back(
      {"rated", MemoryRoof{gb_per_s(38.4), Boundary::dram, Origin::datasheet, "sheet"}, ""});
  const Panel panel = chart_of(report, "roofline").panels[0];
  const Line* const rated = line_starting(panel, "DRAM 38.4 GB/s, datasheet");
  ASSERT_NE(rated, nullptr);
  EXPECT_EQ(rated->stroke, Stroke::dashed);
  for (const Ridge& ridge : panel.ridges)
    EXPECT_NEAR(ridge.at.y / ridge.at.x, 24.1e9, 1e-3 * 24.1e9) << "told on the measured one";
}

TEST(RooflineChart, SeveralDevicesShareTheirAxes) {
  Report report = test::sample_report();
  report.devices = {{"cuda:0", "NVIDIA X", {}}, {"cuda:1", "NVIDIA X", {}}};
  for (Record& point : report.points) point.device_id = "cuda:0";
  for (RoofEntry& entry : report.roofs) entry.device = "cuda:0";
  Record one = report.points[5];
  one.device_id = "cuda:1";
  one.assessment->achieved = flop_per_s(3e15);
  report.points.push_back(one);
  const Figure chart = chart_of(report, "roofline");
  ASSERT_EQ(chart.panels.size(), 2U);
  EXPECT_EQ(chart.panels[0].y.high, chart.panels[1].y.high);
  EXPECT_GT(chart.panels[0].y.high, 3e15);
  EXPECT_EQ(chart.panels[1].marks.size(), 1U);
  EXPECT_EQ(chart.panels[1].title, "NVIDIA X, cuda:1");
  EXPECT_EQ(chart.title, "NVIDIA X, 2 devices");
}

TEST(RooflineChart, ASimulatedDeviceIsToldAtTheTop) {
  Report report = test::sample_report();
  EXPECT_TRUE(chart_of(report, "roofline").warnings.empty());
  report.environment.push_back({"backend", std::string("scripted")});
  EXPECT_EQ(chart_of(report, "roofline").warnings.size(), 1U);
  report.environment.back() = {"simulated", true};
  EXPECT_NE(chart_of(report, "roofline").warnings.at(0).find("Simulated"), std::string::npos);
}

/// Placed on the A100 of the seed: 312 TFLOP/s, 2039 GB/s.
TEST(RooflineChart, AnalyticPointsLieOnTheRoof) {
  Report report;
  for (const std::uint64_t rows : {1U, 1024U}) {
    Record record;
    static_cast<Explanation&>(record) =
        test::on_a100(Projection{.rows = rows, .d_in = 4096, .d_out = 14336});
    record.outcome = Skipped{"nothing was run"};
    report.points.push_back(record);
  }
  EXPECT_TRUE(chart_of(report, "roofline").panels[0].marks.empty());
  const Panel panel = chart_of(report, "roofline", {.attainable = true}).panels[0];
  ASSERT_EQ(panel.marks.size(), 2U);
  EXPECT_NEAR(panel.marks[0].at.y, panel.marks[0].at.x * 2039e9, 1);
  EXPECT_EQ(panel.marks[1].at.y, 312e12);
  EXPECT_EQ(panel.marks[0].standing, Standing::attainable);
  ASSERT_EQ(panel.ridges.size(), 1U);
  EXPECT_EQ(panel.ridges[0].label, "ridge bf16 153");
}

TEST(DecodeChart, RowsAreJoinedInOrder) {
  Report report = test::sample_report();
  std::reverse(report.points.begin(), report.points.end());
  const Panel panel = chart_of(report, "decode").panels[0];
  for (const Mark& mark : panel.marks)
    EXPECT_TRUE(std::holds_alternative<Projection>(mark.record->workload));
  const auto walk = std::find_if(panel.lines.begin(), panel.lines.end(),
                                 [](const Line& line) { return line.path.size() == 3; });
  ASSERT_NE(walk, panel.lines.end());
  EXPECT_LT(walk->path[0].x, walk->path[1].x);
  EXPECT_LT(walk->path[1].x, walk->path[2].x);
}

Record product(std::uint64_t m, double share, std::uint64_t n = 4096) {
  Record out;
  static_cast<Explanation&>(out) =
      test::on_a100(Gemm{.m = m, .n = n, .k = 4096},
                    {.achieved = flop_per_s(share * 1e12 * static_cast<double>(m))});
  out.id = "gemm/" + std::to_string(m);
  Measured measured;
  measured.time_median = second(1e-3);
  measured.end = MeasurementEnd::converged;
  out.outcome = measured;
  return out;
}

TEST(SweepChart, FindsTheAxisThatWasSwept) {
  Report report;
  for (const std::uint64_t m : {64U, 1U, 8U}) report.points.push_back(product(m, 0.5));
  const Panel panel = chart_of(report, "sweep").panels[0];
  EXPECT_EQ(panel.x.title, "m");
  ASSERT_EQ(panel.marks.size(), 3U);
  EXPECT_EQ(panel.marks[0].at.x, 1);
  EXPECT_EQ(panel.marks[2].at.x, 64);
  EXPECT_EQ(panel.marks[2].at.y, 32e12);
  const auto ceiling = std::find_if(panel.lines.begin(), panel.lines.end(),
                                    [](const Line& line) { return line.stroke == Stroke::dashed; });
  ASSERT_NE(ceiling, panel.lines.end());
  EXPECT_EQ(ceiling->path[0].y, report.points[1].placement.ceiling->si());
  EXPECT_THROW((void)chart_of(report, "sweep", {.axis = "M"}), InputError);
  EXPECT_TRUE(chart_of(report, "sweep", {.axis = "rows"}).panels[0].marks.empty());
}

TEST(SweepChart, NamesNoSeriesThatSharesItsColour) {
  const auto chart = [](std::uint64_t series) {
    Report report;
    for (std::uint64_t n = 1; n <= series; ++n) {
      for (const std::uint64_t m : {1U, 8U, 64U}) report.points.push_back(product(m, 0.5, 512 * n));
    }
    return chart_of(report, "sweep", {.axis = "m"});
  };
  const auto named = [](const Figure& figure) {
    return std::count_if(figure.panels[0].marks.begin(), figure.panels[0].marks.end(),
                         [](const Mark& mark) { return !mark.label.empty(); });
  };
  const Figure eight = chart(8);
  EXPECT_EQ(named(eight), 8);
  EXPECT_TRUE(eight.panels[0].notes.empty());
  const Figure nine = chart(9);
  EXPECT_EQ(named(nine), 0);
  ASSERT_EQ(nine.panels[0].notes.size(), 1U);
  EXPECT_EQ(nine.panels[0].notes[0],
            "9 series share 8 colours, and none is named beside its line: --filter chooses some of "
            "them.");
  // Eight, what the others are, and the ceiling.
  ASSERT_EQ(nine.legend.at(0).entries.size(), 10U);
  EXPECT_EQ(nine.legend[0].entries[8].text, "1 more, in the same colours");
}

TEST(BandwidthChart, IsOverTheArraysTogether) {
  const Report report = test::sample_report();
  const Panel panel = chart_of(report, "bandwidth").panels[0];
  const Mark* const triad = mark_of(panel.marks, "stream/fp64/triad");
  ASSERT_NE(triad, nullptr);
  EXPECT_EQ(triad->at.x, 3 * 8 * std::exp2(27));  // three arrays of fp64
  EXPECT_NEAR(triad->at.y, 20.6e9, 1);
}

TEST(GapChart, ThePartsAddUpToTheHighestCeiling) {
  const Report report = test::sample_report();
  const Panel panel = chart_of(report, "gap").panels[0];
  ASSERT_FALSE(panel.bars.empty());
  for (const Bar& bar : panel.bars) {
    EXPECT_FALSE(bar.record->defines_roof);
    double end = 0;
    for (const Segment& segment : bar.segments) {
      EXPECT_DOUBLE_EQ(segment.from, end) << bar.name;
      EXPECT_GE(segment.to, segment.from) << bar.name;
      end = segment.to;
    }
    EXPECT_GE(end, 1 - 1e-12) << bar.name;
  }
  // 35 % of a ceiling of 570 GFLOP/s, under 614.4 of the units.
  const auto bar = std::find_if(panel.bars.begin(), panel.bars.end(),
                                [](const Bar& one) { return one.name == "gemm/bf16/2048"; });
  ASSERT_NE(bar, panel.bars.end());
  ASSERT_EQ(bar->segments.size(), 3U);
  EXPECT_NEAR(bar->segments[0].to, 0.35 * 570 / 614.4, 1e-3);
  EXPECT_NEAR(bar->segments[1].to, 570 / 614.4, 1e-3);
  EXPECT_EQ(bar->segments[2].part, Part::platform);
}

/// A read of 8 MB at 1 TB/s takes 8 us, and its call 8 us more: half of the roof is all there is.
Report with_overhead(bool measured) {
  Report out;
  Record point;
  point.id = "elementwise";
  point.workload = Elementwise{.elements = 1'000'000, .dtype = DType::fp32};
  point.account = account(point.workload);
  point.roofs.memory = MemoryRoof{byte_per_s(1e12), Boundary::dram, Origin::datasheet, "d"};
  point.roofs.compute =
      ComputeRoof{flop_per_s(1e13), PeakKey::fp32, Sparsity::dense, Origin::datasheet, "d"};
  point.roofs.overhead = OverheadRoof{.time = second(8e-6)};
  point.placement = place(point.account, point.roofs);
  point.outcome = Skipped{"nothing was run"};
  if (measured) {
    Measured found;
    found.time_median = second(32e-6);
    found.end = MeasurementEnd::converged;
    point.outcome = found;
    point.assessment.emplace();
    point.assessment->achieved = flop_per_s(point.account.work->as_double() / 32e-6);
  }
  out.points = {point};
  return out;
}

TEST(RooflineChart, WhatTheCallTakesIsNotAttainable) {
  const Report report = with_overhead(false);
  const Panel panel = chart_of(report, "roofline", {.attainable = true}).panels[0];
  ASSERT_EQ(panel.marks.size(), 1U);
  EXPECT_NEAR(panel.marks[0].at.y, report.points[0].account.work->as_double() / 16e-6, 1e3);
}

TEST(GapChart, TheOverheadOfTheCallIsNotTheKernels) {
  const Report report = with_overhead(true);
  const Figure chart = chart_of(report, "gap");
  ASSERT_EQ(chart.panels[0].bars.size(), 1U);
  const auto& segments = chart.panels[0].bars[0].segments;
  ASSERT_EQ(segments.size(), 3U);
  EXPECT_NEAR(segments[0].to, 0.25, 1e-9);
  EXPECT_EQ(segments[1].part, Part::kernel);
  EXPECT_NEAR(segments[1].to, 0.5, 1e-9);
  EXPECT_EQ(segments[2].part, Part::overhead);
  EXPECT_NEAR(segments[2].to, 1, 1e-9);
  // Nothing is said of hardware whose ceiling is not known.
  EXPECT_EQ(chart.panels[0].x.title, "share of the highest ceiling that is known");
}

TEST(RooflineChart, EveryPointThatIsNotDrawnIsCounted) {
  Report report = test::sample_report();
  const auto note = [&] { return chart_of(report, "roofline").panels[0].notes.back(); };
  for (Record& point : report.points) {
    if (std::holds_alternative<Gemm>(point.workload) || point.id == "stream/fp64/read")
      point.outcome = Skipped{"no room"};
  }
  const auto skipped = std::count_if(
      report.points.begin(), report.points.end(),
      [](const Record& point) { return std::holds_alternative<Skipped>(point.outcome); });
  EXPECT_NE(note().find(std::to_string(skipped) + " skipped"), std::string::npos) << note();
}

TEST(ChartKinds, AreFoundByName) {
  EXPECT_EQ(find_chart_kind("pie"), nullptr);
  for (const ChartKind& kind : chart_kinds()) EXPECT_EQ(find_chart_kind(kind.name), &kind);
}

}  // namespace
}  // namespace roofline::chart
