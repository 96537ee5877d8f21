// One matrix product as cuBLASLt sees it: column-major, D = alpha op(A) op(B) + beta C, with the
// rules about what may be multiplied. Knows devices by their model, and no memory.
#pragma once

#include <cstdint>
#include <string_view>

#include "model.hpp"
#include "src/backend/cuda/cublaslt_abi.hpp"

namespace fakegpu::lt {

// NOLINTNEXTLINE(google-build-using-namespace): the types of that ABI are this library's own
using namespace roofline::cuda::lt;

struct Matrix {
  DataType type = DataType::r_32f;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::int64_t ld = 0;
  std::int32_t batch = 1;
  std::int64_t stride = 0;  ///< elements from one of the batch to the next
  std::int32_t order = kOrderColumn;

  /// Elements from the first to behind the last.
  [[nodiscard]] std::uint64_t extent() const;
  /// Its elements lie side by side.
  [[nodiscard]] bool packed() const;
};

/// Trivially copyable: it is an argument of a kernel.
struct Problem {
  ComputeType compute = ComputeType::c_32f;
  DataType scale = DataType::r_32f;
  bool transpose_a = false;
  bool transpose_b = false;
  bool plain = true;  ///< host scalars, no epilogue
  bool scaled_a = false;
  bool scaled_b = false;
  bool scaled_d = false;
  Matrix a = {};
  Matrix b = {};
  Matrix c = {};
  Matrix d = {};
  double alpha = 1;
  double beta = 0;
  std::uint64_t workspace_bytes = 0;  ///< that its algorithm uses

  [[nodiscard]] std::uint64_t m() const { return d.rows; }
  [[nodiscard]] std::uint64_t n() const { return d.columns; }
  [[nodiscard]] std::uint64_t k() const { return transpose_a ? a.rows : a.columns; }
  /// The same for two that an algorithm of one would do for.
  [[nodiscard]] std::uint64_t key() const;
};

[[nodiscard]] std::size_t bytes_of(DataType type);
/// `bf16`, `tf32`, `fp8_e4m3`, ...: by the operands, and fp32 by how it is computed.
[[nodiscard]] std::string_view type_name(const Problem& problem);
/// FLOP of an SM in a clock; 0: the device has no such product.
[[nodiscard]] double rate_of(const Problem& problem, const DeviceModel& model);
/// kSuccess, kInvalidValue where the operands don't fit together, kNotSupported where the device or
/// the library has no such product.
[[nodiscard]] Status check(const Problem& problem, const DeviceModel& model);

}  // namespace fakegpu::lt
