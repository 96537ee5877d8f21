#include "report/merge.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/json_reader.hpp"
#include "report/json_writer.hpp"
#include "roofline/audit.hpp"
#include "roofline/error.hpp"
#include "roofline/fact_lookup.hpp"
#include "roofline/roof_book.hpp"
#include "roofline/sample_summary.hpp"
#include "support/schema_check.hpp"

namespace roofline::report {
namespace {

Record measured(const Workload& workload, const std::string& id, double seconds) {
  Record out;
  out.id = id;
  out.device_id = "cpu";
  out.device_name = "Toy";
  out.workload = workload;
  out.account = account(workload);
  std::vector<Sample> samples;
  for (const double factor : {1.0, 1.001, 0.999}) samples.push_back({second(factor * seconds), 1});
  Measured result = summarise(std::move(samples), MeasurementEnd::converged, 0.95);
  result.verification.state = VerificationState::verified;
  out.outcome = std::move(result);
  return out;
}

Record stream(double seconds) {
  return measured(Stream{.kind = StreamKind::read, .elements = 100'000'000}, "stream/fp64/read",
                  seconds);
}

Record product(std::uint64_t n, double seconds) {
  return measured(Gemm{.m = n, .n = n, .k = n, .input = DType::fp32},
                  "gemm/fp32/" + std::to_string(n), seconds);
}

/// A processor's report, placed under what its own points showed.
Report report_of(std::vector<Record> points, const std::string& id = "run-1", Facts facts = {}) {
  Report out;
  out.tool_version = "0.1.0";
  out.run.id = id;
  out.run.started = "2026-11-30T08:00:0" + id.substr(id.size() - 1) + "Z";
  out.run.command_line = "roofline run";
  out.run.suite = "quick";
  out.run.duration = second(5);
  out.environment = {{"cpu_model", std::string("Toy")}, {"threads", std::uint64_t{4}}};
  for (Fact& fact : facts) out.environment.push_back(std::move(fact));
  out.device_id = "cpu";
  out.device_name = "Toy";
  RoofBook book;
  book.add({"fp32",
            ComputeRoof{tflop_per_s(1), PeakKey::fp32, Sparsity::dense, Origin::derived, "units"},
            {},
            {}});
  for (const Record& point : points) book.learn(point);
  for (Record& point : points) place_record(point, book);
  out.points = std::move(points);
  out.roofs = book.entries();
  return out;
}

Merged merge_two(Report a, Report b, Keep keep = Keep::none, const std::string& label_a = {},
                 const std::string& label_b = {}) {
  std::vector<MergeSource> sources;
  sources.push_back({"runs/a.json", label_a, std::move(a)});
  sources.push_back({"runs/b.json", label_b, std::move(b)});
  return merge(std::move(sources), keep);
}

std::vector<std::string> ids(const Report& report) {
  std::vector<std::string> out;
  for (const Record& point : report.points) out.push_back(point.device_id + " " + point.id);
  return out;
}

std::vector<std::string> devices(const Report& report) {
  std::vector<std::string> out;
  for (const ReportedDevice& device : report.devices) out.push_back(device.id);
  return out;
}

using Names = std::vector<std::string>;

/// It reads back as it is, is valid by the schema, and holds.
void expect_sound(const Report& report) {
  const std::string text = to_json(report);
  for (const std::string& error : test::schema_errors(text)) ADD_FAILURE() << error;
  EXPECT_EQ(to_json(read_report(text, "merged")), text);
  const Audit found = audit(report);
  for (const AuditFinding& finding : found.findings) {
    if (finding.severity() == Severity::error)
      ADD_FAILURE() << finding.rule->id << " " << finding.point << ": " << finding.evidence.text;
  }
}

double time_of(const Report& report, const std::string& id) {
  for (const Record& point : report.points) {
    if (point.id == id) return in_second(std::get<Measured>(point.outcome).time_median);
  }
  return 0;
}

TEST(Merge, ShardsOfOneSweepBecomeOneDeviceUnderOneSetOfRoofs) {
  const Merged merged = merge_two(report_of({stream(0.02), product(1024, 4e-3)}),
                                  report_of({product(2048, 30e-3)}, "run-2"));
  EXPECT_EQ(ids(merged.report),
            (Names{"cpu stream/fp64/read", "cpu gemm/fp32/1024", "cpu gemm/fp32/2048"}));
  EXPECT_TRUE(merged.report.devices.empty());
  // Alone the second shard had no bandwidth, and no ridge.
  const Record& late = merged.report.points.back();
  ASSERT_TRUE(late.roofs.memory);
  EXPECT_NEAR(in_gb_per_s(late.roofs.memory->bandwidth), 40, 1e-6);
  EXPECT_EQ(late.placement.bound, Bound::compute);
  ASSERT_EQ(merged.report.merged_from.size(), 2U);
  EXPECT_EQ(merged.report.merged_from[0].file, "runs/a.json");
  EXPECT_EQ(merged.report.merged_from[1].run.id, "run-2");
  EXPECT_EQ(merged.report.merged_from[1].devices, (Names{"cpu"}));
  EXPECT_EQ(merged.report.run.started, "2026-11-30T08:00:01Z");
  EXPECT_DOUBLE_EQ(in_second(merged.report.run.duration), 10);
  expect_sound(merged.report);
}

TEST(Merge, TwoMeasurementsOfOnePointAreRefusedWithTheWaysOut) {
  const auto two = [](Keep keep) {
    return merge_two(report_of({stream(0.02), product(1024, 4e-3)}),
                     report_of({stream(0.025), product(1024, 3e-3)}, "run-2"), keep);
  };
  try {
    (void)two(Keep::none);
    ADD_FAILURE() << "not refused";
  } catch (const InputError& error) {
    const std::string text = error.what();
    for (const char* part : {"runs/a.json and runs/b.json", "stream/fp64/read of cpu",
                             "1 other point", "--keep first, last or best", "node1=runs/a.json"}) {
      EXPECT_NE(text.find(part), std::string::npos) << text;
    }
  }
  struct Case {
    Keep keep;
    double stream_s;
    double product_s;
  };
  for (const Case& one : {Case{Keep::first, 0.02, 4e-3}, Case{Keep::last, 0.025, 3e-3},
                          Case{Keep::best, 0.02, 3e-3}}) {
    const Merged merged = two(one.keep);
    EXPECT_DOUBLE_EQ(time_of(merged.report, "stream/fp64/read"), one.stream_s);
    EXPECT_DOUBLE_EQ(time_of(merged.report, "gemm/fp32/1024"), one.product_s);
    EXPECT_EQ(merged.report.points.size(), 2U);
    expect_sound(merged.report);  // the roof is that of the stream that stayed
  }
}

TEST(Merge, BestIsATrustedOneBeforeAFasterOne) {
  Record disturbed = product(1024, 2e-3);
  std::get<Measured>(disturbed.outcome).end = MeasurementEnd::contended;
  const Merged merged = merge_two(report_of({std::move(disturbed)}),
                                  report_of({product(1024, 3e-3)}, "run-2"), Keep::best);
  EXPECT_DOUBLE_EQ(time_of(merged.report, "gemm/fp32/1024"), 3e-3);
}

TEST(Merge, TheSameMeasurementTwiceIsOne) {
  const Report report = report_of({stream(0.02), product(1024, 4e-3)});
  const Merged merged = merge_two(report, report);
  EXPECT_EQ(merged.report.points.size(), 2U);
  EXPECT_NE(merged.notes.at(0).find("2 points were there twice"), std::string::npos);
}

TEST(Merge, APointThatWasSkippedYieldsToOneThatRan) {
  Record skipped = product(1024, 1);
  skipped.outcome = Skipped{"the budget was spent"};
  Report first = report_of({stream(0.02)});
  first.points.push_back(skipped);
  const Merged merged = merge_two(std::move(first), report_of({product(1024, 4e-3)}, "run-2"));
  EXPECT_DOUBLE_EQ(time_of(merged.report, "gemm/fp32/1024"), 4e-3);
}

TEST(Merge, MachinesOfOtherFactsStandApartAndKeepThem) {
  const Merged merged =
      merge_two(report_of({stream(0.02)}, "run-1", {{"memory_total_byte", std::uint64_t{64}}}),
                report_of({stream(0.03)}, "run-2", {{"memory_total_byte", std::uint64_t{128}}}));
  EXPECT_EQ(devices(merged.report), (Names{"cpu@a", "cpu@b"}));
  EXPECT_EQ(ids(merged.report), (Names{"cpu@a stream/fp64/read", "cpu@b stream/fp64/read"}));
  EXPECT_EQ(find_fact(merged.report.environment, "memory_total_byte"), nullptr);
  EXPECT_EQ(text_fact(merged.report.environment, "cpu_model"), "Toy");
  EXPECT_EQ(number_fact(merged.report.devices[1].facts, "memory_total_byte"), 128);
  EXPECT_EQ(merged.report.merged_from[1].devices, (Names{"cpu@b"}));
  EXPECT_EQ(merged.report.roofs.back().device, "cpu@b");
  expect_sound(merged.report);
}

TEST(Merge, WhatChangesByItselfMakesNoOtherMachine) {
  const Merged merged = merge_two(
      report_of({stream(0.02)}, "run-1", {{"memory_available_byte", std::uint64_t{64}}}),
      report_of({product(1024, 4e-3)}, "run-2", {{"memory_available_byte", std::uint64_t{65}}}));
  EXPECT_EQ(ids(merged.report), (Names{"cpu stream/fp64/read", "cpu gemm/fp32/1024"}));
}

TEST(Merge, EqualMachinesAreToldApartByWhatTheUserCallsThem) {
  const Merged merged = merge_two(report_of({stream(0.02)}), report_of({stream(0.03)}, "run-2"),
                                  Keep::none, "node1", "node2");
  EXPECT_EQ(devices(merged.report), (Names{"cpu@node1", "cpu@node2"}));
  expect_sound(merged.report);
}

Report gpus(const std::string& host, int count) {
  Report out = report_of({stream(0.02)}, "run-1", {{"driver_version", std::string("580")}});
  const Record point = out.points.front();
  const std::vector<RoofEntry> roofs = out.roofs;
  out.points.clear();
  out.roofs.clear();
  for (int i = 0; i < count; ++i) {
    const std::string id = "cuda:" + std::to_string(i);
    out.devices.push_back({id, "GPU", {{"uuid", host + "-" + std::to_string(i)}}});
    out.points.push_back(point);
    out.points.back().device_id = id;
    for (RoofEntry roof : roofs) {
      if (count > 1) roof.device = id;
      out.roofs.push_back(roof);
    }
  }
  out.device_id = "cuda:0";
  return out;
}

TEST(Merge, CardsOfSeveralHostsAreToldApartByTheirUuids) {
  const Merged merged = merge_two(gpus("n1", 2), gpus("n2", 1));
  EXPECT_EQ(devices(merged.report), (Names{"cuda:0@a", "cuda:1", "cuda:0@b"}));
  EXPECT_EQ(merged.report.points.size(), 3U);
  EXPECT_EQ(text_fact(merged.report.environment, "driver_version"), "580");
  EXPECT_EQ(merged.report.merged_from[0].devices, (Names{"cuda:0@a", "cuda:1"}));
  expect_sound(merged.report);
  // And a merged report merges again, with the runs that it was made of.
  Report third = gpus("n3", 1);
  std::vector<MergeSource> sources;
  sources.push_back({"ab.json", "", merged.report});
  sources.push_back({"c.json", "", std::move(third)});
  const Merged again = merge(std::move(sources), Keep::none);
  EXPECT_EQ(devices(again.report), (Names{"cuda:0@a", "cuda:1", "cuda:0@b", "cuda:0"}));
  ASSERT_EQ(again.report.merged_from.size(), 3U);
  EXPECT_EQ(again.report.merged_from[1].file, "runs/b.json");
  expect_sound(again.report);
}

TEST(Merge, ACardKeepsItsPlaceWhateverItsIndexWas) {
  Report other = gpus("n1", 1);
  other.devices[0].id = "cuda:3";
  other.device_id = "cuda:3";
  other.points[0].device_id = "cuda:3";
  other.points[0].id = "stream/fp64/other";
  for (RoofEntry& roof : other.roofs) {
    if (!roof.point.empty()) roof.point = "stream/fp64/other";
  }
  const Merged merged = merge_two(gpus("n1", 1), std::move(other));
  EXPECT_EQ(ids(merged.report), (Names{"cuda:0 stream/fp64/read", "cuda:0 stream/fp64/other"}));
}

TEST(Merge, MarksOfWhatIsNoHardwareStay) {
  const Merged merged =
      merge_two(report_of({stream(0.02)}, "run-1", {{"backend", std::string("scripted")}}),
                report_of({stream(0.03)}, "run-2"));
  const Audit found = audit(merged.report);
  const auto simulated =
      std::count_if(found.findings.begin(), found.findings.end(), [](const AuditFinding& finding) {
        return finding.rule->id == "simulated" && finding.device == "cpu@a";
      });
  EXPECT_EQ(simulated, 1);
  EXPECT_EQ(std::count_if(found.findings.begin(), found.findings.end(),
                          [](const AuditFinding& f) { return f.rule->id == "simulated"; }),
            1);
}

TEST(Merge, TheWorstEndIsTheEnd) {
  Report hung = report_of({product(1024, 4e-3)}, "run-2");
  hung.run.end = RunEnd::hung;
  hung.run.interrupted = true;
  hung.run.suite = "deep";
  const Merged merged = merge_two(report_of({stream(0.02)}), std::move(hung));
  EXPECT_EQ(merged.report.run.end, RunEnd::hung);
  EXPECT_TRUE(merged.report.run.interrupted);
  EXPECT_EQ(merged.report.run.suite, "merged");
}

TEST(Merge, OneReportIsNone) {
  std::vector<MergeSource> sources;
  sources.push_back({"a.json", "", report_of({stream(0.02)})});
  EXPECT_THROW((void)merge(std::move(sources), Keep::none), InputError);
}

}  // namespace
}  // namespace roofline::report
