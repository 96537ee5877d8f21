// The driver API's streams, and capturing what they are told to do.
#include <functional>
#include <thread>

#include "api.hpp"
#include "submit.hpp"

using fakegpu::Capture;
using fakegpu::Context;
using fakegpu::Driver;
using fakegpu::Stream;

namespace {

/// A call that waits for or asks about a stream, which a capture would not survive.
CUresult on_stream(std::string_view site, CUstream handle,
                   const std::function<CUresult(Driver&, Context&, Stream&)>& body) {
  return fakegpu::context_call(site, [&](Driver& all, Context& context) -> CUresult {
    Stream* const stream = all.find_stream(context, handle);
    if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (stream->capture) {
      stream->capture->invalidated = true;
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return body(all, context, *stream);
  });
}

CUresult create(Driver& all, Context& context, CUstream* out, unsigned flags) {
  if (out == nullptr || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
  *out = all.streams.add(Stream{.context = &context, .blocking = flags == CU_STREAM_DEFAULT});
  return CUDA_SUCCESS;
}

}  // namespace

FAKEGPU_EXPORT CUresult CUDAAPI cuStreamCreate(CUstream* stream, unsigned flags) {
  return fakegpu::context_call("cuStreamCreate", [&](Driver& all, Context& context) {
    return create(all, context, stream, flags);
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int) {
  return fakegpu::context_call("cuStreamCreateWithPriority", [&](Driver& all, Context& context) {
    return create(all, context, stream, flags);
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuStreamDestroy(CUstream handle) {
  return fakegpu::context_call("cuStreamDestroy", [&](Driver& all, Context& context) {
    const Stream* const stream = all.streams.find(handle);
    if (stream == nullptr || stream->context != &context) return CUDA_ERROR_INVALID_HANDLE;
    // What it was told to do is still done.
    context.legacy.deliveries.insert(context.legacy.deliveries.end(), stream->deliveries.begin(),
                                     stream->deliveries.end());
    all.streams.erase(handle);
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuStreamSynchronize(CUstream handle) {
  return on_stream("cuStreamSynchronize", handle,
                   [](Driver& all, Context& context, Stream& stream) {
                     return fakegpu::synchronize(all, context, stream.ready);
                   });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuStreamQuery(CUstream handle) {
  return on_stream("cuStreamQuery", handle, [](Driver& all, Context& context, Stream& stream) {
    return fakegpu::poll(all, context, stream.ready);
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuStreamBeginCapture(CUstream handle, CUstreamCaptureMode mode) {
  return fakegpu::context_call("cuStreamBeginCapture", [&](Driver& all, Context& context) {
    Stream* const stream = all.find_stream(context, handle);
    if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (stream == &context.legacy) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (stream->capture) return CUDA_ERROR_ILLEGAL_STATE;
    stream->capture = Capture{.graph = {.context = &context},
                              .mode = mode,
                              .thread = std::hash<std::thread::id>{}(std::this_thread::get_id())};
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuStreamEndCapture(CUstream handle, CUgraph* graph) {
  return fakegpu::context_call("cuStreamEndCapture", [&](Driver& all, Context& context) {
    Stream* const stream = all.find_stream(context, handle);
    if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!stream->capture) return CUDA_ERROR_ILLEGAL_STATE;
    const Capture capture = std::move(*stream->capture);
    stream->capture.reset();
    *graph = nullptr;
    if (capture.invalidated) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    *graph = all.graphs.add(capture.graph);
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuStreamIsCapturing(CUstream handle,
                                                    CUstreamCaptureStatus* status) {
  return fakegpu::context_call("cuStreamIsCapturing", [&](Driver& all, Context& context) {
    const Stream* const stream = all.find_stream(context, handle);
    if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (status == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *status = !stream->capture               ? CU_STREAM_CAPTURE_STATUS_NONE
              : stream->capture->invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                             : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return CUDA_SUCCESS;
  });
}
