// How a product of row-major matrices is put to cuBLASLt, whose matrices are column-major. Stated
// here and nowhere else:
//
//   C[m,n] = alpha A B + beta C, row-major, is C^T[n,m] = alpha B^T A^T + beta C^T, column-major,
//   in the same bytes. So the library's A is our B, its B is our A, its rows are n and its columns
//   m.
//   - Our B, stored [k,n], is the column-major matrix n x k with leading dimension n, taken as it
//   is
//     (N); stored [n,k] (transpose_b) it is k x n with leading dimension k, transposed (T).
//   - Our A, stored [m,k], is the column-major matrix k x m with leading dimension k (N); stored
//     [k,m] (transpose_a) it is m x k with leading dimension m (T).
//   - C is n x m with leading dimension n. Items of a batch follow each other without gaps.
//   What the library's documents call TN is our transpose_b without transpose_a.
//
// Plain arithmetic; calls nobody.
#pragma once

#include <cstdint>
#include <string>

#include "backend/cuda/cublaslt_abi.hpp"
#include "roofline/workload.hpp"

namespace roofline::cuda {

/// A matrix as the library takes it.
struct LtMatrix {
  lt::DataType type = lt::DataType::r_32f;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::int64_t leading_dimension = 0;  ///< elements
  std::int64_t stride = 0;             ///< from item to item of a batch, elements
};

struct LtProblem {
  lt::ComputeType compute = lt::ComputeType::c_32f;
  lt::DataType scale = lt::DataType::r_32f;  ///< type of alpha and beta
  lt::Operation op_a = lt::Operation::n;     ///< of the library's A, which is our B
  lt::Operation op_b = lt::Operation::n;
  LtMatrix a;
  LtMatrix b;
  LtMatrix c;  ///< of C and of the result
  std::int32_t batch = 1;
  bool scaled = false;  ///< 8-bit floating point: A and B have a factor each, in the GPU's memory
};

/// What an operand is stored in. There is no hardware for two operands of e5m2: B is e4m3 then.
[[nodiscard]] DType type_of_a(const Gemm& gemm);
[[nodiscard]] DType type_of_b(const Gemm& gemm);

/// Types whose products the library takes in one layout only, and in whole multiples: 8 bits.
[[nodiscard]] bool is_fp8(DType dtype);
/// Sizes must be multiples of this: 16 of fp8, 4 of int8, 1 else.
[[nodiscard]] std::uint64_t size_multiple(DType input);
/// m, filled up to a multiple: rows that are computed beside those that were asked for.
[[nodiscard]] std::uint64_t padded_m(const Gemm& gemm);

/// `k = 100 makes rows of 200 bytes, no multiple of 16`: what fast kernels can't load whole. Empty
/// where all rows begin at multiples.
[[nodiscard]] std::string unaligned_rows(const Gemm& gemm);

[[nodiscard]] lt::DataType lt_type(DType dtype);
[[nodiscard]] LtProblem lt_problem(const Gemm& gemm);
/// `32f`, `32f_fast_tf32`
[[nodiscard]] const char* compute_name(lt::ComputeType compute);

}  // namespace roofline::cuda
