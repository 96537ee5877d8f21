// Memory of the device and pinned memory of the host, freed with their owner. A pointer to the
// device's memory is a number here: it's handed to kernels and copies, and never followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "backend/cuda/context.hpp"

namespace roofline::cuda {

class Buffer {
 public:
  Buffer() = default;
  /// Throws BackendError that says what was asked for and what is free; `what_fits` ends the
  /// sentence. 0 bytes take none.
  Buffer(Context& context, std::uint64_t bytes, const std::string& what_fits = {});
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] CUdeviceptr address(std::uint64_t offset = 0) const { return address_ + offset; }
  /// For launch(); `offset` in byte.
  template <class T>
  [[nodiscard]] T* as(std::uint64_t offset = 0) const {
    return reinterpret_cast<T*>(address_ + offset);
  }

  /// In the order of the stream. Both wait until the copy is done.
  void copy_from(std::uint64_t offset, std::span<const std::byte> from);
  void copy_to(std::uint64_t offset, std::span<std::byte> to) const;
  /// Every byte becomes `value`, in the order of the stream.
  void set(unsigned char value);

 private:
  void swap(Buffer& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(generation_, other.generation_);
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
  }

  Context* context_ = nullptr;
  unsigned generation_ = 0;
  CUdeviceptr address_ = 0;
  std::uint64_t bytes_ = 0;
};

/// Pinned: the device copies from and to it on its own.
class HostBuffer {
 public:
  HostBuffer() = default;
  HostBuffer(Context& context, std::uint64_t bytes);
  HostBuffer(HostBuffer&& other) noexcept { swap(other); }
  HostBuffer& operator=(HostBuffer&& other) noexcept {
    HostBuffer(std::move(other)).swap(*this);
    return *this;
  }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  ~HostBuffer();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Whether it was taken under this making of the context.
  [[nodiscard]] bool valid() const;

 private:
  void swap(HostBuffer& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(generation_, other.generation_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }

  Context* context_ = nullptr;
  unsigned generation_ = 0;
  std::byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace roofline::cuda
