// Arrays for checks of kernels: inputs that host and device hold alike, and outputs between guards,
// so that what a kernel writes beyond its array, or leaves unwritten in it, is seen. Knows no
// kernel.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "backend/cuda/buffer.hpp"

namespace roofline::selftest {

using cuda::u32;
using cuda::u64;

template <class T>
struct Input {
  std::vector<T> host;
  cuda::Buffer device;

  Input(cuda::Context& context, std::vector<T> values)
      : host(std::move(values)), device(context, host.size() * sizeof(T)) {
    device.copy_from(0, std::as_bytes(std::span(host)));
  }
};

template <class T, class ElementAt>
[[nodiscard]] Input<T> input(cuda::Context& context, u64 n, const ElementAt& element_at) {
  std::vector<T> values(static_cast<std::size_t>(n));
  for (u64 i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = element_at(i);
  return Input<T>(context, std::move(values));
}

/// Every byte of it and of its guards is 0xff at first: NaN in every floating-point type.
class Output {
 public:
  Output(cuda::Context& context, u64 bytes);

  template <class T>
  [[nodiscard]] T* as() const {
    return buffer_.as<T>(kGuard);
  }
  void put(std::span<const std::byte> contents) { buffer_.copy_from(kGuard, contents); }

  /// Waits for what was launched. Throws CudaError when that failed.
  void take();
  /// Of what take() brought.
  [[nodiscard]] std::span<const std::byte> bytes() const {
    return std::span(taken_).subspan(kGuard, static_cast<std::size_t>(bytes_));
  }
  template <class T>
  [[nodiscard]] T at(u64 index) const {
    T out;
    std::memcpy(&out, taken_.data() + kGuard + index * sizeof(T), sizeof(T));
    return out;
  }
  [[nodiscard]] bool guards_whole() const;

 private:
  static constexpr u64 kGuard = 512;  ///< byte, on either side; keeps any alignment

  u64 bytes_;
  cuda::Buffer buffer_;
  std::vector<std::byte> taken_;
};

}  // namespace roofline::selftest
