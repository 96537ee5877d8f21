// The driver API's copies and fills. What they do to memory is done at the call; when it is over
// is another matter, and bytes for page-locked host memory arrive no earlier than that.
#include <algorithm>
#include <cstring>

#include "api.hpp"
#include "submit.hpp"

using fakegpu::Allocation;
using fakegpu::Context;
using fakegpu::Driver;
using fakegpu::Stream;

namespace {

enum class Way { to_device, to_host, on_device };

struct Copy {
  Way way = Way::to_device;
  CUdeviceptr device = 0;
  CUdeviceptr device_source = 0;
  const void* source = nullptr;
  void* destination = nullptr;
  std::size_t bytes = 0;
};

double duration(const Driver& all, const Context& context, const Copy& copy) {
  const fakegpu::DeviceModel& model = context.device->model();
  const void* const host = copy.way == Way::to_device ? copy.source : copy.destination;
  double rate =
      all.pinned.holds(host, copy.bytes) ? model.pinned_bandwidth : model.pageable_bandwidth;
  if (copy.way == Way::on_device) rate = model.bandwidth * 0.4;  // each byte is read and written
  return all.scenario.costs.copy + static_cast<double>(copy.bytes) / rate;
}

/// Reserves the stream and the copy engine; returns when the copy is over.
double reserve(const Driver& all, Stream& stream, const Copy& copy) {
  fakegpu::Device& device = *stream.context->device;
  double& engine = copy.way == Way::on_device ? device.engine_free
                                              : device.copy_free[copy.way == Way::to_host ? 1 : 0];
  const double start = std::max(all.begin(stream), engine);
  stream.ready = engine = start + duration(all, *stream.context, copy);
  return stream.ready;
}

CUresult perform(Driver& all, Stream& stream, const Copy& copy) {
  Allocation* const memory = all.memory.find(copy.device, copy.bytes);
  if (memory == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Allocation* source = nullptr;
  if (copy.way == Way::on_device) {
    source = all.memory.find(copy.device_source, copy.bytes);
    if (source == nullptr) return CUDA_ERROR_INVALID_VALUE;
  }
  std::byte* const bytes = memory->host(copy.device);
  const double end = reserve(all, stream, copy);
  const fakegpu::Range here{copy.device, copy.device + copy.bytes};
  switch (copy.way) {
    case Way::to_device:
      all.queue.before_overwrite(here);
      std::memcpy(bytes, copy.source, copy.bytes);
      break;
    case Way::to_host:
      all.queue.before_use(here);
      if (all.pinned.holds(copy.destination, copy.bytes)) {
        stream.deliveries.push_back({end, copy.destination, {bytes, bytes + copy.bytes}});
      } else {
        std::memcpy(copy.destination, bytes, copy.bytes);
      }
      break;
    case Way::on_device:
      all.queue.before_use({copy.device_source, copy.device_source + copy.bytes});
      all.queue.before_overwrite(here);
      std::memmove(bytes, source->host(copy.device_source), copy.bytes);
      break;
  }
  return CUDA_SUCCESS;
}

CUresult waiting_copy(std::string_view site, const Copy& copy) {
  return fakegpu::uncaptured_call(site, [&](Driver& all, Context& context) -> CUresult {
    if (copy.bytes == 0) return CUDA_SUCCESS;
    if (const CUresult result = perform(all, context.legacy, copy)) return result;
    return fakegpu::synchronize(all, context, context.legacy.ready);
  });
}

CUresult queued_copy(std::string_view site, const Copy& copy, CUstream handle) {
  return fakegpu::submit(site, handle, [copy](Stream& stream, bool) -> CUresult {
    Driver& all = fakegpu::driver();
    if (copy.bytes == 0) return CUDA_SUCCESS;
    if (const CUresult result = perform(all, stream, copy)) return result;
    // Ordinary memory is staged while the host waits.
    const void* const host = copy.way == Way::to_device ? copy.source : copy.destination;
    const bool staged = copy.way != Way::on_device && !all.pinned.holds(host, copy.bytes);
    return staged ? fakegpu::synchronize(all, *stream.context, stream.ready) : CUDA_SUCCESS;
  });
}

void write_values(std::byte* to, unsigned char value, std::size_t count) {
  std::memset(to, value, count);
}

void write_values(std::byte* to, unsigned value, std::size_t count) {
  std::fill_n(reinterpret_cast<unsigned*>(to), count, value);
}

template <class T>
CUresult fill(CUdeviceptr device, T value, std::size_t count, Stream& stream) {
  Driver& all = fakegpu::driver();
  if (count == 0) return CUDA_SUCCESS;
  const std::size_t bytes = sizeof(T) * count;
  Allocation* const memory = all.memory.find(device, bytes);
  if (memory == nullptr || device % sizeof(T) != 0) return CUDA_ERROR_INVALID_VALUE;
  all.queue.before_overwrite({device, device + bytes});
  write_values(memory->host(device), value, count);
  fakegpu::Device& owner = *stream.context->device;
  const double start = std::max(all.begin(stream), owner.engine_free);
  const double rate = owner.model().bandwidth * 0.8;
  stream.ready = start + all.scenario.costs.kernel + static_cast<double>(bytes) / rate;
  owner.occupy(start, stream.ready);
  (void)owner.l2.touch(device, bytes);
  return CUDA_SUCCESS;
}

template <class T>
CUresult queued_fill(std::string_view site, CUdeviceptr device, T value, std::size_t count,
                     CUstream handle) {
  return fakegpu::submit(site, handle,
                         [=](Stream& stream, bool) { return fill(device, value, count, stream); });
}

}  // namespace

FAKEGPU_EXPORT CUresult CUDAAPI cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
  return waiting_copy("cuMemcpyHtoD", {.device = to, .source = from, .bytes = bytes});
}

FAKEGPU_EXPORT CUresult CUDAAPI cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
  return waiting_copy("cuMemcpyDtoH",
                      {.way = Way::to_host, .device = from, .destination = to, .bytes = bytes});
}

FAKEGPU_EXPORT CUresult CUDAAPI cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return waiting_copy("cuMemcpyDtoD",
                      {.way = Way::on_device, .device = to, .device_source = from, .bytes = bytes});
}

FAKEGPU_EXPORT CUresult CUDAAPI cuMemcpyHtoDAsync(CUdeviceptr to, const void* from,
                                                  std::size_t bytes, CUstream stream) {
  return queued_copy("cuMemcpyHtoDAsync", {.device = to, .source = from, .bytes = bytes}, stream);
}

FAKEGPU_EXPORT CUresult CUDAAPI cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes,
                                                  CUstream stream) {
  return queued_copy("cuMemcpyDtoHAsync",
                     {.way = Way::to_host, .device = from, .destination = to, .bytes = bytes},
                     stream);
}

FAKEGPU_EXPORT CUresult CUDAAPI cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from,
                                                  std::size_t bytes, CUstream stream) {
  return queued_copy("cuMemcpyDtoDAsync",
                     {.way = Way::on_device, .device = to, .device_source = from, .bytes = bytes},
                     stream);
}

FAKEGPU_EXPORT CUresult CUDAAPI cuMemsetD8(CUdeviceptr to, unsigned char value, std::size_t count) {
  return queued_fill("cuMemsetD8", to, value, count, nullptr);
}

FAKEGPU_EXPORT CUresult CUDAAPI cuMemsetD32(CUdeviceptr to, unsigned value, std::size_t count) {
  return queued_fill("cuMemsetD32", to, value, count, nullptr);
}

FAKEGPU_EXPORT CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr to, unsigned char value,
                                                std::size_t count, CUstream stream) {
  return queued_fill("cuMemsetD8Async", to, value, count, stream);
}

FAKEGPU_EXPORT CUresult CUDAAPI cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count,
                                                 CUstream stream) {
  return queued_fill("cuMemsetD32Async", to, value, count, stream);
}
