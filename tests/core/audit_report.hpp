// A report that the audit finds nothing in, to be spoilt by tests, and what an audit says.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/audit.hpp"
#include "roofline/roof_book.hpp"
#include "roofline/sample_summary.hpp"
#include "roofline/time_model.hpp"
#include "support.hpp"

namespace roofline::auditing {

using test::contains;

inline Measured timed(double seconds, MeasurementEnd end = MeasurementEnd::converged) {
  std::vector<Sample> samples;
  for (const double factor : {1.001, 0.999, 1.0, 1.002, 0.998, 1.0, 0.9995})
    samples.push_back({second(10 * factor * seconds), 10});
  Measured out = summarise(std::move(samples), end, 0.95);
  out.verification.state = VerificationState::verified;
  return out;
}

inline Record measured(const std::string& id, const Workload& workload, double seconds) {
  Record out;
  out.id = id;
  out.device_id = "cuda:0";
  out.workload = workload;
  out.account = account(workload);
  out.outcome = timed(seconds);
  return out;
}

inline RoofEntry rated(PeakKey key, double tera, Sparsity sparsity = Sparsity::dense) {
  return {std::string(name(key)),
          ComputeRoof{tflop_per_s(tera), key, sparsity, Origin::datasheet, "data sheet"},
          {},
          {}};
}

inline Kernel kernel(double work, std::uint64_t read, std::uint64_t write) {
  return {.flops = Count{static_cast<std::uint64_t>(work)},
          .read_bytes = Count{read},
          .write_bytes = Count{write},
          .dtype = DType::bf16};
}

inline constexpr double kProduct = 4096.0 * 4096 * 4096;                // mnk
inline constexpr std::uint64_t kSide = std::uint64_t{4096} * 4096 * 2;  // bytes of a bf16 operand

/// Under the roofs that the report lists.
inline void place(Report& report) {
  RoofBook book(PeakOrder::rated_first);
  for (const RoofEntry& entry : report.roofs) book.add(entry);
  for (Record& record : report.points) place_record(record, book);
}

inline Record& point(Report& report, const std::string& id) {
  const auto found = std::find_if(report.points.begin(), report.points.end(),
                                  [&](const Record& record) { return record.id == id; });
  if (found == report.points.end()) throw std::invalid_argument("no point " + id);
  return *found;
}

inline Measured& result(Report& report, const std::string& id) {
  return std::get<Measured>(point(report, id).outcome);
}

inline void put(Report& report, Record record) {
  report.points.push_back(std::move(record));
  place(report);
}

/// An A100 by its data sheet (dense and sparse bf16, tf32, fp64, DRAM) and what it might reach.
inline Report clean_report() {
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

inline std::vector<const AuditFinding*> fired(const Audit& audit, std::string_view rule) {
  std::vector<const AuditFinding*> out;
  for (const AuditFinding& finding : audit.findings) {
    if (finding.rule->id == rule) out.push_back(&finding);
  }
  return out;
}

inline std::string all_of(const Audit& audit) {
  std::string out;
  for (const AuditFinding& finding : audit.findings)
    out +=
        std::string(finding.rule->id) + " " + finding.point + ": " + finding.evidence.text + "\n";
  return out;
}

}  // namespace roofline::auditing
