// Element types: how many bits are stored, what they are accumulated in, and which datasheet peak
// arithmetic in them is held against. A type that is only stored (8-bit weights, dequantised before
// the multiply) is not a type that is computed in; a workload states both.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace roofline {

enum class DType {
  fp64,
  fp32,
  tf32,  ///< stored in 32 bits, multiplied with a 10-bit mantissa
  fp16,
  bf16,
  fp8_e4m3,
  fp8_e5m2,
  fp6,
  fp4,
  int8,
  int4,
  int32,  ///< accumulator and output of integer products; never an input
};

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  unsigned storage_bits;
  bool integer;
  DType accumulate;  ///< what products are summed in unless the workload says otherwise
  DType output;      ///< what a GEMM writes unless the workload says otherwise
};

[[nodiscard]] const DTypeInfo& info(DType dtype);
[[nodiscard]] std::string_view name(DType dtype);
[[nodiscard]] unsigned storage_bits(DType dtype);
[[nodiscard]] std::span<const DTypeInfo> dtypes();

/// `bf16`, `BF16`, `bfloat16`, `fp8` (= fp8_e4m3), `half`, `float32`, `s8` ... Nothing else is
/// guessed.
[[nodiscard]] std::optional<DType> find_dtype(std::string_view text);
/// As find_dtype, but throws InputError naming the known types.
[[nodiscard]] DType parse_dtype(std::string_view text);

/// The rows of a datasheet. fp64, fp32 and *_vector are the ordinary (CUDA core, SIMD) units,
/// *_tensor and the rest the matrix units; *_acc16 means products summed in fp16.
enum class PeakKey {
  fp64,
  fp64_tensor,
  fp32,
  tf32,
  fp16,
  fp16_acc16,
  bf16,
  fp8,
  fp8_acc16,
  fp6,
  fp4,
  int8,
  int4,
  fp16_vector,
  bf16_vector,
};

[[nodiscard]] std::string_view name(PeakKey key);
[[nodiscard]] std::optional<PeakKey> find_peak_key(std::string_view text);
[[nodiscard]] std::span<const PeakKey> peak_keys();

/// Which units do the arithmetic: matrix units (GEMM, projections) or ordinary ones (elementwise,
/// streams).
enum class Engine { tensor, vector };
[[nodiscard]] std::string_view name(Engine engine);

/// The datasheet rows that arithmetic in `dtype` may be held against, best first: fp64 on the
/// matrix units is held against fp64_tensor where there is one and fp64 else. Empty when no
/// hardware computes so.
[[nodiscard]] std::vector<PeakKey> peak_candidates(DType dtype, DType accumulate, Engine engine);

}  // namespace roofline
