#include "backend/cuda/event.hpp"

#include <cmath>

namespace roofline::cuda {

Event::Event(Context& context) : context_(context), generation_(context.generation()) {
  context.driver().event_create(&event_, CU_EVENT_DEFAULT);
}

Event::~Event() {
  if (context_.generation() != generation_ || !context_.active()) return;
  static_cast<void>(context_.driver().event_destroy.result(event_));
}

void Event::record() { context_.driver().event_record(event_, context_.stream()); }

void Event::synchronize() { context_.driver().event_synchronize(event_); }

bool Event::reached() const {
  const CUresult result = context_.driver().event_query.result(event_);
  if (result == CUDA_SUCCESS) return true;
  if (result == CUDA_ERROR_NOT_READY) return false;
  throw CudaError(static_cast<int>(result), "cuEventQuery");
}

Seconds Event::since(const Event& begin) const {
  float milliseconds = 0;
  context_.driver().event_elapsed(&milliseconds, begin.event_, event_);
  if (!std::isfinite(milliseconds) || milliseconds < 0) return second(0);
  return second(static_cast<double>(milliseconds) * 1e-3);
}

}  // namespace roofline::cuda
