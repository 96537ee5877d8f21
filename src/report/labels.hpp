// Short names of workloads for tables and headlines.
#pragma once

#include <string>

#include "roofline/workload.hpp"

namespace roofline::report {

/// The type that is computed in, with whatever else is not the usual: `bf16`, `int8*fp32 g128`
/// (weights of int8 in groups of 128, activations of fp32), `fp16 acc fp16`, `bf16 to fp32`. `fp8`
/// is fp8_e4m3.
[[nodiscard]] std::string dtype_label(const Workload& workload);

}  // namespace roofline::report
