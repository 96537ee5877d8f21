// What of cuBLASLt this program calls: types, enumerators and signatures, spelled out because few
// toolkits bring the header, and none the one of the library that is found when the program runs.
// The values are those of cublasLt.h and library_types.h of CUDA 12 and 13, which a test holds them
// to wherever the header is.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

namespace roofline::cuda::lt {

/// cublasStatus_t
using Status = int;
inline constexpr Status kSuccess = 0;
inline constexpr Status kNotInitialized = 1;
inline constexpr Status kAllocFailed = 3;
inline constexpr Status kInvalidValue = 7;
inline constexpr Status kArchMismatch = 8;
inline constexpr Status kMappingError = 11;
inline constexpr Status kExecutionFailed = 13;
inline constexpr Status kInternalError = 14;
inline constexpr Status kNotSupported = 15;
inline constexpr Status kLicenseError = 16;

/// Opaque, as the library keeps them.
using Handle = struct HandleObject*;
using MatmulDesc = struct MatmulDescObject*;
using MatrixLayout = struct MatrixLayoutObject*;
using Preference = struct PreferenceObject*;

/// cublasLtMatmulAlgo_t
struct Algo {
  std::uint64_t data[8];
};
/// cublasLtMatmulHeuristicResult_t
struct HeuristicResult {
  Algo algo;
  std::size_t workspace_bytes;
  Status state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(Algo) == 64 && sizeof(HeuristicResult) == 96);

/// cublasOperation_t
enum class Operation : std::int32_t { n = 0, t = 1 };

/// cudaDataType_t
enum class DataType : int {
  r_32f = 0,
  r_64f = 1,
  r_16f = 2,
  r_8i = 3,
  r_32i = 10,
  r_16bf = 14,
  r_8f_e4m3 = 28,
  r_8f_e5m2 = 29,
};

/// cublasComputeType_t
enum class ComputeType : int {
  c_16f = 64,
  c_32f = 68,
  c_64f = 70,
  c_32i = 72,
  c_32f_fast_tf32 = 77,
};

/// cublasLtOrder_t: everything here is column-major.
inline constexpr std::int32_t kOrderColumn = 0;

/// cublasLtMatrixLayoutAttribute_t
enum class LayoutAttribute : int {
  type = 0,                 // uint32
  order = 1,                // int32
  rows = 2,                 // uint64
  columns = 3,              // uint64
  leading_dimension = 4,    // int64, elements
  batch_count = 5,          // int32
  strided_batch_offset = 6  // int64, elements
};

/// cublasLtMatmulDescAttributes_t
enum class DescAttribute : int {
  compute_type = 0,      // int32
  scale_type = 1,        // int32
  transpose_a = 3,       // int32, Operation
  transpose_b = 4,       // int32, Operation
  a_scale_pointer = 17,  // device pointer to one float
  b_scale_pointer = 18,
  d_scale_pointer = 20,
  fast_accumulate = 25,  // int8
};

/// cublasLtMatmulPreferenceAttributes_t
enum class PreferenceAttribute : int {
  most_workspace_bytes = 1,  // uint64
  least_alignment_a = 5,     // uint32, bytes
  least_alignment_b = 6,     // uint32
  least_alignment_c = 7,     // uint32
  least_alignment_d = 8,     // uint32
};

/// cublasLtMatmulAlgoConfigAttributes_t
enum class ConfigAttribute : int {
  id = 0,                // int32
  tile = 1,              // uint32, cublasLtMatmulTile_t
  split_k = 2,           // int32
  reduction_scheme = 3,  // uint32
  swizzle = 4,           // uint32
  custom_option = 5,     // uint32
  stages = 6,            // uint32, cublasLtMatmulStages_t
  inner_shape = 7,       // uint16
  cluster_shape = 8,     // uint16
};

// X(member, symbol, result type, parameter types...)
#define ROOFLINE_CUBLASLT_FUNCTIONS(X)                                                            \
  X(version, "cublasLtGetVersion", std::size_t)                                                   \
  X(cudart_version, "cublasLtGetCudartVersion", std::size_t)                                      \
  X(create, "cublasLtCreate", Status, Handle*)                                                    \
  X(destroy, "cublasLtDestroy", Status, Handle)                                                   \
  X(desc_create, "cublasLtMatmulDescCreate", Status, MatmulDesc*, ComputeType, DataType)          \
  X(desc_destroy, "cublasLtMatmulDescDestroy", Status, MatmulDesc)                                \
  X(desc_set, "cublasLtMatmulDescSetAttribute", Status, MatmulDesc, DescAttribute, const void*,   \
    std::size_t)                                                                                  \
  X(desc_get, "cublasLtMatmulDescGetAttribute", Status, MatmulDesc, DescAttribute, void*,         \
    std::size_t, std::size_t*)                                                                    \
  X(layout_create, "cublasLtMatrixLayoutCreate", Status, MatrixLayout*, DataType, std::uint64_t,  \
    std::uint64_t, std::int64_t)                                                                  \
  X(layout_destroy, "cublasLtMatrixLayoutDestroy", Status, MatrixLayout)                          \
  X(layout_set, "cublasLtMatrixLayoutSetAttribute", Status, MatrixLayout, LayoutAttribute,        \
    const void*, std::size_t)                                                                     \
  X(layout_get, "cublasLtMatrixLayoutGetAttribute", Status, MatrixLayout, LayoutAttribute, void*, \
    std::size_t, std::size_t*)                                                                    \
  X(preference_create, "cublasLtMatmulPreferenceCreate", Status, Preference*)                     \
  X(preference_destroy, "cublasLtMatmulPreferenceDestroy", Status, Preference)                    \
  X(preference_set, "cublasLtMatmulPreferenceSetAttribute", Status, Preference,                   \
    PreferenceAttribute, const void*, std::size_t)                                                \
  X(heuristic, "cublasLtMatmulAlgoGetHeuristic", Status, Handle, MatmulDesc, MatrixLayout,        \
    MatrixLayout, MatrixLayout, MatrixLayout, Preference, int, HeuristicResult*, int*)            \
  X(config_get, "cublasLtMatmulAlgoConfigGetAttribute", Status, const Algo*, ConfigAttribute,     \
    void*, std::size_t, std::size_t*)                                                             \
  X(matmul, "cublasLtMatmul", Status, Handle, MatmulDesc, const void*, const void*, MatrixLayout, \
    const void*, MatrixLayout, const void*, const void*, MatrixLayout, void*, MatrixLayout,       \
    const Algo*, void*, std::size_t, CUstream)

}  // namespace roofline::cuda::lt
