// What the audit says of whole reports: one cause once, in words that name it.
#include <gtest/gtest.h>

#include "audit_report.hpp"

namespace roofline::auditing {
namespace {

TEST(Audit, ACleanReportHasNoFinding) {
  const Audit found = audit(clean_report());
  EXPECT_TRUE(found.findings.empty()) << all_of(found);
  EXPECT_EQ(found.points, 8U);
  EXPECT_EQ(found.measured, 8U);
  EXPECT_GT(found.numbers, 150U);
}

TEST(Audit, AWrongCountIsOneFindingAndNotOneForEachNumberThatFollows) {
  Report report = clean_report();
  point(report, "gemm/plain").account.work = Count{static_cast<std::uint64_t>(kProduct)};
  place(report);
  const Audit found = audit(report);
  ASSERT_EQ(found.findings.size(), 1U) << all_of(found);
  EXPECT_EQ(found.findings[0].point, "gemm/plain");
  EXPECT_EQ(found.findings[0].evidence.stored, kProduct);
  EXPECT_EQ(found.findings[0].evidence.expected, 2 * kProduct);
  EXPECT_EQ(found.count(Severity::error), 1U);
}

TEST(Audit, TheBestSampleAsHeadlineIsNamed) {
  Report report = clean_report();
  result(report, "gemm/plain").time_median = result(report, "gemm/plain").time_min;
  place(report);
  const Audit found = audit(report);
  const auto fastest = fired(found, "wrong_statistic");
  ASSERT_FALSE(fastest.empty());
  EXPECT_TRUE(contains(fastest[0]->evidence.text, "the fastest sample")) << all_of(found);
}

TEST(Audit, AFingerprintInTheNameOfAKernelTellsAnFmaCountedAsOne) {
  Report report = clean_report();
  put(report,
      measured("kernel/bf16/gemm_4096x4096x4096", kernel(kProduct, 2 * kSide, kSide), 6e-4));
  put(report, measured("kernel/bf16/conv_64x64x64x4096", kernel(kProduct, 2 * kSide, kSide), 6e-4));
  put(report, measured("kernel/bf16/other_128x128x128", kernel(kProduct, 2 * kSide, kSide), 6e-4));
  const auto audited = audit(report);
  const auto found = fired(audited, "fma_counted_as_one");
  ASSERT_EQ(found.size(), 1U) << all_of(audited);
  EXPECT_EQ(found[0]->point, "kernel/bf16/gemm_4096x4096x4096");
}

TEST(Audit, BetaInTheNameOfAKernelReadsC) {
  const auto findings = [](const std::string& name, std::uint64_t read) {
    Report report = clean_report();
    put(report, measured("kernel/bf16/" + name, kernel(2 * kProduct, read, kSide), 6e-4));
    return fired(audit(report), "c_not_read").size();
  };
  EXPECT_EQ(findings("gemm_4096x4096x4096_beta1", 2 * kSide), 1U);
  EXPECT_EQ(findings("gemm_beta=0.5_4096x4096x4096", 2 * kSide), 1U);
  EXPECT_EQ(findings("gemm_4096x4096x4096_beta1", 3 * kSide), 0U);
  EXPECT_EQ(findings("gemm_4096x4096x4096_beta0", 2 * kSide), 0U);
}

TEST(Audit, WhatAnOlderProgramDidNotWriteIsNoFault) {
  Report report = clean_report();
  Record& record = point(report, "gemm/plain");
  record.rooflines = {};
  record.assessment->clock_adjusted_mfu.reset();
  record.placement.floor.reset();
  record.rows = {};
  const Audit found = audit(report);
  EXPECT_TRUE(found.findings.empty()) << all_of(found);
}

TEST(Audit, ARatioWithoutItsRoofHasNoFoundation) {
  Report report = clean_report();
  point(report, "gemm/plain").roofs.compute.reset();
  const Audit found = audit(report);
  const auto rates = fired(found, "wrong_rate");
  ASSERT_FALSE(rates.empty());
  EXPECT_TRUE(contains(all_of(found), "mfu is 0.8")) << all_of(found);
  EXPECT_TRUE(contains(all_of(found), "nothing in the report gives it")) << all_of(found);
}

TEST(Audit, ATensorCorePeakUnderOrdinaryWorkIsNamed) {
  Report report = clean_report();
  Record& record = point(report, "stream/67108864");
  record.roofs.compute = std::get<ComputeRoof>(rated(PeakKey::bf16, 312).roof);
  const auto found = audit(report);
  ASSERT_FALSE(fired(found, "wrong_dtype_denominator").empty()) << all_of(found);
}

TEST(Audit, EachDeviceOfSeveralIsHeldAgainstItsOwnRoofs) {
  Report report = clean_report();
  for (RoofEntry& entry : report.roofs) entry.device = "cuda:0";
  for (TimeFit& fit : report.time_model) fit.device = "cuda:0";
  report.devices.push_back({"cuda:1", "NVIDIA A100-SXM4-80GB", {}});
  EXPECT_TRUE(audit(report).findings.empty()) << all_of(audit(report));
  Record other = point(report, "gemm/plain");
  other.device_id = "cuda:1";
  report.points.push_back(other);
  report.roofs.push_back(rated(PeakKey::bf16, 156));
  report.roofs.back().device = "cuda:1";
  const Audit found = audit(report);
  const auto unlisted = fired(found, "unlisted_roof");
  ASSERT_FALSE(unlisted.empty()) << all_of(found);
  for (const AuditFinding* finding : unlisted) EXPECT_EQ(finding->device, "cuda:1");
}

TEST(Audit, TheClockOfARoofAndWhatDefinesItAreLookedAt) {
  Report clean = clean_report();
  for (const Record& record : clean.points) {
    Report report = clean;
    point(report, record.id).defines_roof = !record.defines_roof;
    const Audit found = audit(report);
    const auto wrong = fired(found, "wrong_roof");
    ASSERT_EQ(wrong.size(), 1U) << record.id;
    EXPECT_TRUE(contains(wrong[0]->evidence.text, "defines_roof")) << all_of(found);
  }
  Record probe = measured("peak/fp32", PeakProbe{.dtype = DType::fp32, .flops = 1'000'000}, 1e-6);
  std::get<Measured>(probe.outcome).clock = hertz(3e9);
  for (Sample& sample : std::get<Measured>(probe.outcome).samples) sample.clock = hertz(3e9);
  probe.implementation = {
      {"of_ideal", 0.98}, {"ideal_flop_per_cycle", std::uint64_t{64}}, {"flop_per_cycle", 62.72}};
  RoofBook book;
  book.learn(probe);
  ASSERT_EQ(book.entries().size(), 1U);
  clean.roofs.push_back(book.entries()[0]);
  put(clean, probe);
  EXPECT_TRUE(audit(clean).findings.empty()) << all_of(audit(clean));
  Report slow = clean;
  std::get<ComputeRoof>(slow.roofs.back().roof).clock = hertz(2e9);
  EXPECT_EQ(fired(audit(slow), "wrong_roof").size(), 1U) << all_of(audit(slow));
  Report ideal = clean;
  point(ideal, "peak/fp32").implementation[0].value = 0.5;
  EXPECT_EQ(fired(audit(ideal), "wrong_statistic").size(), 1U) << all_of(audit(ideal));
}

}  // namespace
}  // namespace roofline::auditing
