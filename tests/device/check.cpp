#include "check.hpp"

#include <utility>

namespace roofline::selftest {

using cuda::Family;

void Findings::begin_case(std::string what) {
  case_ = std::move(what);
  ++cases_;
}

void Findings::set_fault(const std::string& what) {
  if (fault_.empty()) fault_ = case_.empty() ? what : case_ + ": " + what;
}

void Findings::judge(const backend::Comparison& comparison) {
  comparison_.merge(comparison);
  if (comparison.wrong != 0 || comparison.compared == 0)
    set_fault(backend::verdict(comparison, "the reference").detail);
}

void Findings::judge(bool right, const std::string& otherwise) {
  ++comparison_.compared;
  if (right) return;
  ++comparison_.wrong;
  set_fault(otherwise);
}

void Findings::take(Output& output) {
  output.take();
  if (!output.guards_whole()) set_fault("it writes outside its output");
}

void check_kernel(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings) {
  switch (kernel.family) {
    case Family::stream_fp32:
    case Family::stream_fp64:
      return check_stream(bench, kernel, findings);
    case Family::matvec_bf16:
    case Family::matvec_fp16:
      return check_matvec(bench, kernel, findings);
    case Family::matvec_reduce_bf16:
    case Family::matvec_reduce_fp16:
      return check_matvec_reduce(bench, kernel, findings);
    case Family::elementwise_fp32:
    case Family::elementwise_fp64:
    case Family::elementwise_fp16:
    case Family::elementwise_bf16:
      return check_elementwise(bench, kernel, findings);
    case Family::fill:
      return check_fill(bench, kernel, findings);
    case Family::empty:
    case Family::spin:
    case Family::clock_sample:
      return check_probe(bench, kernel, findings);
    case Family::peak_fp32:
    case Family::peak_fp64:
    case Family::peak_fp16:
    case Family::peak_bf16:
      return check_peak(bench, kernel, findings);
  }
}

}  // namespace roofline::selftest
