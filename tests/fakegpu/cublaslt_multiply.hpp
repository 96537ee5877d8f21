// c += op(a) op(b), column-major: by OpenBLAS where the build has it, by plain loops otherwise.
// Knows no types of a GPU.
#pragma once

#include <cstddef>

namespace fakegpu::lt {

/// Where a matrix lies, and whether it is meant transposed. `ld`: elements from column to column.
template <class T>
struct View {
  const T* data = nullptr;
  std::size_t ld = 0;
  bool transposed = false;
};

/// c is m x n, op(a) m x k, op(b) k x n.
void multiply(std::size_t m, std::size_t n, std::size_t k, View<float> a, View<float> b, float* c);
void multiply(std::size_t m, std::size_t n, std::size_t k, View<double> a, View<double> b,
              double* c);

/// The plain loops, whatever the build has.
void multiply_plain(std::size_t m, std::size_t n, std::size_t k, View<float> a, View<float> b,
                    float* c);
void multiply_plain(std::size_t m, std::size_t n, std::size_t k, View<double> a, View<double> b,
                    double* c);

}  // namespace fakegpu::lt
