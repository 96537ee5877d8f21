// Shared memory of one block: the dynamic part and the arrays that kernels declare. All ones, a NaN
// of every floating-point type, when a block begins: what nobody wrote is not taken for a value.
// Under AddressSanitizer each part ends where it ends.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>

namespace simt {

class SharedMemory {
 public:
  explicit SharedMemory(std::size_t dynamic_bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  void begin_block();
  void* dynamic() { return dynamic_.get(); }
  /// The same array for the same key. Throws Error when a block has no more.
  void* array(const void* key, std::size_t bytes);

  static constexpr std::size_t kStaticBytes = std::size_t{48} * 1024;  ///< what CUDA allows

 private:
  static constexpr std::size_t kAlignment = 16;
  static constexpr std::size_t kGap = 32;
  static constexpr std::size_t kMostArrays = 16;
  struct Array {
    const void* key = nullptr;
    std::byte* begin = nullptr;
  };
  struct Free {
    void operator()(std::byte* p) const { operator delete[](p, std::align_val_t{kAlignment}); }
  };
  using Bytes = std::unique_ptr<std::byte[], Free>;
  static Bytes allocate(std::size_t bytes);

  std::size_t dynamic_bytes_;
  Bytes dynamic_;  // exactly as long as asked for
  // Set aside beforehand: what one thread allocates, ThreadSanitizer holds to be that thread's.
  Bytes static_ = allocate(kStaticBytes);
  std::size_t static_used_ = 0;
  std::array<Array, kMostArrays> arrays_{};
};

}  // namespace simt
