#include "kernels/cpu/stream.hpp"

#include <cstring>

namespace roofline::cpu {
namespace {

/// Keeps the compiler from turning a loop into a call of memcpy or memset, whose stores change
/// their kind with the size.
inline void barrier() { asm volatile("" : : : "memory"); }

constexpr std::size_t kBlock = 64;

std::uint64_t read_once(const std::byte* b, std::size_t bytes) {
  std::uint64_t sum = 0;
  std::size_t at = 0;
  for (; at + sizeof sum <= bytes; at += sizeof sum) {
    std::uint64_t word = 0;
    std::memcpy(&word, b + at, sizeof word);
    sum += word;
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, b + at, bytes - at);
  return sum + rest;
}

std::uint64_t read(const std::byte* b, std::size_t bytes, std::uint64_t passes) {
  std::uint64_t sum = 0;
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    sum += read_once(b, bytes);
    barrier();
  }
  return sum;
}

void write_once(std::byte* a, std::uint64_t pattern, std::size_t bytes) {
  std::size_t at = 0;
  for (; at + kBlock <= bytes; at += kBlock) {
    for (std::size_t k = 0; k < kBlock; k += sizeof pattern)
      std::memcpy(a + at + k, &pattern, sizeof pattern);
    barrier();
  }
  for (; at + sizeof pattern <= bytes; at += sizeof pattern)
    std::memcpy(a + at, &pattern, sizeof pattern);
  std::memcpy(a + at, &pattern, bytes - at);
}

void write(std::byte* a, std::uint64_t pattern, std::size_t bytes, std::uint64_t passes) {
  for (std::uint64_t pass = 0; pass < passes; ++pass) write_once(a, pattern, bytes);
}

void copy_once(std::byte* a, const std::byte* b, std::size_t bytes) {
  std::size_t at = 0;
  for (; at + kBlock <= bytes; at += kBlock) {
    std::memcpy(a + at, b + at, kBlock);
    barrier();
  }
  std::memcpy(a + at, b + at, bytes - at);
}

void copy(std::byte* a, const std::byte* b, std::size_t bytes, std::uint64_t passes) {
  for (std::uint64_t pass = 0; pass < passes; ++pass) copy_once(a, b, bytes);
}

/// a[i] = value(i), again and again, without a pass being left out for giving the same.
template <class T, class Value>
inline void fill(T* a, std::size_t n, std::uint64_t passes, Value&& value) {
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    for (std::size_t i = 0; i < n; ++i) a[i] = value(i);
    barrier();
  }
}

template <class T>
void scale(T* a, const T* b, T s, std::size_t n, std::uint64_t passes) {
  fill(a, n, passes, [=](std::size_t i) { return s * b[i]; });
}

template <class T>
void add(T* a, const T* b, const T* c, std::size_t n, std::uint64_t passes) {
  fill(a, n, passes, [=](std::size_t i) { return b[i] + c[i]; });
}

template <class T>
void triad(T* a, const T* b, const T* c, T s, std::size_t n, std::uint64_t passes) {
  fill(a, n, passes, [=](std::size_t i) { return b[i] + s * c[i]; });
}

template <class T>
void update(T* a, T s, std::size_t n, std::uint64_t passes) {
  fill(a, n, passes, [=](std::size_t i) { return s * a[i]; });
}

template <class T>
constexpr ArithmeticKernels<T> arithmetic() {
  return {scale<T>, add<T>, triad<T>, update<T>};
}

}  // namespace

const StreamKernels kStreamPortable = {
    Isa::portable, false, read, read, write, copy, arithmetic<float>(), arithmetic<double>()};

const StreamKernels& stream_kernels(Isa isa, bool non_temporal) {
#if defined(__x86_64__)
  if (isa == Isa::avx512) return kStreamAvx512[non_temporal ? 1 : 0];
  if (isa == Isa::avx2) return kStreamAvx2[non_temporal ? 1 : 0];
#else
  static_cast<void>(isa);
  static_cast<void>(non_temporal);
#endif
  return kStreamPortable;
}

}  // namespace roofline::cpu
