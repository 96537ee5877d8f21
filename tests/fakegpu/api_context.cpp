// The driver API's calls about primary contexts.
#include "api.hpp"

using fakegpu::Context;
using fakegpu::Driver;

FAKEGPU_EXPORT CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext* out, CUdevice device) {
  return fakegpu::device_call("cuDevicePrimaryCtxRetain", device,
                              [&](Driver&, Context& context) -> CUresult {
                                if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
                                const fakegpu::Device& owner = *context.device;
                                if (owner.hardware_error != 0)
                                  return static_cast<CUresult>(owner.hardware_error);
                                if (owner.lost) return CUDA_ERROR_DEVICE_UNAVAILABLE;
                                context.active = true;
                                ++context.retained;
                                *out = context.handle;
                                return CUDA_SUCCESS;
                              });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice device) {
  return fakegpu::device_call("cuDevicePrimaryCtxRelease", device,
                              [&](Driver& all, Context& context) {
                                if (context.retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
                                if (--context.retained == 0) all.destroy(context);
                                return CUDA_SUCCESS;
                              });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuDevicePrimaryCtxReset(CUdevice device) {
  return fakegpu::device_call("cuDevicePrimaryCtxReset", device,
                              [&](Driver& all, Context& context) {
                                all.destroy(context);
                                return CUDA_SUCCESS;
                              });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return fakegpu::device_call("cuDevicePrimaryCtxSetFlags", device, [&](Driver&, Context& context) {
    context.flags = flags;
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags,
                                                           int* active) {
  return fakegpu::device_call("cuDevicePrimaryCtxGetState", device, [&](Driver&, Context& context) {
    if (flags == nullptr || active == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *flags = context.flags;
    *active = context.active ? 1 : 0;
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuCtxSetCurrent(CUcontext handle) {
  return fakegpu::driver_call("cuCtxSetCurrent", [&](Driver& all) {
    const Context* const context = all.find_context(handle);
    if (handle != nullptr && context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    if (context != nullptr && !context->active) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    fakegpu::current_context() = handle;
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuCtxGetCurrent(CUcontext* handle) {
  return fakegpu::driver_call("cuCtxGetCurrent", [&](Driver&) {
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *handle = fakegpu::current_context();
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuCtxGetDevice(CUdevice* device) {
  return fakegpu::context_call("cuCtxGetDevice", [&](const Driver& all, const Context& context) {
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t i = 0; i < all.visible.size(); ++i) {
      if (all.visible[i] == context.device->index()) *device = static_cast<CUdevice>(i);
    }
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuCtxSynchronize() {
  return fakegpu::uncaptured_call("cuCtxSynchronize", [](Driver& all, Context& context) {
    return fakegpu::synchronize(all, context, all.idle_time(context));
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuCtxGetLimit(std::size_t* value, CUlimit limit) {
  return fakegpu::context_call("cuCtxGetLimit", [&](Driver&, Context& context) {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto set = context.limits.find(static_cast<int>(limit));
    *value = set == context.limits.end() ? 0 : set->second;
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuCtxSetLimit(CUlimit limit, std::size_t value) {
  return fakegpu::context_call("cuCtxSetLimit", [&](Driver&, Context& context) {
    const bool known = limit <= CU_LIMIT_PERSISTING_L2_CACHE_SIZE;
    if (!known) return CUDA_ERROR_UNSUPPORTED_LIMIT;
    context.limits[static_cast<int>(limit)] = value;
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuCtxResetPersistingL2Cache() {
  return fakegpu::context_call("cuCtxResetPersistingL2Cache",
                               [](Driver&, Context& context) -> CUresult {
                                 const bool has = context.device->model().major >= 8;
                                 return has ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
                               });
}
