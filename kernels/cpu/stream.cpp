#include "kernels/cpu/stream.hpp"

#include <cstring>

namespace roofline::cpu {
namespace {

/// Keeps the compiler from turning a loop into a call of memcpy or memset, whose stores change
/// their kind with the size.
inline void barrier() { asm volatile("" : : : "memory"); }

constexpr std::size_t kBlock = 64;

std::uint64_t read(const std::byte* b, std::size_t bytes) {
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

void write(std::byte* a, std::uint64_t pattern, std::size_t bytes) {
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

void copy(std::byte* a, const std::byte* b, std::size_t bytes) {
  std::size_t at = 0;
  for (; at + kBlock <= bytes; at += kBlock) {
    std::memcpy(a + at, b + at, kBlock);
    barrier();
  }
  std::memcpy(a + at, b + at, bytes - at);
}

template <class T>
void scale(T* a, const T* b, T s, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) a[i] = s * b[i];
}

template <class T>
void add(T* a, const T* b, const T* c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + c[i];
}

template <class T>
void triad(T* a, const T* b, const T* c, T s, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + s * c[i];
}

}  // namespace

const StreamKernels kStreamPortable = {Isa::portable,
                                       false,
                                       read,
                                       write,
                                       copy,
                                       {scale<float>, add<float>, triad<float>},
                                       {scale<double>, add<double>, triad<double>}};

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
