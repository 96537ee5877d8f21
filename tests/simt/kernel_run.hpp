// For tests: memory as a device hands it out, kernels by name with typed arguments. Nothing here is
// compiled as device code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "simt/launch.hpp"
#include "simt/memory.hpp"
#include "simt/registry.hpp"

namespace simt {

/// An array that ends where it ends. Aligned to 16 bytes and to no more. Born as NaN (all ones).
template <class T>
class Array {
 public:
  explicit Array(std::size_t count) : count_(count), memory_(allocate(count)) {
    std::memset(memory_, 0xFF, kOffset + bytes());
  }
  ~Array() { operator delete[](memory_, std::align_val_t{kAlignment}); }
  Array(Array&& other) noexcept
      : count_(other.count_), memory_(std::exchange(other.memory_, nullptr)) {}
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  Array& operator=(Array&&) = delete;

  T* data() { return reinterpret_cast<T*>(memory_ + kOffset); }
  const T* data() const { return reinterpret_cast<const T*>(memory_ + kOffset); }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::size_t bytes() const { return count_ * sizeof(T); }

 private:
  static constexpr std::size_t kAlignment = 256;
  static constexpr std::size_t kOffset = 16;
  static std::byte* allocate(std::size_t count) {
    const std::size_t bytes = kOffset + count * sizeof(T);
    return static_cast<std::byte*>(operator new[](bytes, std::align_val_t{kAlignment}));
  }

  std::size_t count_;
  std::byte* memory_;
};

/// The kernel `name`, which must be one of kernels.def.
inline const EmulatedKernel& kernel(const std::string& name) {
  const EmulatedKernel* const found = find_kernel("roofline_" + name);
  if (found == nullptr) throw std::invalid_argument("there is no kernel " + name);
  return *found;
}

/// Arguments must have the sizes that the kernel says, and be pointers where it does.
template <class... Arguments>
Stats run(const EmulatedKernel& kernel, const Launch& launch, Arguments... arguments) {
  constexpr std::size_t count = sizeof...(Arguments);
  const std::array<Parameter, count> given{
      // NOLINTNEXTLINE(bugprone-sizeof-expression): a pointer is what is passed
      Parameter{sizeof(Arguments), std::is_pointer_v<Arguments>}...};
  if (count != kernel.parameters.size()) {
    throw std::invalid_argument(std::string(kernel.name) + " takes another number of arguments");
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (given[i].size != kernel.parameters[i].size ||
        given[i].pointer != kernel.parameters[i].pointer) {
      throw std::invalid_argument(std::string(kernel.name) + ": argument " + std::to_string(i) +
                                  " is of another type");
    }
  }
  std::array<void*, count + 1> pointers{static_cast<void*>(&arguments)..., nullptr};
  return kernel.run(launch, pointers.data());
}

/// A generator of test data; C++'s distributions differ from library to library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {  // splitmix64
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  /// In [-1, 1), with a full significand.
  double uniform() {
    return static_cast<double>(static_cast<std::int64_t>(bits()) >> 10) * 0x1p-53;
  }
  /// In [low, high].
  int integer(int low, int high) {
    return low + static_cast<int>(bits() % static_cast<std::uint64_t>(high - low + 1));
  }

 private:
  std::uint64_t state_;
};

/// Kernels of kernels.def whose names begin so.
inline std::vector<std::string> kernels_named(const std::string& prefix) {
  std::vector<std::string> names;
  for (const EmulatedKernel& kernel : emulated_kernels()) {
    if (kernel.name.starts_with(prefix)) names.emplace_back(kernel.name);
  }
  return names;
}

/// The n-th word of a kernel's name: `fp32` is word 2 of `stream_triad_fp32_u4_cs`.
inline std::string word(const std::string& name, std::size_t nth) {
  std::size_t from = 0;
  for (; nth > 0; --nth) from = name.find('_', from) + 1;
  return name.substr(from, name.find('_', from) - from);
}

}  // namespace simt
