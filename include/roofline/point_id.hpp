// How a point is called: the same in every run and on every machine, from what was asked of it.
#pragma once

#include <string>

#include "roofline/workload.hpp"

namespace roofline {

/// `gemm/bf16/4096x4096x4096`, `matvec/int8-by-bf16/T=8_4096x14336`,
/// `stream/fp64/triad-regular-l2`, `launch/library`, `transfer/to_device-pinned`. Sizes left to the
/// device are left out
/// (`stream/fp64/read`) or `dram`
/// (`elementwise/fp32/dram_ops_4_fused_2`).
[[nodiscard]] std::string point_id(const Workload& workload);

}  // namespace roofline
