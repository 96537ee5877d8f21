// What tells the library of one release from that of another; all else is the same code.
#include <cstddef>

#define FAKEGPU_CUBLASLT extern "C" __attribute__((visibility("default")))

FAKEGPU_CUBLASLT std::size_t cublasLtGetVersion();
FAKEGPU_CUBLASLT std::size_t cublasLtGetCudartVersion();

FAKEGPU_CUBLASLT std::size_t cublasLtGetVersion() { return FAKEGPU_CUBLASLT_VERSION; }
FAKEGPU_CUBLASLT std::size_t cublasLtGetCudartVersion() { return FAKEGPU_CUDART_VERSION; }
