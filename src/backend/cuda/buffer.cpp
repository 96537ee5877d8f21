#include "backend/cuda/buffer.hpp"

#include "backend/size_text.hpp"

namespace roofline::cuda {
namespace {

constexpr int kOutOfMemory = 2;

/// What the driver says is free, for the sentence; nothing where it doesn't say.
std::string memory_text(Context& context) {
  try {
    const MemoryInfo memory = context.memory();
    return backend::size_text(static_cast<double>(memory.free)) + " of " +
           backend::size_text(static_cast<double>(memory.total)) + " are free on " +
           context.device_id();
  } catch (const CudaError&) {
    return "how much is free, " + context.device_id() + " doesn't say";
  }
}

}  // namespace

Buffer::Buffer(Context& context, std::uint64_t bytes, const std::string& what_fits)
    : context_(&context), generation_(context.generation()), bytes_(bytes) {
  if (bytes == 0) return;
  try {
    context.driver().mem_alloc(&address_, bytes);
  } catch (const CudaError& error) {
    if (error.code() != kOutOfMemory) throw;
    std::string detail = backend::size_text(static_cast<double>(bytes)) + " were asked for and " +
                         memory_text(context);
    if (!what_fits.empty()) detail += "; " + what_fits;
    throw CudaError(kOutOfMemory, "cuMemAlloc", detail);
  }
}

Buffer::~Buffer() {
  // With an older context went its memory.
  if (address_ == 0 || context_->generation() != generation_ || !context_->active()) return;
  try {
    context_->use();
  } catch (const backend::BackendError&) {
    return;
  }
  static_cast<void>(context_->driver().mem_free.result(address_));
}

void Buffer::copy_from(std::uint64_t offset, std::span<const std::byte> from) {
  if (from.empty()) return;
  context_->driver().copy_to_device_async(address(offset), from.data(), from.size(),
                                          context_->stream());
  context_->synchronize();
}

void Buffer::copy_to(std::uint64_t offset, std::span<std::byte> to) const {
  if (to.empty()) return;
  context_->driver().copy_to_host_async(to.data(), address(offset), to.size(), context_->stream());
  context_->synchronize();
}

void Buffer::set(unsigned char value) {
  if (bytes_ != 0) context_->driver().memset_async(address_, value, bytes_, context_->stream());
}

HostBuffer::HostBuffer(Context& context, std::uint64_t bytes)
    : context_(&context), generation_(context.generation()), bytes_(bytes) {
  if (bytes == 0) return;
  void* data = nullptr;
  try {
    context.driver().host_alloc(&data, bytes, 0);
  } catch (const CudaError& error) {
    if (error.code() != kOutOfMemory) throw;
    throw CudaError(kOutOfMemory, "cuMemHostAlloc",
                    backend::size_text(static_cast<double>(bytes)) +
                        " of pinned host memory were asked for, and the host has no room for them");
  }
  data_ = static_cast<std::byte*>(data);
}

HostBuffer::~HostBuffer() {
  if (data_ == nullptr || !valid() || !context_->active()) return;
  try {
    context_->use();
  } catch (const backend::BackendError&) {
    return;
  }
  static_cast<void>(context_->driver().host_free.result(data_));
}

bool HostBuffer::valid() const {
  return context_ != nullptr && context_->generation() == generation_;
}

}  // namespace roofline::cuda
