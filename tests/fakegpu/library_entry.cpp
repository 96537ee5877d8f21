#include "library_entry.hpp"

#include "api.hpp"
#include "codes.hpp"
#include "execution.hpp"
#include "submit.hpp"

using fakegpu::Context;
using fakegpu::Driver;
using fakegpu::Fault;
using fakegpu::FaultKind;
using fakegpu::LibraryCall;

namespace {

constexpr int kNotInitialized = 1;  // cublasStatus_t
constexpr int kExecutionFailed = 13;
constexpr int kNotSupported = 15;

/// A driver's result among the faults of a library: the device has it, the call only notices.
int apply(Driver& all, Context* context, const Fault& fault, LibraryCall& out) {
  switch (fault.kind) {
    case FaultKind::hang:
      fakegpu::hang(fault.seconds);
      return 0;
    case FaultKind::corrupt:
      out.corrupt = true;
      return 0;
    case FaultKind::error:
      break;
  }
  if (!fault.lost) return fault.code;
  if (context != nullptr) {
    context->device->lost = true;
    all.fail(*context, fault.code, all.host_now);
  }
  return kExecutionFailed;
}

}  // namespace

FAKEGPU_EXPORT void fakegpu_library_call(const char* function, LibraryCall* answer) {
  const std::lock_guard lock(fakegpu::driver_mutex());
  Driver& all = fakegpu::driver();
  LibraryCall& out = *answer;
  out = {};
  all.host_now += all.scenario.costs.call;
  Context* context = all.initialised ? all.find_context(fakegpu::current_context()) : nullptr;
  if (context != nullptr && !context->active) context = nullptr;
  if (context != nullptr) {
    out.model = &context->device->model();
    out.context = context->handle;
    const bool broken = context->error != CUDA_SUCCESS && all.host_now >= context->error_time;
    if (broken && std::string_view(function) == "cublasLtCreate") out.status = kNotInitialized;
  }
  for (const std::string& withheld : all.scenario.cublaslt.withheld) {
    if (fakegpu::matches(withheld, function)) out.status = kNotSupported;
  }
  const int index = context == nullptr ? fakegpu::kEveryDevice : context->device->index();
  if (const Fault* const fault = all.faults.next(function, index)) {
    out.status = apply(all, context, *fault, out);
  }
}

FAKEGPU_EXPORT void fakegpu_library_rules(const char* type, fakegpu::LibraryRules* out) {
  const std::lock_guard lock(fakegpu::driver_mutex());
  const fakegpu::CublasLtRules& rules = fakegpu::driver().scenario.cublaslt;
  *out = {.most_candidates = rules.most_candidates};
  for (const std::string& pattern : rules.without_algorithm) {
    if (fakegpu::matches(pattern, type)) out->no_algorithm = true;
  }
}

FAKEGPU_EXPORT CUresult fakegpu_library_submit(CUstream stream,
                                               const fakegpu::LaunchRequest* request) {
  return fakegpu::submit("launch", stream, [copy = *request](fakegpu::Stream& target, bool graph) {
    return fakegpu::execute(target, copy, graph);
  });
}
