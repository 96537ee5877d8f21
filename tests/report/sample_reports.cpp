#include "sample_reports.hpp"

#include <string>
#include <utility>

#include "roofline/diagnosis.hpp"
#include "roofline/roof_book.hpp"

namespace roofline::test {
namespace {

Measured timed(double seconds_per_call) {
  Measured out;
  for (int i = 0; i < 6; ++i) {
    out.samples.push_back({.duration = second(10 * seconds_per_call * (1 + 0.002 * i)),
                           .iterations = 10,
                           .cpu_share = 0.998});
  }
  out.samples[3].disturbance = Disturbance::contended;
  out.samples[3].cpu_share = 0.5;
  out.time_median = second(seconds_per_call);
  out.time_interval = Interval{seconds_per_call * 0.995, seconds_per_call * 1.005, 0.96875};
  out.time_min = second(seconds_per_call * 0.99);
  out.noise = 0.0031;
  out.end = MeasurementEnd::converged;
  out.verification = {VerificationState::verified, "64 of 64 values, largest error 1.2e-07"};
  return out;
}

/// Adds points the way a sweep does: predicted, measured, learnt from, placed.
class Builder {
 public:
  Builder() {
    report_.tool_version = "0.1.0";
    report_.device_id = "cpu";
    report_.device_name = "Example 9000 CPU";
    report_.run = {.id = "20260301T123456Z-1",
                   .started = "2026-03-01T12:34:56Z",
                   .duration = second(48.2),
                   .command_line = "roofline run -o report.json",
                   .suite = "quick",
                   .interrupted = false};
    report_.environment = {{"cpu_model", std::string("Example 9000 CPU")},
                           {"l3_byte", std::uint64_t{33554432}},
                           {"smt", false},
                           {"cgroup_cpus", 1.5},
                           {"isa", std::vector<std::string>{"avx2", "fma"}},
                           {"governor", Unknown{"the kernel shows no cpufreq"}}};
  }

  Record& add(const std::string& id, const Workload& workload, const Outcome& outcome) {
    Record point;
    point.id = id;
    point.device_id = report_.device_id;
    point.device_name = report_.device_name;
    point.workload = workload;
    point.account = account(workload);
    point.prediction = predict(workload, point.account, book_);
    point.outcome = outcome;
    point.implementation = {{"provider", std::string("oneDNN 2.6")}, {"threads", std::uint64_t{2}}};
    // A core with two 256-bit FMA units: 2 x 2 x 8 fp32 FLOP a cycle, and four times as many in
    // bf16.
    if (const auto* probe = std::get_if<PeakProbe>(&workload)) {
      point.implementation.push_back(
          {"ideal_flop_per_cycle", probe->dtype == DType::fp32 ? 32.0 : 128.0});
      point.implementation.push_back({"clock_hz", 2.4e9});
    }
    book_.learn(point);
    report_.points.push_back(point);
    return report_.points.back();
  }
  void peak(const std::string& id, DType dtype, double flop_per_second) {
    add(id, PeakProbe{.dtype = dtype, .flops = 1000000000}, timed(1e9 / flop_per_second));
  }
  void stream(const std::string& id, StreamKind kind, double byte_per_second) {
    const Workload workload = Stream{.kind = kind, .elements = 1 << 27, .dtype = DType::fp64};
    add(id, workload, timed(total_traffic(account(workload)).as_double() / byte_per_second));
  }
  /// `share` of the ceiling of arithmetic alone.
  Record& run(const std::string& id, const Workload& workload, double share) {
    const Account cost = account(workload);
    const Placement at = place(cost, book_.roofs_for(workload, cost));
    return add(id, workload, timed(in_second(*at.floor) / share));
  }
  Report finish() {
    for (Record& point : report_.points) place_record(point, book_);
    report_.roofs = book_.entries();
    return std::move(report_);
  }

 private:
  Report report_;
  RoofBook book_;
};

}  // namespace

Report sample_report() {
  Builder b;
  b.peak("peak/fp32", DType::fp32, 143e9);
  b.peak("peak/bf16", DType::bf16, 570e9);
  b.stream("stream/fp64/read", StreamKind::read, 24.1e9);
  b.stream("stream/fp64/copy", StreamKind::copy, 19.2e9);
  b.stream("stream/fp64/triad", StreamKind::triad, 20.6e9);
  b.run("gemm/fp32/2048", Gemm{.m = 2048, .n = 2048, .k = 2048, .input = DType::fp32}, 0.857);
  b.run("gemm/fp32/512", Gemm{.m = 512, .n = 14336, .k = 4096, .input = DType::fp32}, 1.04);
  b.run("gemm/bf16/2048", Gemm{.m = 2048, .n = 2048, .k = 2048}, 0.35);
  b.run("gemm/bf16/512", Gemm{.m = 512, .n = 14336, .k = 4096}, 1.9);
  b.add("gemm/fp8/2048", Gemm{.m = 2048, .n = 2048, .k = 2048, .input = DType::fp8_e4m3},
        Skipped{
            "this CPU has no fp8 arithmetic; fp8 needs a GPU of compute capability 8.9 or newer"});
  b.add("gemm/bf16/8192", Gemm{.m = 8192, .n = 128256, .k = 4096},
        Failed{"out of memory while preparing the point; use a smaller shape"});
  b.add("gemm/bf16/384", Gemm{.m = 384, .n = 384, .k = 384},
        Incorrect{{VerificationState::incorrect,
                   "3 of 64 values off, largest error 0.7 where 0.01 is allowed"}});
  for (const std::uint64_t rows : {1U, 8U, 32U}) {
    b.run("matvec/bf16/T=" + std::to_string(rows),
          Projection{.rows = rows, .d_in = 4096, .d_out = 14336}, rows == 32 ? 0.2 : 0.93);
  }
  Record& slow =
      b.run("matvec/fp32/T=8",
            Projection{.rows = 8, .d_in = 4096, .d_out = 14336, .activation = DType::fp32}, 0.91);
  auto& contended = std::get<Measured>(slow.outcome);
  contended.end = MeasurementEnd::contended;
  contended.verification = {VerificationState::unverified, "no reference for this size"};
  for (const std::uint64_t fused : {1U, 4U}) {
    b.run("elementwise/fp32/fused=" + std::to_string(fused),
          Elementwise{.elements = 1 << 26, .ops = 4, .ops_per_kernel = fused, .dtype = DType::fp32},
          0.88);
  }
  Report out = b.finish();
  for (Record& point : out.points) {
    if (point.id != "matvec/bf16/T=32") continue;
    point.observed = {Bound::memory, Agreement::refuted};
  }
  diagnose(out);
  return out;
}

Explanation on_a100(const Workload& workload, const Observation& observation) {
  Explanation out;
  out.device_id = "a100-80gb-sxm";
  out.device_name = "NVIDIA A100 80GB SXM";
  out.workload = workload;
  out.account = account(workload);
  out.roofs.compute = ComputeRoof{tflop_per_s(312), PeakKey::bf16, Sparsity::dense,
                                  Origin::datasheet, "NVIDIA A100 datasheet"};
  out.roofs.memory =
      MemoryRoof{gb_per_s(2039), Boundary::dram, Origin::datasheet, "NVIDIA A100 datasheet"};
  out.placement = place(out.account, out.roofs);
  if (out.placement.ridge) out.rows = rows_to_ridge(workload, *out.placement.ridge);
  if (observation.time || observation.achieved) {
    out.assessment = assess(out.account, out.roofs, out.placement, observation);
  }
  return out;
}

}  // namespace roofline::test
