#include "api.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <new>
#include <thread>

#include "codes.hpp"

namespace fakegpu {
namespace {

using Clock = std::chrono::steady_clock;

/// Also counted under a name for all of its kind.
std::string_view group_of(std::string_view site) {
  constexpr std::array<std::string_view, 3> waits{"cuCtxSynchronize", "cuStreamSynchronize",
                                                  "cuEventSynchronize"};
  if (std::find(waits.begin(), waits.end(), site) != waits.end()) return "sync";
  return site.rfind("cuMemcpy", 0) == 0 ? "copy" : std::string_view{};
}

/// Other threads go on meanwhile. The caller holds the lock, and holds it again afterwards.
void sleep_until(Clock::time_point time) {
  driver_mutex().unlock();
  constexpr auto hour = std::chrono::hours(1);  // sums with time_point::max() would overflow
  while (Clock::now() < time) {
    std::this_thread::sleep_for(std::min<Clock::duration>(hour, time - Clock::now()));
  }
  driver_mutex().lock();
}

/// What the scenario says about this call; success when nothing.
CUresult injected(std::string_view site, Context* context) {
  Driver& all = driver();
  const int index = context == nullptr ? kEveryDevice : context->device->index();
  const Fault* fault = all.faults.next(site, index);
  const std::string_view group = group_of(site);
  if (fault == nullptr && !group.empty()) fault = all.faults.next(group, index);
  if (fault == nullptr || fault->kind == FaultKind::corrupt) return CUDA_SUCCESS;
  if (fault->kind == FaultKind::hang) {
    hang(fault->seconds);
    return CUDA_SUCCESS;
  }
  if (context != nullptr) {
    if (fault->lost) context->device->lost = true;
    if (fault->lost || is_sticky(fault->code)) all.fail(*context, fault->code, all.host_now);
  }
  return static_cast<CUresult>(fault->code);
}

/// When the last call returned; the time since passes on the host too where a scenario says so.
Clock::time_point& last_return() {
  static Clock::time_point time = Clock::now();
  return time;
}

void pass_time(Driver& all) {
  all.host_now += all.scenario.costs.call;
  if (!all.scenario.host_follows_clock) return;
  all.host_now += std::chrono::duration<double>(Clock::now() - last_return()).count();
}

CUresult guarded(const std::function<CUresult()>& body) {
  const std::lock_guard lock(driver_mutex());
  CUresult result = CUDA_ERROR_UNKNOWN;
  if (driver().scenario.stub) return CUDA_ERROR_STUB_LIBRARY;
  pass_time(driver());
  try {
    result = body();
  } catch (const std::bad_alloc&) {
    result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  last_return() = Clock::now();
  return result;
}

CUresult sticky_error(const Driver& all, const Context& context) {
  return all.host_now >= context.error_time ? context.error : CUDA_SUCCESS;
}

}  // namespace

void hang(double seconds) {
  const auto time =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  sleep_until(seconds > 0 ? Clock::now() + time : Clock::time_point::max());
}

CUresult plain_call(std::string_view site, const std::function<CUresult(Driver&)>& body) {
  return guarded([&]() -> CUresult {
    if (const CUresult fault = injected(site, nullptr)) return fault;
    return body(driver());
  });
}

CUresult driver_call(std::string_view site, const std::function<CUresult(Driver&)>& body) {
  return guarded([&]() -> CUresult {
    if (!driver().initialised) return CUDA_ERROR_NOT_INITIALIZED;
    if (const CUresult fault = injected(site, nullptr)) return fault;
    return body(driver());
  });
}

CUresult device_call(std::string_view site, CUdevice device,
                     const std::function<CUresult(Driver&, Context&)>& body) {
  return guarded([&]() -> CUresult {
    Driver& all = driver();
    if (!all.initialised) return CUDA_ERROR_NOT_INITIALIZED;
    if (device < 0 || static_cast<std::size_t>(device) >= all.visible.size()) {
      return CUDA_ERROR_INVALID_DEVICE;
    }
    const auto index = static_cast<std::size_t>(all.visible[static_cast<std::size_t>(device)]);
    Context& context = *all.contexts[index];
    if (const CUresult fault = injected(site, &context)) return fault;
    return body(all, context);
  });
}

CUresult context_call(std::string_view site,
                      const std::function<CUresult(Driver&, Context&)>& body) {
  return guarded([&]() -> CUresult {
    Driver& all = driver();
    if (!all.initialised) return CUDA_ERROR_NOT_INITIALIZED;
    Context* const context = all.find_context(current_context());
    if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    if (!context->active) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (const CUresult error = sticky_error(all, *context)) return error;
    if (const CUresult fault = injected(site, context)) return fault;
    all.deliver();
    return body(all, *context);
  });
}

CUresult uncaptured_call(std::string_view site,
                         const std::function<CUresult(Driver&, Context&)>& body) {
  return context_call(site, [&](Driver& all, Context& context) {
    if (Capture* const capture = all.forbidding_capture()) {
      capture->invalidated = true;
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return body(all, context);
  });
}

CUresult synchronize(Driver& all, Context& context, double time) {
  sleep_until(context.hangs_until);
  all.wait_until(time);
  return sticky_error(all, context);
}

CUresult poll(Driver& all, const Context& context, double time) {
  if (Clock::now() < context.hangs_until) return CUDA_ERROR_NOT_READY;
  if (all.host_now >= time) {
    all.polls = 0;
    all.deliver();
    return sticky_error(all, context);
  }
  const double step = all.scenario.costs.call * std::ldexp(1.0, static_cast<int>(all.polls));
  all.polls = std::min(all.polls + 1, 40U);
  all.host_now = std::min(all.host_now + step, time);
  return CUDA_ERROR_NOT_READY;
}

}  // namespace fakegpu
