// Events: marks in a stream whose distance the device measures.
#pragma once

#include "backend/cuda/context.hpp"

namespace roofline::cuda {

class Event {
 public:
  explicit Event(Context& context);
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event();

  /// Behind what was enqueued so far.
  void record();
  void synchronize();
  /// Whether the stream has come this far.
  [[nodiscard]] bool reached() const;
  /// Never below 0, and 0 where the device's clock didn't move in between.
  [[nodiscard]] Seconds since(const Event& begin) const;

 private:
  Context& context_;
  unsigned generation_;
  CUevent event_ = nullptr;
};

}  // namespace roofline::cuda
