#include "report/labels.hpp"

namespace roofline::report {

namespace {

/// `fp8` alone means fp8_e4m3 everywhere in this tool.
std::string short_name(DType dtype) {
  return dtype == DType::fp8_e4m3 ? "fp8" : std::string(name(dtype));
}

}  // namespace

std::string dtype_label(const Workload& workload) {
  std::string out = short_name(compute_dtype(workload));
  const DTypeInfo& input = info(compute_dtype(workload));
  if (const auto* w = std::get_if<Projection>(&workload)) {
    const DType weight = w->weight.value_or(w->activation);
    if (weight != w->activation) out = short_name(weight) + "*" + out;
    if (w->scale_group != 0) out += " g" + std::to_string(w->scale_group);
  }
  if (accumulate_dtype(workload) != input.accumulate) {
    out += " acc " + short_name(accumulate_dtype(workload));
  }
  if (std::holds_alternative<Gemm>(workload) && output_dtype(workload) != input.output) {
    out += " to " + short_name(output_dtype(workload));
  }
  return out;
}

}  // namespace roofline::report
