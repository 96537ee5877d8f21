// What the simulated libcuda does for a library above it that brings kernels of its own, which is
// the simulated cuBLASLt. Both are of one build, so values of C++ may pass.
#pragma once

#include <cuda.h>

#include "model.hpp"
#include "translation.hpp"

namespace fakegpu {

/// Where a call of the library stands, and what the scenario has for it.
struct LibraryCall {
  /// Of the current context; null without one.
  const DeviceModel* model = nullptr;
  CUcontext context = nullptr;
  int status = 0;        ///< that the call must return at once; 0: it may go on
  bool corrupt = false;  ///< its kernel is to write a wrong bit
};

struct LibraryRules {
  bool no_algorithm = false;  ///< of this type
  int most_candidates = 0;    ///< 0: as many as there are
};

}  // namespace fakegpu

extern "C" {
/// Counts a call of `function`, and lets happen what the scenario says.
void fakegpu_library_call(const char* function, fakegpu::LibraryCall* answer);
/// What the scenario says about the search for algorithms; `type` as roofline calls it.
void fakegpu_library_rules(const char* type, fakegpu::LibraryRules* out);
/// The stream is to run it, or the graph that is being captured. What goes wrong in it is seen by
/// later calls. The request is copied; its kernel must live as long as the process.
CUresult fakegpu_library_submit(CUstream stream, const fakegpu::LaunchRequest* request);
}
