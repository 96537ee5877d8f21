#include "report/labels.hpp"

namespace roofline::report {

std::string dtype_label(const Workload& workload) {
  std::string out(name(compute_dtype(workload)));
  const DTypeInfo& input = info(compute_dtype(workload));
  if (const auto* w = std::get_if<Projection>(&workload)) {
    const DType weight = w->weight.value_or(w->activation);
    if (weight != w->activation) out = std::string(name(weight)) + "*" + out;
    if (w->scale_group != 0) out += " g" + std::to_string(w->scale_group);
  }
  if (accumulate_dtype(workload) != input.accumulate) {
    out += " acc " + std::string(name(accumulate_dtype(workload)));
  }
  if (std::holds_alternative<Gemm>(workload) && output_dtype(workload) != input.output) {
    out += " to " + std::string(name(output_dtype(workload)));
  }
  return out;
}

}  // namespace roofline::report
