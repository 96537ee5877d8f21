// Every rule of the audit fires on a report that is wrong in its way, and stays silent on one that
// is nearly so.
#include "roofline/audit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "roofline/roof_book.hpp"
#include "roofline/sample_summary.hpp"
#include "roofline/time_model.hpp"
#include "support.hpp"

namespace roofline::test {
namespace {

Measured timed(double seconds, MeasurementEnd end = MeasurementEnd::converged) {
  std::vector<Sample> samples;
  for (const double factor : {1.001, 0.999, 1.0, 1.002, 0.998, 1.0, 0.9995})
    samples.push_back({second(10 * factor * seconds), 10});
  Measured out = summarise(std::move(samples), end, 0.95);
  out.verification.state = VerificationState::verified;
  return out;
}

Record measured(const std::string& id, const Workload& workload, double seconds) {
  Record out;
  out.id = id;
  out.device_id = "cuda:0";
  out.workload = workload;
  out.account = account(workload);
  out.outcome = timed(seconds);
  return out;
}

RoofEntry rated(PeakKey key, double tera, Sparsity sparsity = Sparsity::dense) {
  return {std::string(name(key)),
          ComputeRoof{tflop_per_s(tera), key, sparsity, Origin::datasheet, "data sheet"},
          {},
          {}};
}

Kernel kernel(double work, std::uint64_t read, std::uint64_t write) {
  return {.flops = Count{static_cast<std::uint64_t>(work)},
          .read_bytes = Count{read},
          .write_bytes = Count{write},
          .dtype = DType::bf16};
}

constexpr double kProduct = 4096.0 * 4096 * 4096;  // mnk
constexpr std::uint64_t kSide = 4096 * 4096 * 2;   // bytes of a bf16 operand

/// Under the roofs that the report lists.
void place(Report& report) {
  RoofBook book(PeakOrder::rated_first);
  for (const RoofEntry& entry : report.roofs) book.add(entry);
  for (Record& record : report.points) place_record(record, book);
}

Record& point(Report& report, const std::string& id) {
  const auto found = std::find_if(report.points.begin(), report.points.end(),
                                  [&](const Record& record) { return record.id == id; });
  if (found == report.points.end()) throw std::invalid_argument("no point " + id);
  return *found;
}

Measured& result(Report& report, const std::string& id) {
  return std::get<Measured>(point(report, id).outcome);
}

void put(Report& report, Record record) {
  report.points.push_back(std::move(record));
  place(report);
}

/// An A100 by its data sheet (dense and sparse bf16, tf32, fp64, DRAM) and what it might reach.
Report clean_report() {
  Report out;
  out.device_id = "cuda:0";
  out.devices = {{"cuda:0", "NVIDIA A100-SXM4-80GB", {{"l2_bytes", std::uint64_t{40} << 20}}}};
  out.points = {
      measured("launch/kernel", Launch{}, 5e-6),
      measured("gemm/plain", Gemm{.m = 4096, .n = 4096, .k = 4096}, 0.55e-3),
      measured("gemm/beta", Gemm{.m = 4096, .n = 4096, .k = 4096, .beta = 1}, 0.56e-3),
      measured("kernel/bf16/attention", kernel(1e9, 400'000'000, 100'000'000), 0.3e-3),
  };
  std::uint64_t elements = std::uint64_t{1} << 26;
  for (const double seconds : {0.6e-3, 1.195e-3, 2.39e-3, 4.77e-3}) {
    Record stream = measured("stream/" + std::to_string(elements),
                             Stream{.kind = StreamKind::copy,
                                    .elements = elements,
                                    .dtype = DType::fp64,
                                    .write_allocate = true},
                             seconds);
    stream.implementation = {{"level", std::string("dram")}};
    out.points.push_back(std::move(stream));
    elements *= 2;
  }
  RoofBook book(PeakOrder::rated_first);
  for (const RoofEntry& entry :
       {rated(PeakKey::bf16, 312), rated(PeakKey::bf16, 624, Sparsity::sparse_2_4),
        rated(PeakKey::tf32, 156), rated(PeakKey::fp64, 9.7)}) {
    book.add(entry);
  }
  book.add({"rated",
            MemoryRoof{gb_per_s(2039), Boundary::dram, Origin::datasheet, "data sheet"},
            {},
            {}});
  for (const Record& record : out.points) book.learn(record);
  out.roofs = book.entries();
  place(out);
  model_times(out);
  return out;
}

/// The peak that a user states for bf16, with all that follows from it.
void state_peak(Report& report, double tera) {
  report.roofs.push_back(
      {"bf16",
       ComputeRoof{tflop_per_s(tera), PeakKey::bf16, Sparsity::dense, Origin::user, "stated"},
       {},
       {}});
  place(report);
}

void retime(Report& report, const std::string& id, double seconds) {
  point(report, id).outcome = timed(seconds);
  place(report);
}

void mark(Report& report, std::size_t disturbed) {
  Measured& measured = result(report, "gemm/plain");
  for (std::size_t i = 0; i < disturbed; ++i)
    measured.samples[i].disturbance = Disturbance::contended;
  std::vector<Sample> samples = measured.samples;
  measured = summarise(std::move(samples), MeasurementEnd::converged, 0.95);
  measured.end = MeasurementEnd::converged;
  measured.verification.state = VerificationState::verified;
  place(report);
}

void first_samples(Report& report, std::size_t count) {
  Measured& measured = result(report, "gemm/plain");
  std::vector<Sample> samples = measured.samples;
  samples.resize(count);
  measured = summarise(std::move(samples), MeasurementEnd::converged, 0.95);
  measured.verification.state = VerificationState::verified;
  place(report);
}

void add_compute_bound(Report& report, int count) {
  for (int i = 0; i < count; ++i)
    put(report,
        measured("kernel/bf16/k" + std::to_string(i), kernel(1e11, 1'000'000, 1'000'000), 0.5e-3));
}

/// 8 MB in device memory at 2.7 TB/s: the cache of 40 MiB holds them.
void add_stream(Report& report, std::uint64_t elements) {
  put(report, measured("stream/small",
                       Stream{.kind = StreamKind::read, .elements = elements, .dtype = DType::fp64},
                       static_cast<double>(elements) * 8 / 2.7e12));
}

template <class Drop>
void drop_traffic(Report& report, const std::string& id, const Drop& drop) {
  std::erase_if(point(report, id).account.traffic, drop);
  place(report);
}

void stretch(std::optional<Performance>& value, double factor) { value = factor * *value; }

using Change = std::function<void(Report&)>;
struct Case {
  const char* rule;
  Change wrong;
  Change near_miss;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"wrong_count",
       [](Report& r) { point(r, "gemm/plain").account.work = Count{3'000'000}, place(r); },
       [](Report& r) {
         Record& p = point(r, "gemm/plain");
         p.workload = Gemm{.m = 4096, .n = 4096, .k = 2048};
         p.account = account(p.workload);
         place(r);
       }},
      {"wrong_statistic",
       [](Report& r) {
         result(r, "gemm/plain").time_median = result(r, "gemm/plain").time_min, place(r);
       },
       [](Report& r) {
         auto& samples = result(r, "gemm/plain").samples;
         std::reverse(samples.begin(), samples.end());
       }},
      {"wrong_placement",
       [](Report& r) { stretch(point(r, "gemm/plain").placement.ceiling, 1.0001); },
       [](Report& r) { stretch(point(r, "gemm/plain").placement.ceiling, 1 + 1e-8); }},
      {"wrong_rate",
       [](Report& r) { stretch(point(r, "gemm/plain").assessment->achieved, 1.0001); },
       [](Report& r) { stretch(point(r, "gemm/plain").assessment->achieved, 1 + 1e-8); }},
      {"wrong_opportunity",
       [](Report& r) { *point(r, "gemm/plain").rooflines.kernel_opportunity *= 0.999; },
       [](Report& r) { *point(r, "gemm/plain").rooflines.kernel_opportunity *= 1 - 1e-8; }},
      {"wrong_roof",
       [](Report& r) {
         for (RoofEntry& entry : r.roofs) {
           if (entry.name != "copy regular") continue;
           auto& roof = std::get<MemoryRoof>(entry.roof);
           roof.bandwidth = 1.1 * roof.bandwidth;
         }
         place(r);
       },
       [](Report& r) {
         // Nobody in this report showed it.
         for (RoofEntry& entry : r.roofs) {
           if (entry.name == "copy regular") entry.point = "stream/elsewhere";
         }
         place(r);
       }},
      {"unlisted_roof",
       [](Report& r) {
         std::erase_if(r.roofs,
                       [](const RoofEntry& entry) { return entry.name == "copy regular"; });
       },
       [](Report& r) {
         std::erase_if(r.roofs, [](const RoofEntry& entry) { return entry.name == "tf32"; });
       }},
      {"wrong_fit", [](Report& r) { r.time_model.at(0).bandwidth = gb_per_s(1000); },
       [](Report& r) { r.time_model.at(0).bandwidth = (1 + 1e-5) * r.time_model[0].bandwidth; }},
      {"same_point_twice", [](Report& r) { r.points.push_back(point(r, "gemm/plain")); },
       [](Report& r) {
         r.points.push_back(point(r, "gemm/plain"));
         r.points.back().id = "gemm/again";
       }},
      {"fma_counted_as_one",
       [](Report& r) {
         Record& p = point(r, "gemm/plain");
         p.account.work = Count{p.account.work->value() / 2};
         place(r);
       },
       [](Report& r) {
         put(r, measured("kernel/bf16/gemm_4096x4096x4096", kernel(2 * kProduct, 2 * kSide, kSide),
                         0.6e-3));
       }},
      {"c_not_read",
       [](Report& r) {
         drop_traffic(r, "gemm/beta", [](const auto& t) { return t.tensor == "C read"; });
       },
       [](Report& r) {
         drop_traffic(r, "gemm/plain", [](const auto& t) { return t.tensor == "C read"; });
       }},
      {"output_not_written",
       [](Report& r) {
         drop_traffic(r, "gemm/plain",
                      [](const auto& t) { return t.direction == Direction::write; });
       },
       [](Report& r) {
         // A table that tells no directions says nothing of what is written.
         Kernel bytes = kernel(1e9, 500'000'000, 0);
         bytes.write_bytes.reset();
         Record record = measured("kernel/bf16/total", bytes, 0.3e-3);
         record.implementation = {{"traffic_direction", std::string("unknown")}};
         put(r, std::move(record));
       }},
      {"bytes_below_shape",
       [](Report& r) {
         put(r, measured("kernel/bf16/gemm_4096x4096x4096", kernel(2 * kProduct, kSide, kSide / 4),
                         0.6e-3));
       },
       [](Report& r) {
         // An output of a byte an element.
         put(r, measured("kernel/bf16/gemm_4096x4096x4096",
                         kernel(2 * kProduct, 2 * kSide, kSide / 2), 0.6e-3));
       }},
      {"write_allocate",
       [](Report& r) { point(r, "stream/67108864").account.write_allocate = Count{0}, place(r); },
       [](Report& r) {
         put(r, measured("stream/streaming", Stream{.kind = StreamKind::copy, .elements = 1 << 26},
                         0.6e-3));
       }},
      {"nearly_all_compute_bound",
       [](Report& r) {
         std::erase_if(r.points, [](const Record& p) { return p.id == "kernel/bf16/attention"; });
         add_compute_bound(r, 3);
       },
       [](Report& r) { add_compute_bound(r, 3); }},
      {"sparse_denominator", [](Report& r) { state_peak(r, 625); },
       [](Report& r) { state_peak(r, 610); }},
      {"wrong_dtype_denominator", [](Report& r) { state_peak(r, 156); },
       [](Report& r) { state_peak(r, 312); }},
      {"peak_counted_once", [](Report& r) { state_peak(r, 155); },
       [](Report& r) { state_peak(r, 165); }},
      {"impossible", [](Report& r) { retime(r, "gemm/plain", 2 * kProduct / 325e12); },
       [](Report& r) { retime(r, "gemm/plain", 2 * kProduct / 318e12); }},
      {"above_roof", [](Report& r) { retime(r, "gemm/plain", 2 * kProduct / 315e12); },
       [](Report& r) { retime(r, "gemm/plain", 2 * kProduct / 311e12); }},
      {"hot_cache", [](Report& r) { add_stream(r, 1'000'000); },
       [](Report& r) { add_stream(r, 10'000'000); }},
      {"below_launch_floor",
       [](Report& r) {
         put(r, measured("kernel/bf16/quick", kernel(1e6, 100'000, 100'000), 3e-6));
       },
       [](Report& r) {
         put(r, measured("kernel/bf16/quick", kernel(1e6, 100'000, 100'000), 4.5e-6));
       }},
      {"low_entropy_data",
       [](Report& r) {
         std::get<Gemm>(point(r, "gemm/plain").workload).data = DataPattern::integers;
       },
       [](Report& r) {
         Record p = measured("kernel/bf16/zeros", kernel(1e9, 400'000'000, 0), 0.3e-3);
         p.workload = kernel(1e9, 400'000'000, 100'000'000);
         p.account = account(p.workload);
         put(r, std::move(p));
       }},
      {"end_does_not_fit", [](Report& r) { mark(r, 6); }, [](Report& r) { mark(r, 4); }},
      {"untrusted_end", [](Report& r) { result(r, "gemm/plain").end = MeasurementEnd::throttled; },
       [](Report& r) { result(r, "gemm/plain").end = MeasurementEnd::budget_spent; }},
      {"unsettled", [](Report& r) { result(r, "gemm/plain").end = MeasurementEnd::unsettled; },
       [](Report& r) { result(r, "gemm/plain").end = MeasurementEnd::budget_spent; }},
      {"few_samples", [](Report& r) { first_samples(r, 2); },
       [](Report& r) { first_samples(r, 3); }},
      {"no_samples", [](Report& r) { result(r, "gemm/plain").samples.clear(); },
       [](Report& r) { first_samples(r, 1); }},
      {"unverified",
       [](Report& r) {
         result(r, "gemm/plain").verification.state = VerificationState::unverified;
       },
       [](Report& r) { result(r, "gemm/plain").verification.detail = "by hand"; }},
      {"no_result",
       [](Report& r) { point(r, "gemm/plain").outcome = Failed{"it broke"}, place(r); },
       [](Report& r) { point(r, "gemm/plain").outcome = Skipped{"no time"}, place(r); }},
      {"run_cut_short", [](Report& r) { r.run.end = RunEnd::hung; },
       [](Report& r) { r.run.resumed_from = "earlier"; }},
      {"simulated",
       [](Report& r) {
         r.devices[0].facts.push_back({"simulated", true});
       },
       [](Report& r) {
         r.devices[0].facts.push_back({"simulated", false});
       }},
  };
  return all;
}

std::vector<const AuditFinding*> fired(const Audit& audit, std::string_view rule) {
  std::vector<const AuditFinding*> out;
  for (const AuditFinding& finding : audit.findings) {
    if (finding.rule->id == rule) out.push_back(&finding);
  }
  return out;
}

std::string all_of(const Audit& audit) {
  std::string out;
  for (const AuditFinding& finding : audit.findings)
    out +=
        std::string(finding.rule->id) + " " + finding.point + ": " + finding.evidence.text + "\n";
  return out;
}

class AuditRules : public testing::TestWithParam<std::size_t> {};

TEST_P(AuditRules, FireAndStaySilent) {
  const Case& one = cases()[GetParam()];
  Report wrong = clean_report();
  one.wrong(wrong);
  const Audit seen = audit(wrong);
  const auto found = fired(seen, one.rule);
  ASSERT_FALSE(found.empty()) << one.rule << " did not fire; instead:\n" << all_of(seen);
  EXPECT_FALSE(found.front()->evidence.text.empty());
  Report nearly = clean_report();
  one.near_miss(nearly);
  const Audit silent = audit(nearly);
  EXPECT_TRUE(fired(silent, one.rule).empty()) << all_of(silent);
}

INSTANTIATE_TEST_SUITE_P(Audit, AuditRules, testing::Range(std::size_t{0}, cases().size()),
                         [](const auto& one) { return std::string(cases()[one.param].rule); });

TEST(Audit, EveryRuleHasACaseAndAWayOut) {
  std::set<std::string_view> tested;
  for (const Case& one : cases()) tested.insert(one.rule);
  std::set<std::string_view> ids;
  for (const AuditRule& rule : audit_rules()) {
    EXPECT_TRUE(tested.contains(rule.id)) << rule.id << " has no case";
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id << " is there twice";
    EXPECT_TRUE(rule.symptom.ends_with('.') && rule.remedy.ends_with('.')) << rule.id;
  }
}

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

}  // namespace
}  // namespace roofline::test
