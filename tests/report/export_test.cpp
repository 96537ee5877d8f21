// What other programs are given: only figures that can be compared, under names that stay, in texts
// that nothing in a name can break. That they parse is shown by tests/cli/export_check.py.
#include "report/export.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "report/column_table.hpp"
#include "report/table_layout.hpp"
#include "sample_reports.hpp"

namespace roofline::report {
namespace {

using nlohmann::json;

std::string text(std::string_view format, const Report& report, Better direction = {}) {
  return find_export_format(format)->render(report, {direction}).text;
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t out = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++out;
  return out;
}

/// 2 * 10^9 FLOP and 3 * 10^6 bytes... of a product of 1000 cubed in bf16, in 10 us: 200 TFLOP/s.
Report product_report() {
  Report out;
  out.device_id = "cuda:0";
  out.device_name = "NVIDIA X";
  out.tool_version = "9.8";
  out.run.started = "2026-01-05T10:00:00Z";
  Record record;
  record.id = "gemm/bf16/1000x1000x1000";
  record.device_id = "cuda:0";
  record.workload = Gemm{.m = 1000, .n = 1000, .k = 1000, .input = DType::bf16};
  record.account = account(record.workload);
  Measured measured;
  measured.time_median = second(1e-5);
  measured.time_interval = Interval{0.8e-5, 1.25e-5, 0.95};
  measured.end = MeasurementEnd::converged;
  record.outcome = measured;
  Assessment assessment;
  assessment.achieved = flop_per_s(2e14);
  assessment.achieved_bandwidth = byte_per_s(6e11);
  assessment.of_ceiling = 0.5;
  record.assessment = assessment;
  out.points.push_back(record);
  return out;
}

TEST(Export, EveryFormatIsFoundByItsName) {
  std::set<std::string_view> names;
  for (const ExportFormat& format : export_formats()) {
    EXPECT_TRUE(names.insert(format.name).second);
    EXPECT_EQ(find_export_format(format.name), &format);
  }
  EXPECT_EQ(find_export_format("xml"), nullptr);
}

TEST(Export, GithubBenchmarkHasOneDirectionAFile) {
  const json bigger = json::parse(text("github-benchmark", product_report()));
  ASSERT_EQ(bigger.size(), 1U);
  EXPECT_EQ(bigger[0].at("name"), "NVIDIA X/gemm/bf16/1000x1000x1000/achieved");
  EXPECT_EQ(bigger[0].at("unit"), "GFLOP/s");
  EXPECT_NEAR(bigger[0].at("value").get<double>(), 2e5, 1e-6);
  // 2e9 FLOP in 8 us and in 12.5 us: 250 and 160 TFLOP/s.
  EXPECT_EQ(bigger[0].at("range"), "± 45000");
  const json smaller = json::parse(text("github-benchmark", product_report(), Better::smaller));
  ASSERT_EQ(smaller.size(), 1U);
  EXPECT_EQ(smaller[0].at("name"), "NVIDIA X/gemm/bf16/1000x1000x1000/time");
  EXPECT_EQ(smaller[0].at("unit"), "us");
  EXPECT_NEAR(smaller[0].at("value").get<double>(), 10, 1e-9);
}

TEST(Export, BencherLatencyIsInNanoseconds) {
  const json all = json::parse(text("bencher", product_report()));
  const json& measures = all.at("NVIDIA X/gemm/bf16/1000x1000x1000");
  EXPECT_NEAR(measures.at("latency").at("value").get<double>(), 10000, 1e-6);
  EXPECT_NEAR(measures.at("latency").at("lower_value").get<double>(), 8000, 1e-6);
  EXPECT_NEAR(measures.at("gflops").at("upper_value").get<double>(), 250000, 1e-6);
  EXPECT_NEAR(measures.at("percent-of-ceiling").at("value").get<double>(), 50, 1e-9);
  EXPECT_FALSE(measures.contains("mfu-percent"));
}

/// An array of {name, unit, value} with finite numbers and names of their own; what failed is left
/// out and named.
TEST(Export, B126_GithubBenchmarkIsAnArrayOfFigures) {
  Report report = product_report();
  Record failed = report.points[0];
  failed.id = "gemm/bf16/64x64x64";
  failed.outcome = Failed{"it fell"};
  report.points.push_back(failed);
  for (const Better direction : {Better::bigger, Better::smaller}) {
    const Exported out = find_export_format("github-benchmark")->render(report, {direction});
    const json all = json::parse(out.text);
    ASSERT_TRUE(all.is_array());
    ASSERT_FALSE(all.empty());
    std::set<std::string> names;
    for (const json& one : all) {
      EXPECT_TRUE(names.insert(one.at("name").get<std::string>()).second);
      EXPECT_TRUE(one.at("unit").is_string());
      EXPECT_TRUE(one.at("value").is_number() && std::isfinite(one.at("value").get<double>()));
    }
    EXPECT_EQ(count(out.text, "64x64x64"), 0U);
    ASSERT_EQ(out.left_out.size(), 1U);
    EXPECT_EQ(out.left_out[0].reason, "failed: it fell");
  }
}

/// Benchmark names of at most 1024 characters, measures of at most 64; what is unknown is left out.
TEST(Export, B128_BencherTakesWhatItIsGiven) {
  Report report = product_report();
  report.points[0].assessment->of_ceiling.reset();
  report.points.push_back(report.points[0]);
  report.points[1].id = "gemm/bf16/" + std::string(3000, '1') + "x1x1";
  const Exported out = find_export_format("bencher")->render(report, {});
  ASSERT_EQ(out.left_out.size(), 1U);
  EXPECT_NE(out.left_out[0].reason.find("longer than the 1024 characters"), std::string::npos);
  const json all = json::parse(out.text);
  ASSERT_EQ(all.size(), 1U);
  for (const auto& [name, measures] : all.items()) {
    EXPECT_LE(name.size(), 1024U);
    EXPECT_FALSE(measures.empty());
    EXPECT_FALSE(measures.contains("percent-of-ceiling"));
    for (const auto& [measure, figure] : measures.items()) {
      EXPECT_LE(measure.size(), 64U);
      ASSERT_TRUE(figure.at("value").is_number()) << measure;
      if (!figure.contains("lower_value")) continue;
      EXPECT_LE(figure.at("lower_value"), figure.at("value"));
      EXPECT_LE(figure.at("value"), figure.at("upper_value"));
    }
  }
}

/// Backslash, quote and line feed in a label's value.
TEST(Export, B130_LabelsAreEscaped) {
  Report report = product_report();
  report.points[0].id = "void k<\"a\\b\">(int)";
  for (const char* format : {"prometheus", "openmetrics"}) {
    const std::string out = text(format, report);
    EXPECT_NE(out.find("point=\"void k<\\\"a\\\\b\\\">(int)\""), std::string::npos) << out;
  }
}

TEST(Export, MetricsAreInBaseUnitsWithTheirHeadingsOnce) {
  const std::string out = text("prometheus", product_report());
  EXPECT_NE(out.find("roofline_time_seconds{device=\"NVIDIA X\",point=\"gemm/bf16/1000x1000x1000\","
                     "kind=\"gemm\",dtype=\"bf16\"} 1e-05\n"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("} 2e+14\n"), std::string::npos);
  EXPECT_EQ(count(out, "# TYPE roofline_time_seconds gauge\n"), 1U);
  EXPECT_EQ(out.find("# EOF"), std::string::npos);
  const std::string open = text("openmetrics", product_report());
  EXPECT_TRUE(open.ends_with("# EOF\n"));
  EXPECT_NE(open.find("# UNIT roofline_time_seconds seconds\n"), std::string::npos);
}

/// What keeps a figure from being one, each alone.
TEST(Export, WhatIsNoFigureIsLeftOutAndSaidWhy) {
  const auto reason_of = [](const auto& spoil) {
    Report report = product_report();
    spoil(report.points[0]);
    std::string why;
    for (const char* format : {"github-benchmark", "bencher", "prometheus", "junit"}) {
      const Exported out = find_export_format(format)->render(report, {});
      EXPECT_EQ(out.left_out.size(), 1U) << format;
      EXPECT_EQ(out.text.find("2e+14"), std::string::npos) << format << out.text;
      EXPECT_EQ(out.text.find("200000"), std::string::npos) << format << out.text;
      if (!out.left_out.empty()) why = out.left_out[0].reason;
    }
    return why;
  };
  EXPECT_EQ(reason_of([](Record& r) { r.outcome = Skipped{"no room"}; }), "skipped: no room");
  EXPECT_EQ(reason_of([](Record& r) { r.outcome = Failed{"it fell"}; }), "failed: it fell");
  EXPECT_NE(reason_of([](Record& r) {
              r.outcome = Incorrect{{VerificationState::incorrect, "3 of 9 values"}};
            }).find("incorrect"),
            std::string::npos);
  EXPECT_NE(reason_of([](Record& r) { r.assessment->impossible = true; }).find("impossible"),
            std::string::npos);
  EXPECT_NE(reason_of([](Record& r) {
              std::get<Measured>(r.outcome).end = MeasurementEnd::contended;
            }).find("contended"),
            std::string::npos);
}

TEST(Export, WhatNobodyVerifiedIsAFigureAndMarked) {
  Report report = product_report();
  const std::string at =
      "{device=\"NVIDIA X\",point=\"gemm/bf16/1000x1000x1000\","
      "kind=\"gemm\",dtype=\"bf16\"} ";
  for (const bool verified : {false, true}) {
    std::get<Measured>(report.points[0].outcome).verification.state =
        verified ? VerificationState::verified : VerificationState::unverified;
    for (const char* format : {"junit", "step-summary", "github-benchmark"}) {
      EXPECT_EQ(count(text(format, report), "unverified"), verified ? 0U : 1U)
          << format << text(format, report);
    }
    const std::string metrics = text("prometheus", report);
    EXPECT_EQ(count(metrics, "roofline_point_fit" + at + "1\n"), 1U) << metrics;
    EXPECT_EQ(count(metrics, "roofline_point_verified" + at + (verified ? "1\n" : "0\n")), 1U)
        << metrics;
  }
}

/// 2e14 FLOP/s below a ceiling of 4e14, or 6e11 byte/s below one of 1.2e12: never one beside the
/// other.
TEST(Export, AFigureIsOfTheKindOfItsCeiling) {
  Report report = product_report();
  Record& point = report.points[0];
  point.workload = Projection{.rows = 512, .d_in = 1000, .d_out = 1000, .activation = DType::bf16};
  point.placement.ceiling = flop_per_s(4e14);
  point.roofs.memory = MemoryRoof{byte_per_s(1.2e12), Boundary::dram, Origin::datasheet, "d"};
  point.placement.bound = Bound::compute;
  EXPECT_EQ(count(text("step-summary", report), "200 TFLOP/s"), 1U);
  EXPECT_EQ(count(text("step-summary", report), "400 TFLOP/s"), 1U);
  EXPECT_EQ(count(text("step-summary", report), "B/s"), 0U);
  EXPECT_EQ(count(text("github-benchmark", report), "ceiling 400 TFLOP/s"), 1U);
  point.placement.bound = Bound::memory;
  EXPECT_EQ(count(text("step-summary", report), "600 GB/s"), 1U);
  EXPECT_EQ(count(text("step-summary", report), "1.20 TB/s"), 1U);
  EXPECT_EQ(count(text("step-summary", report), "FLOP/s"), 0U);
  EXPECT_EQ(count(text("github-benchmark", report), "ceiling 1.20 TB/s"), 1U);
}

TEST(Export, JunitTellsWrongFromNotRun) {
  Report report = product_report();
  report.points.resize(5, report.points[0]);
  for (std::size_t i = 0; i < 5; ++i) report.points[i].id = "p" + std::to_string(i);
  report.points[1].outcome = Skipped{"no <room> & \"space\"\x01\xff"};
  report.points[2].outcome = Failed{"it fell"};
  report.points[3].outcome = Incorrect{{VerificationState::incorrect, "3 of 9"}};
  report.points[4].assessment->impossible = true;
  const std::string out = text("junit", report);
  EXPECT_NE(out.find("<testsuites tests=\"5\" failures=\"2\" errors=\"1\""), std::string::npos)
      << out;
  EXPECT_EQ(count(out, "<failure "), 2U);
  EXPECT_EQ(count(out, "<error "), 1U);
  EXPECT_EQ(count(out, "<skipped "), 1U);
  // What XML can't hold, a control character and a byte that is no UTF-8, parts words and is
  // marked.
  EXPECT_NE(out.find("no &lt;room&gt; &amp; &quot;space&quot; \uFFFD\""), std::string::npos) << out;
}

TEST(Export, ARunThatWasCutShortIsNoPass) {
  Report report = product_report();
  EXPECT_NE(text("junit", report).find("errors=\"0\""), std::string::npos);
  EXPECT_NE(text("prometheus", report).find(",end=\"completed\"} 1\n"), std::string::npos);
  report.run.interrupted = true;
  report.run.end = RunEnd::hung;
  const std::string out = text("junit", report);
  EXPECT_NE(out.find("tests=\"2\" failures=\"0\" errors=\"1\""), std::string::npos) << out;
  EXPECT_NE(out.find("cut short (hung)"), std::string::npos) << out;
  EXPECT_NE(text("prometheus", report).find(",end=\"hung\"} 1\n"), std::string::npos);
}

TEST(Export, DevicesOfOneNameAreToldApart) {
  Report report = product_report();
  report.devices = {{"cuda:0", "NVIDIA X", {}}, {"cuda:1", "NVIDIA X", {}}};
  report.points.push_back(report.points[0]);
  report.points[1].device_id = "cuda:1";
  const json all = json::parse(text("bencher", report));
  EXPECT_TRUE(all.contains("NVIDIA X cuda:0/gemm/bf16/1000x1000x1000"));
  EXPECT_TRUE(all.contains("NVIDIA X cuda:1/gemm/bf16/1000x1000x1000"));
}

/// github-action-benchmark ends with an error at an empty list.
TEST(Export, AListWithoutAFigureIsSaidToBeRefused) {
  Report report = product_report();
  const auto refused = [&](const char* format) {
    return find_export_format(format)->render(report, {}).refused_as_empty;
  };
  EXPECT_FALSE(refused("github-benchmark"));
  for (Record& point : report.points) point.outcome = Skipped{"no room"};
  EXPECT_TRUE(refused("github-benchmark"));
  EXPECT_FALSE(refused("junit")) << "which tells what was skipped";
}

TEST(Export, WhatDoesNoWorkHasNoMfu) {
  Report report = product_report();
  report.points.resize(1);
  Record& read = report.points[0];
  read.workload = Stream{StreamKind::read, 1'000'000, DType::fp64};
  read.account = account(read.workload);
  read.assessment->achieved_bandwidth = byte_per_s(1e12);
  read.assessment->mfu = 0;
  EXPECT_EQ(count(text("github-benchmark", report), "MFU"), 0U);
}

TEST(Export, ASecondPointOfOneNameIsLeftOut) {
  Report report = product_report();
  report.points.push_back(report.points[0]);
  const Exported out = find_export_format("github-benchmark")->render(report, {});
  EXPECT_EQ(json::parse(out.text).size(), 1U);
  ASSERT_EQ(out.left_out.size(), 1U);
  EXPECT_NE(out.left_out[0].reason.find("same name"), std::string::npos);
}

TEST(Export, TheSummaryOfALongReportStaysBelowOneMebibyte) {
  Report report = product_report();
  report.points.resize(20'000, report.points[0]);
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    report.points[i].id = "gemm/" + std::to_string(i) + std::string(i % 40, 'x');
    if (i % 3 == 0) report.points[i].outcome = Skipped{std::string(200, 'y')};
  }
  const std::string out = text("step-summary", report);
  EXPECT_LT(out.size(), std::size_t{1} << 20U);
  EXPECT_NE(out.find("more points are in the report"), std::string::npos);
  EXPECT_TRUE(out.starts_with("\n"));
}

/// Cells of the row that begins with this id, those in columns of these headings.
std::vector<std::string> row_of(const std::string& table, const std::string& id,
                                const std::vector<std::string>& headings) {
  const auto cells = [](const std::string& line) {
    std::vector<std::string> out;
    std::size_t begin = line.find('|') + 1;
    for (std::size_t end = 0; (end = line.find('|', begin)) != std::string::npos; begin = end + 1) {
      std::string cell = line.substr(begin, end - begin);
      cell.erase(0, cell.find_first_not_of(' '));
      cell.erase(cell.find_last_not_of(' ') + 1);
      out.push_back(cell);
    }
    return out;
  };
  std::istringstream lines(table);
  std::vector<std::string> names;
  std::vector<std::string> out;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ")) continue;
    if (names.empty()) names = cells(line);
    if (line.find("`" + id + "`") == std::string::npos) continue;
    const auto row = cells(line);
    for (const std::string& heading : headings) {
      const auto at = std::find(names.begin(), names.end(), heading);
      EXPECT_NE(at, names.end()) << heading;
      if (at != names.end()) out.push_back(row.at(static_cast<std::size_t>(at - names.begin())));
    }
  }
  return out;
}

TEST(Export, TheSummaryAndTheMarkdownOfShowSayTheSameOfAPoint) {
  const Report report = test::sample_report();
  const std::string summary = text("step-summary", report);
  const std::string shown = render_markdown(report, usual_columns(report));
  std::size_t roofs = 0;
  for (const Record& record : report.points) {
    const auto here =
        row_of(summary, record.id, {"Intensity", "% of ceiling", "MFU", "Side", "Verdict"});
    if (here.empty()) continue;  // not a figure
    EXPECT_EQ(here, row_of(shown, record.id, {"intensity", "of ceiling", "MFU", "side", "verdict"}))
        << record.id;
    // The summary has one figure of a point, and the ceiling of that: here a bandwidth's may stand.
    const auto ceiling = row_of(summary, record.id, {"Ceiling"});
    if (ceiling.at(0).find("FLOP/s") != std::string::npos) {
      EXPECT_EQ(ceiling, row_of(shown, record.id, {"ceiling"})) << record.id;
    }
    if (!record.defines_roof) continue;
    ++roofs;
    EXPECT_EQ(here.back(), "is a roof") << record.id;
    // 100 % of itself says nothing.
    EXPECT_EQ(here[1] == "-", is_its_own_roof(record)) << record.id;
    const bool copies = record.account.work && record.account.work->value() == 0;
    EXPECT_EQ(here[2] == "-", copies || is_its_own_roof(record)) << record.id;
  }
  EXPECT_GT(roofs, 3U);
}

TEST(Export, MarkupInNamesStaysText) {
  Report report = product_report();
  report.device_name = "a|b <script>";
  report.points[0].id = "k<32>|`x`";
  const std::string out = text("step-summary", report);
  EXPECT_NE(out.find("a\\|b \\<script\\>"), std::string::npos) << out;
  EXPECT_NE(out.find("`` k<32>\\|`x` ``"), std::string::npos) << out;
}

TEST(Export, CsvQuotesWhatNeedsItAndHasEveryColumn) {
  Report report = product_report();
  report.points[0].id = "a,\"b\"";
  const std::string out = text("csv", report);
  EXPECT_TRUE(out.starts_with("id,device.id,kind,"));
  EXPECT_NE(out.find("\n\"a,\"\"b\"\"\",cuda:0,gemm,"), std::string::npos) << out;
  EXPECT_EQ(static_cast<std::size_t>(std::count(
                out.begin(), out.begin() + static_cast<std::ptrdiff_t>(out.find('\n')), ',')) +
                1,
            columns().size());
}

/// Whatever the values are, no text has a number that its reader can't take.
TEST(Export, NoFormatHasNaNOrInfinity) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Report report = test::random_report(seed);
    for (const char* format : {"github-benchmark", "bencher"}) {
      EXPECT_TRUE(json::accept(text(format, report))) << format << seed;
      EXPECT_EQ(text(format, report).find(": null"), std::string::npos) << format << seed;
    }
    for (const ExportFormat& format : export_formats()) {
      EXPECT_FALSE(format.render(report, {}).text.empty()) << format.name << seed;
    }
  }
}

}  // namespace
}  // namespace roofline::report
