// Passes over arrays, in the words of STREAM. What moves bits only (read, write, copy) knows no
// type. The stores are regular ones, which read their line first, or non-temporal ones, which do
// not.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/isa.hpp"

namespace roofline::cpu {

/// Every kernel goes over its arrays `passes` times: arrays in a cache are passed over faster than
/// a function is called.
template <class T>
struct ArithmeticKernels {
  using Count = std::size_t;
  void (*scale)(T* a, const T* b, T s, Count n, std::uint64_t passes);       ///< a = s * b
  void (*add)(T* a, const T* b, const T* c, Count n, std::uint64_t passes);  ///< a = b + c
  /// a = b + s * c, rounded once or twice
  void (*triad)(T* a, const T* b, const T* c, T s, Count n, std::uint64_t passes);
  /// a = s * a in place, with regular stores: the line is there already.
  void (*update)(T* a, T s, Count n, std::uint64_t passes);
};

/// Arrays may start anywhere that is aligned for their element (8 bytes where there is no type) and
/// have any length.
struct StreamKernels {
  Isa isa;
  bool non_temporal;
  /// The sum of the 64-bit words modulo 2^64, the last one filled up with zeros, over all passes: a
  /// checksum in which every bit counts and no order of summing matters.
  std::uint64_t (*read)(const std::byte* b, std::size_t bytes, std::uint64_t passes);
  /// The same for arrays in a cache: it asks for nothing ahead, so that every load is one of data.
  std::uint64_t (*read_cached)(const std::byte* b, std::size_t bytes, std::uint64_t passes);
  void (*write)(std::byte* a, std::uint64_t pattern, std::size_t bytes, std::uint64_t passes);
  void (*copy)(std::byte* a, const std::byte* b, std::size_t bytes, std::uint64_t passes);
  ArithmeticKernels<float> f32;
  ArithmeticKernels<double> f64;
};

/// The portable kernels have regular stores only: `non_temporal` is then a wish that is not
/// granted.
[[nodiscard]] const StreamKernels& stream_kernels(Isa isa, bool non_temporal);

// One table per file.
extern const StreamKernels kStreamPortable;
#if defined(__x86_64__)
extern const StreamKernels kStreamAvx2[2];  ///< regular, non-temporal
extern const StreamKernels kStreamAvx512[2];
#endif

}  // namespace roofline::cpu
