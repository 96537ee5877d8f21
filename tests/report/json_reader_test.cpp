// Reports come back as they were written.
#include "report/json_reader.hpp"

#include <gtest/gtest.h>

#include "report/json_writer.hpp"
#include "roofline/error.hpp"
#include "sample_reports.hpp"

namespace roofline {
namespace {

using Json = nlohmann::ordered_json;
using report::read_report;
using report::to_json;

const Record& point(const Report& report, std::string_view id) {
  for (const Record& record : report.points) {
    if (record.id == id) return record;
  }
  throw std::out_of_range(std::string(id));
}

TEST(ReportReader, WhatIsReadIsWrittenAgainAsTheSameText) {
  const std::string text = to_json(test::sample_report());
  EXPECT_EQ(to_json(read_report(text, "report.json")), text);
}

TEST(ReportReader, ArbitraryReportsComeBackAsTheyWere) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const std::string text = to_json(test::random_report(seed));
    ASSERT_EQ(to_json(read_report(text, "report.json")), text) << "seed " << seed;
  }
}

TEST(ReportReader, ValuesAreThoseOfTheReport) {
  const Report wrote = test::sample_report();
  const Report read = read_report(to_json(wrote), "report.json");
  EXPECT_EQ(read.schema_version, 1);
  EXPECT_EQ(read.device_name, wrote.device_name);
  EXPECT_EQ(read.environment, wrote.environment);
  EXPECT_EQ(read.run.started, wrote.run.started);
  EXPECT_EQ(read.run.duration, wrote.run.duration);
  ASSERT_EQ(read.roofs.size(), wrote.roofs.size());
  EXPECT_EQ(std::get<ComputeRoof>(read.roofs[0].roof).peak,
            std::get<ComputeRoof>(wrote.roofs[0].roof).peak);
  ASSERT_EQ(read.points.size(), wrote.points.size());
  for (std::size_t i = 0; i < wrote.points.size(); ++i) {
    const Record& a = wrote.points[i];
    const Record& b = read.points[i];
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(account(a.workload).work, account(b.workload).work) << a.id;
    EXPECT_EQ(a.account.work, b.account.work) << a.id;
    EXPECT_EQ(total_traffic(a.account), total_traffic(b.account)) << a.id;
    EXPECT_EQ(a.placement.bound, b.placement.bound) << a.id;
    EXPECT_EQ(a.placement.ceiling, b.placement.ceiling) << a.id;
    EXPECT_EQ(a.prediction.side, b.prediction.side) << a.id;
    EXPECT_EQ(a.observed.agreement, b.observed.agreement) << a.id;
    EXPECT_EQ(a.outcome.index(), b.outcome.index()) << a.id;
    EXPECT_EQ(a.assessment.has_value(), b.assessment.has_value()) << a.id;
    EXPECT_EQ(a.implementation, b.implementation) << a.id;
  }
  const auto& measured = std::get<Measured>(point(read, "gemm/fp32/2048").outcome);
  ASSERT_EQ(measured.samples.size(), 6U);
  EXPECT_EQ(measured.samples[3].cpu_share, 0.5);
  EXPECT_FALSE(measured.samples[3].clean());
  EXPECT_EQ(measured.time_interval->coverage, 0.96875);
  EXPECT_EQ(std::get<Skipped>(point(read, "gemm/fp8/2048").outcome).reason.substr(0, 8),
            "this CPU");
}

TEST(ReportReader, EveryKindOfWorkloadIsReadBack) {
  const Workload workloads[] = {
      Gemm{.m = 3,
           .n = 5,
           .k = 7,
           .batch = 2,
           .input = DType::fp16,
           .accumulate = DType::fp16,
           .output = DType::fp32,
           .transpose_a = true,
           .transpose_b = true,
           .alpha = 0.5,
           .beta = -1,
           .convert_a_from = DType::fp32,
           .convert_b_from = DType::int8,
           .data = DataPattern::integers,
           .duration = LoadDuration::sustained},
      Projection{.rows = 8,
                 .d_in = 64,
                 .d_out = 32,
                 .activation = DType::fp32,
                 .weight = DType::int4,
                 .scale_group = 32,
                 .scale_bits = 24,
                 .output = DType::bf16},
      Stream{.kind = StreamKind::add, .elements = 12, .dtype = DType::fp32, .write_allocate = true},
      Elementwise{.elements = 10, .ops = 5, .ops_per_kernel = 2, .inputs = 3, .dtype = DType::fp16},
      Kernel{.flops = Count{9},
             .read_bytes = Count{8},
             .write_bytes = Count{7},
             .dtype = DType::fp64,
             .accumulate = DType::fp64,
             .engine = Engine::tensor},
      PeakProbe{.dtype = DType::int8, .flops = 77},
      Launch{LaunchPath::event},
      Transfer{.direction = TransferDirection::to_host,
               .host_memory = HostMemory::pageable,
               .bytes = 99},
      Projection{.rows = 1,
                 .d_in = 8,
                 .d_out = 8,
                 .weight = DType::bf16,
                 .output = DType::bf16,
                 .level = Boundary::l2},
  };
  Report report;
  for (const Workload& workload : workloads) {
    Record record;
    record.id = kind_name(workload);
    record.workload = workload;
    record.account = account(workload);
    report.points.push_back(record);
  }
  const Report read = read_report(to_json(report), "report.json");
  ASSERT_EQ(read.points.size(), std::size(workloads));
  for (std::size_t i = 0; i < read.points.size(); ++i) {
    EXPECT_EQ(read.points[i].workload, workloads[i]) << kind_name(workloads[i]);
  }
}

TEST(ReportReader, KeysOfLaterVersionsOfTheToolAreIgnored) {
  Json document = Json::parse(to_json(test::sample_report()));
  document["new"] = {{"deep", {1, 2}}};
  document["points"][0]["new"] = "text";
  document["points"][0]["workload"]["new"] = 1;
  document["run"]["new"] = nullptr;
  EXPECT_EQ(to_json(read_report(document.dump(), "report.json")), to_json(test::sample_report()));
}

TEST(ReportReader, AKeyThatMayBeNullMayBeMissing) {
  Json document = Json::parse(to_json(test::sample_report()));
  Json& at = document["points"][0];
  for (const char* key :
       {"floor_s", "overhead_s", "lever", "prediction", "rows_to_ridge", "observed_side",
        "implementation", "samples", "time_interval_s", "causes"}) {
    at.erase(key);
  }
  document.erase("environment");
  const Report read = read_report(document.dump(), "report.json");
  EXPECT_FALSE(read.points[0].placement.floor);
  EXPECT_FALSE(read.points[0].prediction.side);
  EXPECT_TRUE(read.environment.empty());
}

TEST(ReportReader, NumbersThatOtherToolsRewroteAreTheSameNumbers) {
  Json document = Json::parse(to_json(test::sample_report()));
  // jq and JavaScript write 2048.0 as 2048 and may write 2048 as 2048.0 or 2.048e3.
  document["points"][5]["workload"]["m"] = 2048.0;
  document["points"][5]["workload"]["alpha"] = 1;
  document["points"][5]["peak_flop_per_s"] = 143000000000;
  const Report read = read_report(document.dump(), "report.json");
  EXPECT_EQ(std::get<Gemm>(read.points[5].workload).m, 2048U);
  EXPECT_EQ(read.points[5].roofs.compute->peak, flop_per_s(143e9));
}

TEST(ReportReader, FactsKeepTheirKind) {
  Report report;
  report.environment = {{"flag", true},
                        {"whole", std::uint64_t{18446744073709551615U}},
                        {"number", 3.0},
                        {"text", std::string("3")},
                        {"list", std::vector<std::string>{}},
                        {"gone", Unknown{"no such file"}},
                        {"gone_without_reason", Unknown{}}};
  EXPECT_EQ(read_report(to_json(report), "report.json").environment, report.environment);
}

}  // namespace
}  // namespace roofline
