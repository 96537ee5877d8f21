// Where a projection stops being a matvec.
#pragma once

#include <cstdint>

#include "roofline/workload.hpp"

namespace roofline::cpu {

/// The own kernels read every weight once for up to so many rows; more are a GEMM.
inline constexpr std::uint64_t kMostRows = 64;

[[nodiscard]] inline Gemm as_gemm(const Projection& p) {
  Gemm out;
  out.m = p.rows;
  out.n = p.d_out;
  out.k = p.d_in;
  out.input = p.activation;
  out.output = p.output.value_or(p.activation);
  return out;
}

}  // namespace roofline::cpu
