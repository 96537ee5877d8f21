// Every rule of the audit fires on a report that is wrong in its way, and stays silent on one that
// is nearly so.
#include "roofline/audit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "audit_report.hpp"

namespace roofline::auditing {
namespace {

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

TEST(Audit, WhatTheFileSaysOtherwiseIsAFindingOfItsPoint) {
  const Report report = clean_report();
  AsWritten file;
  file.misstated = {{"cuda:0", "gemm/plain", {"lever is 'a', and it is 'b'", "lever"}},
                    {"cuda:1", "gemm/plain", {"of another device", "lever"}}};
  file.unknown_keys = {"colour"};
  const Audit found = audit(report, file);
  ASSERT_EQ(fired(found, "wrong_statement").size(), 1U) << all_of(found);
  const AuditFinding& finding = *fired(found, "wrong_statement").front();
  EXPECT_EQ(finding.point, "gemm/plain");
  EXPECT_EQ(finding.evidence.field, "lever");
  EXPECT_EQ(found.unknown_keys, file.unknown_keys);
  EXPECT_TRUE(fired(audit(report), "wrong_statement").empty());
}

TEST(Audit, EveryRuleHasACaseAndAWayOut) {
  std::set<std::string_view> tested{"wrong_statement"};  // of a file, above
  for (const Case& one : cases()) tested.insert(one.rule);
  std::set<std::string_view> ids;
  for (const AuditRule& rule : audit_rules()) {
    EXPECT_TRUE(tested.contains(rule.id)) << rule.id << " has no case";
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id << " is there twice";
    EXPECT_TRUE(rule.symptom.ends_with('.') && rule.remedy.ends_with('.')) << rule.id;
  }
}

}  // namespace
}  // namespace roofline::auditing
