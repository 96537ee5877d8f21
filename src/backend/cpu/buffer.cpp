#include "backend/cpu/buffer.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>

#include "backend/backend.hpp"

namespace roofline::cpu {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kPage = 4096;

}  // namespace

Buffer::Buffer(std::size_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  if (bytes > SIZE_MAX - kHugePage)
    throw backend::BackendError("a buffer would exceed the address space");
  // A small array would have a whole huge page cleared for it.
  const std::size_t alignment = bytes < kHugePage ? kPage : kHugePage;
  mapped_ = bytes + alignment;
  void* const mapping =
      mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) {
    throw backend::BackendError("no " + std::to_string(bytes) +
                                " bytes of memory: " + std::generic_category().message(errno));
  }
  mapping_ = mapping;
  const auto address = reinterpret_cast<std::uintptr_t>(mapping);
  data_ = static_cast<std::byte*>(mapping) + (alignment - address % alignment) % alignment;
  // Advice only: without huge pages the figures are a few per cent lower and still true.
  if (alignment == kHugePage) static_cast<void>(madvise(data_, bytes, MADV_HUGEPAGE));
}

Buffer::~Buffer() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_);
}

}  // namespace roofline::cpu
