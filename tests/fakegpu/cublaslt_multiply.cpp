#include "cublaslt_multiply.hpp"

#include <algorithm>
#include <vector>

#ifdef FAKEGPU_OPENBLAS
#include <cblas.h>
#include <dlfcn.h>
#endif

namespace fakegpu::lt {
namespace {

constexpr std::size_t kRows = 512;  // of a block of op(a): with kDepth columns it stays in L2
constexpr std::size_t kDepth = 64;

/// c's rows [row, row + rows) += op(a)'s block there times op(b).
template <class T>
void add_block(std::size_t rows, std::size_t n, std::size_t depth, const T* block, View<T> b,
               std::size_t first, T* c, std::size_t ld) {
  for (std::size_t j = 0; j < n; ++j) {
    T* const out = c + j * ld;
    for (std::size_t p = 0; p < depth; ++p) {
      const std::size_t at = first + p;
      const T factor = b.transposed ? b.data[at * b.ld + j] : b.data[j * b.ld + at];
      const T* const column = block + p * rows;
      for (std::size_t i = 0; i < rows; ++i) out[i] += column[i] * factor;
    }
  }
}

template <class T>
void plain(std::size_t m, std::size_t n, std::size_t k, View<T> a, View<T> b, T* c) {
  std::vector<T> block(kRows * kDepth);
  for (std::size_t row = 0; row < m; row += kRows) {
    const std::size_t rows = std::min(kRows, m - row);
    for (std::size_t first = 0; first < k; first += kDepth) {
      const std::size_t depth = std::min(kDepth, k - first);
      for (std::size_t p = 0; p < depth; ++p) {
        for (std::size_t i = 0; i < rows; ++i) {
          block[p * rows + i] = a.transposed ? a.data[(row + i) * a.ld + first + p]
                                             : a.data[(first + p) * a.ld + row + i];
        }
      }
      add_block(rows, n, depth, block.data(), b, first, c + row, m);
    }
  }
}

}  // namespace

void multiply_plain(std::size_t m, std::size_t n, std::size_t k, View<float> a, View<float> b,
                    float* c) {
  plain(m, n, k, a, b, c);
}

void multiply_plain(std::size_t m, std::size_t n, std::size_t k, View<double> a, View<double> b,
                    double* c) {
  plain(m, n, k, a, b, c);
}

#ifdef FAKEGPU_OPENBLAS

namespace {

/// Opened when the first product is computed: few programs get as far, and it takes 20 ms. Null
/// where this machine has none, or another.
struct OpenBlas {
  decltype(&cblas_sgemm) sgemm = nullptr;
  decltype(&cblas_dgemm) dgemm = nullptr;

  OpenBlas() {
    void* const library = dlopen(FAKEGPU_OPENBLAS, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    sgemm = reinterpret_cast<decltype(sgemm)>(dlsym(library, "cblas_sgemm"));
    dgemm = reinterpret_cast<decltype(dgemm)>(dlsym(library, "cblas_dgemm"));
  }
};

template <class Gemm, class T>
void multiply_by(Gemm gemm, std::size_t m, std::size_t n, std::size_t k, View<T> a, View<T> b,
                 T* c) {
  if (gemm == nullptr) return plain(m, n, k, a, b, c);
  const auto whole = [](std::size_t size) { return static_cast<blasint>(size); };
  const auto way = [](const View<T>& view) { return view.transposed ? CblasTrans : CblasNoTrans; };
  gemm(CblasColMajor, way(a), way(b), whole(m), whole(n), whole(k), 1, a.data, whole(a.ld), b.data,
       whole(b.ld), 1, c, whole(m));
}

const OpenBlas& open_blas() {
  static const OpenBlas library;
  return library;
}

}  // namespace

void multiply(std::size_t m, std::size_t n, std::size_t k, View<float> a, View<float> b, float* c) {
  multiply_by(open_blas().sgemm, m, n, k, a, b, c);
}

void multiply(std::size_t m, std::size_t n, std::size_t k, View<double> a, View<double> b,
              double* c) {
  multiply_by(open_blas().dgemm, m, n, k, a, b, c);
}

#else

void multiply(std::size_t m, std::size_t n, std::size_t k, View<float> a, View<float> b, float* c) {
  plain(m, n, k, a, b, c);
}

void multiply(std::size_t m, std::size_t n, std::size_t k, View<double> a, View<double> b,
              double* c) {
  plain(m, n, k, a, b, c);
}

#endif

}  // namespace fakegpu::lt
