#include "simt/shared_memory.hpp"

#include <cstdint>
#include <cstring>
#include <string>

#include "simt/launch.hpp"
#include "simt/stack_notes.hpp"

#if defined(SIMT_ASAN)
#include <sanitizer/asan_interface.h>
#endif

namespace simt {
namespace {

constexpr int kUnwritten = 0xFF;

void forbid([[maybe_unused]] std::byte* begin, [[maybe_unused]] std::size_t bytes) {
#if defined(SIMT_ASAN)
  __asan_poison_memory_region(begin, bytes);
#endif
}

void allow([[maybe_unused]] std::byte* begin, [[maybe_unused]] std::size_t bytes) {
#if defined(SIMT_ASAN)
  __asan_unpoison_memory_region(begin, bytes);
#endif
}

}  // namespace

SharedMemory::Bytes SharedMemory::allocate(std::size_t bytes) {
  return Bytes(static_cast<std::byte*>(operator new[](bytes, std::align_val_t{kAlignment})));
}

SharedMemory::SharedMemory(std::size_t dynamic_bytes)
    : dynamic_bytes_(dynamic_bytes), dynamic_(allocate(dynamic_bytes)) {
  std::memset(static_.get(), kUnwritten, kStaticBytes);
  forbid(static_.get(), kStaticBytes);
}

SharedMemory::~SharedMemory() { allow(static_.get(), kStaticBytes); }

void SharedMemory::begin_block() {
  if (dynamic_bytes_ != 0) std::memset(dynamic_.get(), kUnwritten, dynamic_bytes_);
  allow(static_.get(), static_used_);
  if (static_used_ != 0) std::memset(static_.get(), kUnwritten, static_used_);
  forbid(static_.get(), static_used_);
  static_used_ = 0;
  arrays_ = {};
}

void* SharedMemory::array(const void* key, std::size_t bytes) {
  for (Array& array : arrays_) {
    if (array.key == key) return array.begin;
    if (array.key != nullptr) continue;
    const std::size_t gap = static_used_ == 0 ? 0 : kGap;
    const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (static_used_ + gap + rounded > kStaticBytes) break;
    array = {key, static_.get() + static_used_ + gap};
    static_used_ += gap + rounded;
    allow(array.begin, bytes);
    return array.begin;
  }
  throw Error(Cause::configuration, "a block cannot have " + std::to_string(bytes) +
                                        " bytes of shared memory more, after " +
                                        std::to_string(static_used_));
}

}  // namespace simt
