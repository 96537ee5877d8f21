// The matrix product as a kernel of the simulated GPU: what a launch touches, and the reference
// that computes it on the host.
#pragma once

#include "cublaslt_problem.hpp"
#include "kernel_library.hpp"

namespace fakegpu::lt {

/// Its arguments, in this order: device pointers, and the problem itself.
enum Argument : std::size_t { kA, kB, kC, kD, kScaleA, kScaleB, kWorkspace, kProblem, kArguments };

/// `cublasLt_bf16`, ...; a null pointer is for what the problem has no use for. Lives for ever.
[[nodiscard]] const Kernel& product_kernel(const Problem& problem);

}  // namespace fakegpu::lt
