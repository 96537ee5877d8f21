// The environment variables that checks know: one list for reading them and for looking at them.
#pragma once

namespace roofline::host {

inline constexpr const char* kVariables[] = {
    "OMP_NUM_THREADS",
    "OMP_THREAD_LIMIT",
    "OMP_WAIT_POLICY",
    "OMP_PROC_BIND",
    "OMP_PLACES",
    "GOMP_CPU_AFFINITY",
    "KMP_AFFINITY",
    "OPENBLAS_CORETYPE",
    "OPENBLAS_NUM_THREADS",
    "OPENBLAS_VERBOSE",
    "ONEDNN_MAX_CPU_ISA",
    "DNNL_MAX_CPU_ISA",
    "ONEDNN_DEFAULT_FPMATH_MODE",
    "DNNL_DEFAULT_FPMATH_MODE",
    "ONEDNN_VERBOSE",
    "DNNL_VERBOSE",
    "ONEDNN_JIT_DUMP",
    "DNNL_JIT_DUMP",
    "MKL_NUM_THREADS",
    "MKL_DYNAMIC",
    "MKL_ENABLE_INSTRUCTIONS",
    "MKL_DEBUG_CPU_TYPE",
    "LD_PRELOAD",
    "LD_AUDIT",
    "GLIBC_TUNABLES",
    "CUDA_MPS_PIPE_DIRECTORY",
    "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
};

}  // namespace roofline::host
