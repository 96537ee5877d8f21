#include "submit.hpp"

#include "api.hpp"

namespace fakegpu {

CUresult submit(std::string_view site, CUstream handle, const Operation& work) {
  return context_call(site, [&](Driver& all, Context& context) -> CUresult {
    Stream* const stream = all.find_stream(context, handle);
    if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (stream->capture) {
      if (stream->capture->invalidated) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
      stream->capture->graph.nodes.push_back(work);
      return CUDA_SUCCESS;
    }
    // The legacy stream waits for the one that is captured, which cannot be.
    if (stream == &context.legacy) {
      if (Capture* const capture = all.forbidding_capture()) {
        capture->invalidated = true;
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
      }
    }
    all.host_now += all.scenario.costs.launch;
    return work(*stream, false);
  });
}

}  // namespace fakegpu
