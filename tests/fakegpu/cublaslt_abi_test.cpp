// The ABI that program and simulation share is that of the toolkit's header, where there is one.
#include "src/backend/cuda/cublaslt_abi.hpp"

#include <gtest/gtest.h>

#if __has_include(<cublasLt.h>)
#include <cublasLt.h>

#include <cstddef>
#include <type_traits>

namespace {

namespace lt = roofline::cuda::lt;

template <class T>
constexpr int number(T value) {
  return static_cast<int>(value);
}

static_assert(lt::kSuccess == CUBLAS_STATUS_SUCCESS);
static_assert(lt::kNotInitialized == CUBLAS_STATUS_NOT_INITIALIZED);
static_assert(lt::kAllocFailed == CUBLAS_STATUS_ALLOC_FAILED);
static_assert(lt::kInvalidValue == CUBLAS_STATUS_INVALID_VALUE);
static_assert(lt::kArchMismatch == CUBLAS_STATUS_ARCH_MISMATCH);
static_assert(lt::kMappingError == CUBLAS_STATUS_MAPPING_ERROR);
static_assert(lt::kExecutionFailed == CUBLAS_STATUS_EXECUTION_FAILED);
static_assert(lt::kInternalError == CUBLAS_STATUS_INTERNAL_ERROR);
static_assert(lt::kNotSupported == CUBLAS_STATUS_NOT_SUPPORTED);
static_assert(lt::kLicenseError == CUBLAS_STATUS_LICENSE_ERROR);

static_assert(sizeof(lt::Algo) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(lt::HeuristicResult) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(lt::HeuristicResult, workspace_bytes) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(lt::HeuristicResult, state) ==
              offsetof(cublasLtMatmulHeuristicResult_t, state));
static_assert(offsetof(lt::HeuristicResult, waves) ==
              offsetof(cublasLtMatmulHeuristicResult_t, wavesCount));

static_assert(number(lt::Operation::n) == CUBLAS_OP_N);
static_assert(number(lt::Operation::t) == CUBLAS_OP_T);
static_assert(sizeof(lt::Operation) == sizeof(std::int32_t));

static_assert(number(lt::DataType::r_32f) == CUDA_R_32F);
static_assert(number(lt::DataType::r_64f) == CUDA_R_64F);
static_assert(number(lt::DataType::r_16f) == CUDA_R_16F);
static_assert(number(lt::DataType::r_8i) == CUDA_R_8I);
static_assert(number(lt::DataType::r_32i) == CUDA_R_32I);
static_assert(number(lt::DataType::r_16bf) == CUDA_R_16BF);
static_assert(number(lt::DataType::r_8f_e4m3) == CUDA_R_8F_E4M3);
static_assert(number(lt::DataType::r_8f_e5m2) == CUDA_R_8F_E5M2);
static_assert(sizeof(lt::DataType) == sizeof(cudaDataType_t));

static_assert(number(lt::ComputeType::c_16f) == CUBLAS_COMPUTE_16F);
static_assert(number(lt::ComputeType::c_32f) == CUBLAS_COMPUTE_32F);
static_assert(number(lt::ComputeType::c_64f) == CUBLAS_COMPUTE_64F);
static_assert(number(lt::ComputeType::c_32i) == CUBLAS_COMPUTE_32I);
static_assert(number(lt::ComputeType::c_32f_fast_tf32) == CUBLAS_COMPUTE_32F_FAST_TF32);
static_assert(sizeof(lt::ComputeType) == sizeof(cublasComputeType_t));

static_assert(lt::kOrderColumn == number(CUBLASLT_ORDER_COL));

using Layout = lt::LayoutAttribute;
static_assert(number(Layout::type) == CUBLASLT_MATRIX_LAYOUT_TYPE);
static_assert(number(Layout::order) == CUBLASLT_MATRIX_LAYOUT_ORDER);
static_assert(number(Layout::rows) == CUBLASLT_MATRIX_LAYOUT_ROWS);
static_assert(number(Layout::columns) == CUBLASLT_MATRIX_LAYOUT_COLS);
static_assert(number(Layout::leading_dimension) == CUBLASLT_MATRIX_LAYOUT_LD);
static_assert(number(Layout::batch_count) == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
static_assert(number(Layout::strided_batch_offset) == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);

using Desc = lt::DescAttribute;
static_assert(number(Desc::compute_type) == CUBLASLT_MATMUL_DESC_COMPUTE_TYPE);
static_assert(number(Desc::scale_type) == CUBLASLT_MATMUL_DESC_SCALE_TYPE);
static_assert(number(Desc::transpose_a) == CUBLASLT_MATMUL_DESC_TRANSA);
static_assert(number(Desc::transpose_b) == CUBLASLT_MATMUL_DESC_TRANSB);
static_assert(number(Desc::a_scale_pointer) == CUBLASLT_MATMUL_DESC_A_SCALE_POINTER);
static_assert(number(Desc::b_scale_pointer) == CUBLASLT_MATMUL_DESC_B_SCALE_POINTER);
static_assert(number(Desc::d_scale_pointer) == CUBLASLT_MATMUL_DESC_D_SCALE_POINTER);
static_assert(number(Desc::fast_accumulate) == CUBLASLT_MATMUL_DESC_FAST_ACCUM);

using Wish = lt::PreferenceAttribute;
static_assert(number(Wish::most_workspace_bytes) == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
static_assert(number(Wish::least_alignment_a) == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
static_assert(number(Wish::least_alignment_b) == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
static_assert(number(Wish::least_alignment_c) == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
static_assert(number(Wish::least_alignment_d) == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);

using Config = lt::ConfigAttribute;
static_assert(number(Config::id) == CUBLASLT_ALGO_CONFIG_ID);
static_assert(number(Config::tile) == CUBLASLT_ALGO_CONFIG_TILE_ID);
static_assert(number(Config::split_k) == CUBLASLT_ALGO_CONFIG_SPLITK_NUM);
static_assert(number(Config::reduction_scheme) == CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME);
static_assert(number(Config::swizzle) == CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING);
static_assert(number(Config::custom_option) == CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION);
static_assert(number(Config::stages) == CUBLASLT_ALGO_CONFIG_STAGES_ID);
static_assert(number(Config::inner_shape) == CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID);
static_assert(number(Config::cluster_shape) == CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID);

// What is opaque here and there has one size; a stream is the same thing under two names.
static_assert(sizeof(lt::Handle) == sizeof(cublasLtHandle_t));
static_assert(std::is_same_v<CUstream, cudaStream_t>);

/// As a call sees a type: pointers are alike, enumerators are their integers.
template <class T>
struct Passed {
  using type = T;
};
template <class T>
struct Passed<T*> {
  using type = void*;
};
template <class T>
requires std::is_enum_v<T>
struct Passed<T> {
  using type = int;
};
template <class T>
struct Signature;
template <class Result, class... Arguments>
struct Signature<Result (*)(Arguments...)> {
  using type = typename Passed<Result>::type (*)(typename Passed<Arguments>::type...);
};
template <class Ours, class Theirs>
constexpr bool same_call() {
  return std::is_same_v<typename Signature<Ours>::type, typename Signature<Theirs>::type>;
}

namespace ours {
using namespace roofline::cuda::lt;  // NOLINT(google-build-using-namespace): signatures below
#define ROOFLINE_MEMBER(member, symbol, result, ...) using member = result (*)(__VA_ARGS__);
ROOFLINE_CUBLASLT_FUNCTIONS(ROOFLINE_MEMBER)
#undef ROOFLINE_MEMBER
}  // namespace ours

static_assert(same_call<ours::version, decltype(&cublasLtGetVersion)>());
static_assert(same_call<ours::cudart_version, decltype(&cublasLtGetCudartVersion)>());
static_assert(same_call<ours::create, decltype(&cublasLtCreate)>());
static_assert(same_call<ours::destroy, decltype(&cublasLtDestroy)>());
static_assert(same_call<ours::desc_create, decltype(&cublasLtMatmulDescCreate)>());
static_assert(same_call<ours::desc_destroy, decltype(&cublasLtMatmulDescDestroy)>());
static_assert(same_call<ours::desc_set, decltype(&cublasLtMatmulDescSetAttribute)>());
static_assert(same_call<ours::desc_get, decltype(&cublasLtMatmulDescGetAttribute)>());
static_assert(same_call<ours::layout_create, decltype(&cublasLtMatrixLayoutCreate)>());
static_assert(same_call<ours::layout_destroy, decltype(&cublasLtMatrixLayoutDestroy)>());
static_assert(same_call<ours::layout_set, decltype(&cublasLtMatrixLayoutSetAttribute)>());
static_assert(same_call<ours::layout_get, decltype(&cublasLtMatrixLayoutGetAttribute)>());
static_assert(same_call<ours::preference_create, decltype(&cublasLtMatmulPreferenceCreate)>());
static_assert(same_call<ours::preference_destroy, decltype(&cublasLtMatmulPreferenceDestroy)>());
static_assert(same_call<ours::preference_set, decltype(&cublasLtMatmulPreferenceSetAttribute)>());
static_assert(same_call<ours::heuristic, decltype(&cublasLtMatmulAlgoGetHeuristic)>());
static_assert(same_call<ours::config_get, decltype(&cublasLtMatmulAlgoConfigGetAttribute)>());
static_assert(same_call<ours::matmul, decltype(&cublasLtMatmul)>());

TEST(CublasLtAbi, IsThatOfTheHeader) { SUCCEED() << "compiled against version " << CUBLAS_VERSION; }

}  // namespace

#else

TEST(CublasLtAbi, IsThatOfTheHeader) { GTEST_SKIP() << "no cublasLt.h here"; }

#endif
