// What every exported call does first: take the lock, let the host's time pass, fail where the
// scenario or an earlier error says so. And the export itself.
#pragma once

#include <cuda.h>

#include <functional>
#include <string_view>

#include "driver.hpp"

/// Before each function of the API.
#define FAKEGPU_EXPORT extern "C" __attribute__((visibility("default")))

namespace fakegpu {

/// Calls that work before cuInit, and without a device.
CUresult plain_call(std::string_view site, const std::function<CUresult(Driver&)>& body);
/// Calls about devices: after cuInit.
CUresult driver_call(std::string_view site, const std::function<CUresult(Driver&)>& body);
/// Calls about one device.
CUresult device_call(std::string_view site, CUdevice device,
                     const std::function<CUresult(Driver&, Context&)>& body);
/// Calls in the current context.
CUresult context_call(std::string_view site,
                      const std::function<CUresult(Driver&, Context&)>& body);
/// The same, of calls that may wait or may allocate: not while a stream is captured.
CUresult uncaptured_call(std::string_view site,
                         const std::function<CUresult(Driver&, Context&)>& body);

/// The host waits until `time`; an error that happened meanwhile comes out.
CUresult synchronize(Driver& all, Context& context, double time);
/// Comes back after `seconds` of real time; 0: never. Call with the lock held.
void hang(double seconds);
/// Says not ready until `time`; queries in a row take longer and longer, so that polling ends.
CUresult poll(Driver& all, const Context& context, double time);

}  // namespace fakegpu
