// The driver API's events: moments on a stream, kept in steps of the event resolution.
#include <algorithm>
#include <cmath>

#include "api.hpp"
#include "submit.hpp"

using fakegpu::Context;
using fakegpu::Driver;
using fakegpu::Event;
using fakegpu::Stream;

namespace {

Event* find_event(Driver& all, const Context& context, CUevent handle) {
  Event* const event = all.events.find(handle);
  return event != nullptr && event->context == &context ? event : nullptr;
}

CUresult record(CUevent handle, Stream& stream) {
  Driver& all = fakegpu::driver();
  Event* const event = find_event(all, *stream.context, handle);
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  stream.ready = all.begin(stream) + all.scenario.costs.event;
  event->time = stream.ready;
  event->recorded = true;
  event->captured = false;
  return CUDA_SUCCESS;
}

CUresult elapsed(float* milliseconds, CUevent first, CUevent second) {
  return fakegpu::context_call("cuEventElapsedTime", [&](Driver& all, Context& context) {
    const Event* const start = find_event(all, context, first);
    const Event* const end = find_event(all, context, second);
    if (start == nullptr || end == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (milliseconds == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!start->timed || !end->timed || !start->recorded || !end->recorded) {
      return CUDA_ERROR_INVALID_HANDLE;
    }
    if (std::max(start->time, end->time) > all.host_now) return CUDA_ERROR_NOT_READY;
    const double step = all.scenario.event_resolution;
    const double steps =
        step > 0 ? std::floor(end->time / step) - std::floor(start->time / step) : 0;
    const double seconds = step > 0 ? steps * step : end->time - start->time;
    *milliseconds = static_cast<float>(seconds * 1e3);
    return CUDA_SUCCESS;
  });
}

}  // namespace

FAKEGPU_EXPORT CUresult CUDAAPI cuEventCreate(CUevent* event, unsigned flags) {
  return fakegpu::context_call("cuEventCreate", [&](Driver& all, Context& context) {
    constexpr unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING;
    if (event == nullptr || (flags & ~known) != 0) return CUDA_ERROR_INVALID_VALUE;
    const bool timed = (flags & CU_EVENT_DISABLE_TIMING) == 0;
    *event = all.events.add(Event{.context = &context, .timed = timed});
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuEventDestroy(CUevent handle) {
  return fakegpu::context_call("cuEventDestroy", [&](Driver& all, const Context& context) {
    if (find_event(all, context, handle) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    all.events.erase(handle);
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuEventRecord(CUevent handle, CUstream stream) {
  return fakegpu::context_call("cuEventRecord", [&](Driver& all, Context& context) {
    Stream* const target = all.find_stream(context, stream);
    Event* const event = find_event(all, context, handle);
    if (target == nullptr || event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (!target->capture) return record(handle, *target);
    event->captured = true;
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuEventQuery(CUevent handle) {
  return fakegpu::context_call("cuEventQuery", [&](Driver& all, Context& context) -> CUresult {
    const Event* const event = find_event(all, context, handle);
    if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (event->captured) return CUDA_ERROR_CAPTURED_EVENT;
    return event->recorded ? fakegpu::poll(all, context, event->time) : CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuEventSynchronize(CUevent handle) {
  return fakegpu::context_call(
      "cuEventSynchronize", [&](Driver& all, Context& context) -> CUresult {
        const Event* const event = find_event(all, context, handle);
        if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
        if (event->captured) return CUDA_ERROR_CAPTURED_EVENT;
        return event->recorded ? fakegpu::synchronize(all, context, event->time) : CUDA_SUCCESS;
      });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuStreamWaitEvent(CUstream stream, CUevent handle, unsigned) {
  return fakegpu::context_call("cuStreamWaitEvent", [&](Driver& all, Context& context) {
    Stream* const target = all.find_stream(context, stream);
    const Event* const event = find_event(all, context, handle);
    if (target == nullptr || event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    // A capture that forks into other streams is more than this driver can do.
    if (event->captured) return CUDA_ERROR_NOT_SUPPORTED;
    if (target->capture) return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    if (event->recorded) target->ready = std::max(target->ready, event->time);
    return CUDA_SUCCESS;
  });
}

// Two names for one function: the second came with CUDA 12.8.
#undef cuEventElapsedTime
FAKEGPU_EXPORT CUresult CUDAAPI cuEventElapsedTime(float* milliseconds, CUevent start,
                                                   CUevent end) {
  return elapsed(milliseconds, start, end);
}
FAKEGPU_EXPORT CUresult CUDAAPI cuEventElapsedTime_v2(float* milliseconds, CUevent start,
                                                      CUevent end) {
  return elapsed(milliseconds, start, end);
}
