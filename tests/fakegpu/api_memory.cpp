// The driver API's calls that give and take memory.
#include <algorithm>

#include "api.hpp"

using fakegpu::Context;
using fakegpu::Driver;

namespace {

/// What the driver itself keeps of the device's memory in each process.
std::uint64_t overhead(const fakegpu::DeviceModel& model) {
  return std::min(model.memory_bytes / 16, std::uint64_t{400} << 20);
}

std::uint64_t free_bytes(const Driver& all, const Context& context) {
  const fakegpu::DeviceModel& model = context.device->model();
  std::uint64_t taken = overhead(model) + all.memory.used(context.device->index());
  for (const fakegpu::Process& other : model.processes) taken += other.memory_bytes;
  return model.memory_bytes - std::min(taken, model.memory_bytes);
}

CUresult allocate(Driver& all, Context& context, CUdeviceptr* pointer, std::size_t bytes) {
  if (pointer == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  const std::uint64_t used = all.memory.used(context.device->index());
  const std::uint64_t limit = context.device->model().memory_limit_bytes;
  if (bytes > free_bytes(all, context) || (limit > 0 && used + bytes > limit)) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  const fakegpu::Allocation* const made = all.memory.allocate(context.device->index(), bytes);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  *pointer = made->address;
  return CUDA_SUCCESS;
}

CUresult allocate_pinned(Driver& all, void** pointer, std::size_t bytes) {
  if (pointer == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  *pointer = all.pinned.allocate(bytes);
  return *pointer == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

}  // namespace

FAKEGPU_EXPORT CUresult CUDAAPI cuMemGetInfo(std::size_t* free, std::size_t* total) {
  return fakegpu::context_call("cuMemGetInfo", [&](const Driver& all, const Context& context) {
    if (free == nullptr || total == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *total = context.device->model().memory_bytes;
    *free = free_bytes(all, context);
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuMemAlloc(CUdeviceptr* pointer, std::size_t bytes) {
  return fakegpu::uncaptured_call("cuMemAlloc", [&](Driver& all, Context& context) {
    return allocate(all, context, pointer, bytes);
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuMemFree(CUdeviceptr pointer) {
  return fakegpu::uncaptured_call("cuMemFree", [&](Driver& all, Context& context) {
    if (pointer == 0) return CUDA_SUCCESS;
    const fakegpu::Allocation* const allocation = all.memory.find(pointer);
    if (allocation == nullptr || allocation->address != pointer) return CUDA_ERROR_INVALID_VALUE;
    // It waits for everything that could still use the memory.
    if (const CUresult error = fakegpu::synchronize(all, context, all.idle_time(context))) {
      return error;
    }
    const fakegpu::Range bytes{pointer, pointer + allocation->bytes};
    if (all.queue.writes_to(bytes)) all.queue.before_overwrite(bytes);
    // Its readers may never have to run, and until then need what it holds.
    all.queue.keep(bytes, all.memory.take(pointer));
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuMemGetAddressRange(CUdeviceptr* base, std::size_t* bytes,
                                                     CUdeviceptr pointer) {
  return fakegpu::context_call("cuMemGetAddressRange", [&](Driver& all, Context&) {
    const fakegpu::Allocation* const allocation = all.memory.find(pointer);
    if (allocation == nullptr) return CUDA_ERROR_NOT_FOUND;
    if (base != nullptr) *base = allocation->address;
    if (bytes != nullptr) *bytes = allocation->bytes;
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuMemAllocHost(void** pointer, std::size_t bytes) {
  return fakegpu::uncaptured_call("cuMemAllocHost", [&](Driver& all, Context&) {
    return allocate_pinned(all, pointer, bytes);
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return fakegpu::uncaptured_call("cuMemHostAlloc", [&](Driver& all, Context&) {
    constexpr unsigned known =
        CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
    if ((flags & ~known) != 0) return CUDA_ERROR_INVALID_VALUE;
    return allocate_pinned(all, pointer, bytes);
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuMemFreeHost(void* pointer) {
  return fakegpu::uncaptured_call("cuMemFreeHost", [&](Driver& all, Context& context) {
    if (!all.pinned.holds(pointer)) return CUDA_ERROR_INVALID_VALUE;
    all.wait_until(all.idle_time(context));
    return all.pinned.release(pointer) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuMemHostGetDevicePointer(CUdeviceptr* device, void* host,
                                                          unsigned flags) {
  return fakegpu::context_call("cuMemHostGetDevicePointer", [&](Driver& all, Context&) {
    if (device == nullptr || flags != 0 || !all.pinned.holds(host)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *device = reinterpret_cast<CUdeviceptr>(host);  // one address space
    return CUDA_SUCCESS;
  });
}
