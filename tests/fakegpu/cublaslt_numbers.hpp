// Elements of matrices in all their types: widened for computing, rounded for storing. To nearest,
// ties to even, as the library's kernels round; what is too large becomes infinite.
#pragma once

#include <cstddef>

#include "cublaslt_problem.hpp"

namespace fakegpu::lt {

/// `count` elements that lie side by side.
void widen(DataType type, const std::byte* from, std::size_t count, float* to);
void widen(DataType type, const std::byte* from, std::size_t count, double* to);

[[nodiscard]] double load(DataType type, const std::byte* from);
void store(DataType type, double value, std::byte* to);

/// 10 bits behind the point.
[[nodiscard]] float round_to_tf32(float value);

}  // namespace fakegpu::lt
