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
  if (bytes > SIZE_MAX - 2 * kHugePage)
    throw backend::BackendError("a buffer would exceed the address space");
  // A small array would have a whole huge page cleared for it. One of the size of an L2 is worth
  // it: on small pages, which lie anywhere, parts of the cache would have to hold more than their
  // share.
  const bool huge = bytes >= kHugePage / 16;
  const std::size_t alignment = huge ? kHugePage : kPage;
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  mapped_ = whole + alignment;
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
  if (huge) static_cast<void>(madvise(data_, whole, MADV_HUGEPAGE));
}

Buffer::~Buffer() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_);
}

}  // namespace roofline::cpu
