// The CUDA driver as a table of functions that were found in libcuda when the program ran. What
// the driver doesn't have is absent from the table, and no error until a point needs it. The one
// place where names of symbols stand.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <string>

#include "backend/cuda/cuda_error.hpp"

namespace roofline::cuda {

/// One function of the driver. Called as a function it throws CudaError when it fails.
template <class... Parameters>
class DriverFunction {
 public:
  using Pointer = CUresult(CUDAAPI*)(Parameters...);

  explicit constexpr DriverFunction(const char* name) : name_(name) {}

  void bind(Pointer pointer) { pointer_ = pointer; }
  [[nodiscard]] bool present() const { return pointer_ != nullptr; }

  void operator()(Parameters... parameters) const {
    if (pointer_ == nullptr) throw_missing(name_);
    if (const CUresult result = pointer_(parameters...); result != CUDA_SUCCESS)
      throw CudaError(static_cast<int>(result), name_);
  }
  /// For answers that are none of our errors, and for destructors. CUDA_ERROR_NOT_FOUND when the
  /// driver has no such function.
  [[nodiscard]] CUresult result(Parameters... parameters) const noexcept {
    return pointer_ == nullptr ? CUDA_ERROR_NOT_FOUND : pointer_(parameters...);
  }

 private:
  const char* name_;
  Pointer pointer_ = nullptr;
};

// X(member, name, symbol, older symbol of the same signature or nullptr, parameter types...).
// Symbols are spelled out with their versions because the header's macros pick those of its own
// release: a header of CUDA 12 and one of CUDA 13 make the same table.
#define ROOFLINE_DRIVER_FUNCTIONS(X)                                                               \
  X(init, "cuInit", "cuInit", nullptr, unsigned)                                                   \
  X(driver_version, "cuDriverGetVersion", "cuDriverGetVersion", nullptr, int*)                     \
  X(device_count, "cuDeviceGetCount", "cuDeviceGetCount", nullptr, int*)                           \
  X(device, "cuDeviceGet", "cuDeviceGet", nullptr, CUdevice*, int)                                 \
  X(device_name, "cuDeviceGetName", "cuDeviceGetName", nullptr, char*, int, CUdevice)              \
  X(device_attribute, "cuDeviceGetAttribute", "cuDeviceGetAttribute", nullptr, int*,               \
    CUdevice_attribute, CUdevice)                                                                  \
  X(device_memory, "cuDeviceTotalMem", "cuDeviceTotalMem_v2", nullptr, std::size_t*, CUdevice)     \
  X(device_uuid, "cuDeviceGetUuid", "cuDeviceGetUuid_v2", "cuDeviceGetUuid", CUuuid*, CUdevice)    \
  X(device_pci, "cuDeviceGetPCIBusId", "cuDeviceGetPCIBusId", nullptr, char*, int, CUdevice)       \
  X(primary_retain, "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRetain", nullptr, CUcontext*,   \
    CUdevice)                                                                                      \
  X(primary_release, "cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxRelease_v2",                  \
    "cuDevicePrimaryCtxRelease", CUdevice)                                                         \
  X(primary_reset, "cuDevicePrimaryCtxReset", "cuDevicePrimaryCtxReset_v2",                        \
    "cuDevicePrimaryCtxReset", CUdevice)                                                           \
  X(set_current, "cuCtxSetCurrent", "cuCtxSetCurrent", nullptr, CUcontext)                         \
  X(memory_info, "cuMemGetInfo", "cuMemGetInfo_v2", nullptr, std::size_t*, std::size_t*)           \
  X(mem_alloc, "cuMemAlloc", "cuMemAlloc_v2", nullptr, CUdeviceptr*, std::size_t)                  \
  X(mem_free, "cuMemFree", "cuMemFree_v2", nullptr, CUdeviceptr)                                   \
  X(host_alloc, "cuMemHostAlloc", "cuMemHostAlloc", nullptr, void**, std::size_t, unsigned)        \
  X(host_free, "cuMemFreeHost", "cuMemFreeHost", nullptr, void*)                                   \
  X(copy_to_device_async, "cuMemcpyHtoDAsync", "cuMemcpyHtoDAsync_v2", nullptr, CUdeviceptr,       \
    const void*, std::size_t, CUstream)                                                            \
  X(copy_to_host_async, "cuMemcpyDtoHAsync", "cuMemcpyDtoHAsync_v2", nullptr, void*, CUdeviceptr,  \
    std::size_t, CUstream)                                                                         \
  X(memset_async, "cuMemsetD8Async", "cuMemsetD8Async", nullptr, CUdeviceptr, unsigned char,       \
    std::size_t, CUstream)                                                                         \
  X(stream_create, "cuStreamCreate", "cuStreamCreate", nullptr, CUstream*, unsigned)               \
  X(stream_destroy, "cuStreamDestroy", "cuStreamDestroy_v2", nullptr, CUstream)                    \
  X(stream_synchronize, "cuStreamSynchronize", "cuStreamSynchronize", nullptr, CUstream)           \
  X(event_create, "cuEventCreate", "cuEventCreate", nullptr, CUevent*, unsigned)                   \
  X(event_destroy, "cuEventDestroy", "cuEventDestroy_v2", nullptr, CUevent)                        \
  X(event_record, "cuEventRecord", "cuEventRecord", nullptr, CUevent, CUstream)                    \
  X(event_synchronize, "cuEventSynchronize", "cuEventSynchronize", nullptr, CUevent)               \
  X(event_query, "cuEventQuery", "cuEventQuery", nullptr, CUevent)                                 \
  X(event_elapsed, "cuEventElapsedTime", "cuEventElapsedTime_v2", "cuEventElapsedTime", float*,    \
    CUevent, CUevent)                                                                              \
  X(module_load, "cuModuleLoadData", "cuModuleLoadData", nullptr, CUmodule*, const void*)          \
  X(module_unload, "cuModuleUnload", "cuModuleUnload", nullptr, CUmodule)                          \
  X(module_function, "cuModuleGetFunction", "cuModuleGetFunction", nullptr, CUfunction*, CUmodule, \
    const char*)                                                                                   \
  X(function_attribute, "cuFuncGetAttribute", "cuFuncGetAttribute", nullptr, int*,                 \
    CUfunction_attribute, CUfunction)                                                              \
  X(function_set_attribute, "cuFuncSetAttribute", "cuFuncSetAttribute", nullptr, CUfunction,       \
    CUfunction_attribute, int)                                                                     \
  X(function_parameter, "cuFuncGetParamInfo", "cuFuncGetParamInfo", nullptr, CUfunction,           \
    std::size_t, std::size_t*, std::size_t*)                                                       \
  X(launch_kernel, "cuLaunchKernel", "cuLaunchKernel", nullptr, CUfunction, unsigned, unsigned,    \
    unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**, void**)                    \
  X(blocks_per_sm, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                  \
    "cuOccupancyMaxActiveBlocksPerMultiprocessor", nullptr, int*, CUfunction, int, std::size_t)    \
  X(capture_begin, "cuStreamBeginCapture", "cuStreamBeginCapture_v2", nullptr, CUstream,           \
    CUstreamCaptureMode)                                                                           \
  X(capture_end, "cuStreamEndCapture", "cuStreamEndCapture", nullptr, CUstream, CUgraph*)          \
  X(graph_nodes, "cuGraphGetNodes", "cuGraphGetNodes", nullptr, CUgraph, CUgraphNode*,             \
    std::size_t*)                                                                                  \
  X(graph_instantiate, "cuGraphInstantiate", "cuGraphInstantiateWithFlags", nullptr, CUgraphExec*, \
    CUgraph, unsigned long long)                                                                   \
  X(graph_launch, "cuGraphLaunch", "cuGraphLaunch", nullptr, CUgraphExec, CUstream)                \
  X(graph_exec_destroy, "cuGraphExecDestroy", "cuGraphExecDestroy", nullptr, CUgraphExec)          \
  X(graph_destroy, "cuGraphDestroy", "cuGraphDestroy", nullptr, CUgraph)

struct DriverApi {
#define ROOFLINE_DRIVER_MEMBER(member, name, symbol, older, ...) \
  DriverFunction<__VA_ARGS__> member{name};
  ROOFLINE_DRIVER_FUNCTIONS(ROOFLINE_DRIVER_MEMBER)
#undef ROOFLINE_DRIVER_MEMBER
};

/// Looks every function up in an opened library.
[[nodiscard]] DriverApi bind_driver(void* library);

}  // namespace roofline::cuda
